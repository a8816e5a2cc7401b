"""Variables of an enclosing function that ty takes to be None, but that another function assigns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from wardround.findings import Span
from wardround.languages.python.literals import is_none
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern

_KEPT = 64
_OF_NONE = LazyPattern(r"`None`|`None \||\| None`")


def is_set_outside(message: str, module: PythonModule, span: Span) -> bool:
    """Return True for a message about None at a variable of an enclosing function that is assigned elsewhere.

    The type of such a variable includes its initial None, although code that runs before the function, or the
    function that starts it, has replaced it by then.
    """
    name = _name_at(module, span) if _OF_NONE.search(message) is not None else None
    reader = module.function_of(name) if name is not None else None
    return name is not None and reader is not None and _is_set_around(module, reader, name.id)


@lru_cache(maxsize=_KEPT)
def _is_set_around(module: PythonModule, reader: FunctionNode | ast.Lambda, name: str) -> bool:
    """Return True if a function reads a variable of an enclosing function that assigns it, too."""
    if any(module.function_of(store) is reader for store in _stores(reader, name)):
        return False
    owner = _binding_function(module, reader, name)
    return (
        owner is not None
        and owner is not reader
        and any(
            not _is_none_assigned(module, store)
            for store in _stores(owner, name)
            if _binding_function(module, module.function_of(store), name) is owner
        )
    )


def _name_at(module: PythonModule, span: Span) -> ast.Name | None:
    """Return the name at a span, which may also be that of an attribute of the name."""
    for node in module.starting_at(span.line, span.column):
        if isinstance(node, (ast.Name, ast.Attribute)) and module.span(node) == span:
            inner = node.value if isinstance(node, ast.Attribute) else node
            return inner if isinstance(inner, ast.Name) else None
    return None


def _binding_function(
    module: PythonModule, function: FunctionNode | ast.Lambda | None, name: str
) -> ast.AST | None:
    """Return the function, from one outwards, that a name is a variable of; None for a global one."""
    while function is not None:
        retained = _passed_on(module, function, name)
        if retained is ast.Global:
            return None
        if retained is None and _shadows_name(module, function, name):
            return function
        function = module.function_of(function)
    return None


def _passed_on(module: PythonModule, function: ast.AST, name: str) -> type[ast.AST] | None:
    """Return the kind of the statement (``global`` or ``nonlocal``) that declares a name of a function."""
    for node in walk(function):
        is_declared = isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names
        if is_declared and module.function_of(node) is function:
            return type(node)
    return None


def _shadows_name(module: PythonModule, function: ast.AST, name: str) -> bool:
    """Return True if a function has a parameter of a name, or assigns the name itself."""
    arguments = getattr(function, "args", None)
    is_parameter = arguments is not None and any(
        isinstance(node, ast.arg) and node.arg == name for node in walk(arguments)
    )
    return is_parameter or any(module.function_of(store) is function for store in _stores(function, name))


def _stores(function: ast.AST, name: str) -> Iterator[ast.Name]:
    """Yield the assignments of a name in a function and in the functions inside it."""
    for node in walk(function):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            yield node


def _is_none_assigned(module: PythonModule, store: ast.Name) -> bool:
    """Return True for ``x = None`` and for a declaration without a value."""
    statement = module.parents[store]
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None or is_none(statement.value)
    return isinstance(statement, ast.Assign) and is_none(statement.value)
