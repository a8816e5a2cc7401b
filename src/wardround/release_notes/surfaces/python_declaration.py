"""Declarations in Python modules: the signature of a function, the bases of a class, a name that is bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from wardround.context.surface.python_declarations import declarations
from wardround.languages.python.tree import UNREADABLE, cached_parse, unparse
from wardround.release_notes.surfaces.declaration import (
    ABSENT,
    ORDER,
    PRESENCE,
    Declaration,
    Parameter,
    present,
)
from wardround.release_notes.surfaces.signature_form import signature_form

_BLOCKS = (ast.If, ast.Try, ast.With)
_PARTIAL = frozenset({"overload", "setter", "deleter"})
"""Decorators of definitions that are not the signature that callers use."""
_LIST = ".__all__"
_LONGEST_DEFAULT = 24
Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_declaration(text: str, name: str) -> Declaration:
    """Return the declaration of a symbol.

    Args:
        name: qualified in the module, such as ``Cart.add``; empty for the module itself.
    """
    if not name:
        return present("")
    if name.rpartition(".")[2] not in text:
        return ABSENT
    try:
        tree = cached_parse(text)
    except UNREADABLE:
        return ABSENT
    node = definition(tree, name)
    if isinstance(node, Function):
        return _function(name, node)
    if isinstance(node, ast.ClassDef):
        return present(_class_form(name, node))
    if _is_bound(text, name):
        return present(name.rpartition(".")[2])
    return ABSENT


def listed_declaration(text: str, name: str) -> Declaration:
    """Return the entry of a name in ``__all__``."""
    try:
        lists = [declared for declared in _declarations(text) if declared.startswith(_LIST)]
    except UNREADABLE:
        return ABSENT
    return present(name) if any(repr(name) in declared for declared in lists) else ABSENT


def qualified_name(text: str, line: int, dotted: str) -> str | None:
    """Return the name in a module of what users know as a dotted path; None if it declares no such name.

    Args:
        line: of its definition, or of the first decorator.
    """
    try:
        tree = cached_parse(text)
    except UNREADABLE:
        return None
    parts = dotted.split(".")
    for name, node in _definitions(tree.body, ""):
        first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        own = name.removesuffix(".__init__").rpartition(".")[2]
        if line in (first, node.lineno) and own == parts[-1]:
            return name
    suffixes = (".".join(parts[start:]) for start in range(len(parts)))
    return next((name for name in suffixes if definition(tree, name) or _is_bound(text, name)), None)


def definition(tree: ast.Module, name: str) -> Function | ast.ClassDef | None:
    """Return the definition that a name of a module denotes: the last that is a complete signature."""
    found = [node for qualified, node in _definitions(tree.body, "") if qualified == name]
    complete = [node for node in found if not _is_partial(node)] or found
    return complete[-1] if complete else None


def parameters(node: Function, *, is_method: bool) -> list[Parameter]:
    """Return the parameters of a function, without the receiver of a method."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    only = len(arguments.posonlyargs)
    found = [
        (argument.arg, _kind(argument.arg, location < only), default)
        for location, (argument, default) in enumerate(zip(positional, defaults, strict=True))
    ]
    if is_method and not _has_decorator(node, frozenset({"staticmethod"})):
        found = found[1:]
    if arguments.vararg is not None:
        found.append((arguments.vararg.arg, "*", None))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append((argument.arg, "keyword", default))
    if arguments.kwarg is not None:
        found.append((arguments.kwarg.arg, "**", None))
    return [
        Parameter(name, kind, default is None and kind not in ("*", "**"), location, _default(default))
        for location, (name, kind, default) in enumerate(found)
    ]


def _kind(name: str, is_positional: bool) -> str:
    """Return the kind of a parameter before ``*``; by convention two underscores make it positional."""
    is_private = name.startswith("__") and not name.endswith("__")
    return "positional" if is_positional or is_private else "any"


def _default(node: ast.expr | None) -> str:
    text = "" if node is None else unparse(node)
    return text if len(text) <= _LONGEST_DEFAULT else "..."


def _function(name: str, node: Function) -> Declaration:
    own = parameters(node, is_method="." in name)
    facets = {parameter.name: parameter.facet for parameter in own}
    order = ", ".join(parameter.name for parameter in own if parameter.kind in ("positional", "any"))
    return Declaration(signature_form(name, own), {PRESENCE: "present", ORDER: order, **facets}, tuple(own))


def _class_form(name: str, node: ast.ClassDef) -> str:
    bases = ", ".join(unparse(base) for base in node.bases)
    return f"class {name.rpartition('.')[2]}{f'({bases})' if bases else ''}"


def _is_bound(text: str, name: str) -> bool:
    """Return True if an assignment or an import binds a name, or a method sets it on its object."""
    owner, _, own = name.rpartition(".")
    declared = f".{owner}.{own}" if owner else f".{own}"
    if declared in _declarations(text):
        return True
    return not owner and own in _imported_names(cached_parse(text))


@lru_cache(maxsize=2)
def _declarations(text: str) -> frozenset[str]:
    """Return the declarations of a module, which several symbols are searched in."""
    return declarations(cached_parse(text))


def _imported_names(tree: ast.Module) -> Mapping[str, str]:
    """Return the names that the imports of a module bind, with the name at their origin."""
    return {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _definitions(body: Sequence[ast.stmt], owner: str) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for statement in body:
        if isinstance(statement, Function | ast.ClassDef):
            name = f"{owner}.{statement.name}" if owner else statement.name
            yield name, statement
            if isinstance(statement, ast.ClassDef):
                yield from _definitions(statement.body, name)
        elif isinstance(statement, _BLOCKS):
            for field in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(statement, field, []), owner)
            for handler in getattr(statement, "handlers", []):
                yield from _definitions(handler.body, owner)


def _is_partial(node: Function | ast.ClassDef) -> bool:
    return _has_decorator(node, _PARTIAL)


def _has_decorator(node: Function | ast.ClassDef, names: frozenset[str]) -> bool:
    return any(unparse(decorator).rpartition(".")[2] in names for decorator in node.decorator_list)
