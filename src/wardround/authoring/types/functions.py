"""The public functions of a module that lack annotations."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from wardround.authoring.types.model import Parameter, PublicFunction
from wardround.languages.python.tree import unparse

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | ast.ClassDef

_TRANSPARENT = frozenset({"staticmethod", "classmethod", "property", "override", "final"})
"""Decorators with which the signature of a function remains its own."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def public_functions(tree: ast.Module) -> Iterator[PublicFunction]:
    """Yield the functions of a module and the methods of its public classes that lack an annotation.

    A name that is defined more than once, such as an overload or a property with a setter, is left out.
    """
    for prefix, function, is_method in _definitions(tree, "", is_class=False):
        described = _describe(prefix, function, is_method=is_method)
        if described.parameters or described.lacks_return:
            yield described


def _definitions(scope: Scope, prefix: str, *, is_class: bool) -> Iterator[tuple[str, Function, bool]]:
    counts = Counter(_defined_names(scope.body))
    for statement in scope.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if counts[name] == 1 and _is_public(name):
                    yield prefix, statement, is_class
            case ast.ClassDef(name=name):
                if counts[name] == 1 and _is_public(name):
                    yield from _definitions(statement, f"{prefix}{name}.", is_class=True)


def _defined_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the name of each definition of a scope, those in conditions and ``try`` included."""
    for statement in body:
        if isinstance(statement, _DEFINITIONS):
            yield statement.name
            continue
        for block in ("body", "orelse", "finalbody", "handlers"):
            for nested in getattr(statement, block, ()):
                yield from _defined_names([nested] if isinstance(nested, ast.stmt) else nested.body)


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def decorator_names(function: Function) -> frozenset[str]:
    """Return the last part of the name of each decorator."""
    called = (item.func if isinstance(item, ast.Call) else item for item in function.decorator_list)
    return frozenset(unparse(item).rpartition(".")[2] for item in called)


def _describe(prefix: str, function: Function, *, is_method: bool) -> PublicFunction:
    decorators = decorator_names(function)
    has_receiver = is_method and "staticmethod" not in decorators
    positional = [*function.args.posonlyargs, *function.args.args][int(has_receiver) :]
    is_generator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function))
    return PublicFunction(
        name=f"{prefix}{function.name}",
        line=function.lineno,
        end_line=function.end_lineno or function.lineno,
        order=tuple(argument.arg for argument in positional),
        parameters=tuple(_parameters(function, positional)),
        lacks_return=function.returns is None and decorators <= _TRANSPARENT and not _is_stub(function),
        is_property="property" in decorators,
        is_coroutine=isinstance(function, ast.AsyncFunctionDef) and not is_generator,
        returns_value=any(map(_is_valued_return, own_nodes(function))),
    )


def _is_valued_return(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Return) else None
    return value is not None and not (isinstance(value, ast.Constant) and value.value is None)


def _parameters(function: Function, positional: Sequence[ast.arg]) -> Iterator[Parameter]:
    given = function.args.defaults
    every = [*function.args.posonlyargs, *function.args.args]
    defaults = dict(zip((item.arg for item in every[len(every) - len(given) :]), given, strict=True))
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    defaults |= {item.arg: default for item, default in named if default is not None}
    for argument in (*positional, *function.args.kwonlyargs):
        if argument.annotation is None and argument.type_comment is None:
            default = defaults.get(argument.arg)
            yield Parameter(argument.arg, "" if default is None else unparse(default))


def _is_stub(function: Function) -> bool:
    """Return True for a body that shows nothing about the result: that of an interface, or none."""
    return all(
        isinstance(statement, ast.Pass | ast.Raise)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in function.body
    )


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a body without those of nested functions and classes."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))
