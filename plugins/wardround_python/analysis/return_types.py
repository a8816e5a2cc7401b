"""Facts about a definition without running it: the types of its results, its numbers, its names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse, walk

_MAKERS = {
    "list": "list", "sorted": "list", "dict": "dict", "defaultdict": "dict", "Counter": "dict",
    "OrderedDict": "dict",
    "set": "set", "frozenset": "set", "tuple": "tuple", "str": "str", "iter": "iterator", "map": "iterator",
    "filter": "iterator", "zip": "iterator", "len": "number", "sum": "number",
}  # fmt: skip
_MOST_STEPS = 3
_TRANSPARENT = frozenset(
    {
        "abstractmethod", "cache", "cached_property", "classmethod", "final", "lru_cache", "override",
        "property", "staticmethod", "deprecated", "wraps", "setter", "getter", "overload",
    }
)  # fmt: skip
"""Decorators that return the result of the function."""


def may_change_result(decorators: Iterable[str]) -> bool:
    """Return True if one of some decorators, given as source, may return something else than the function."""
    return any(decorator.partition("(")[0].rpartition(".")[2] not in _TRANSPARENT for decorator in decorators)


def kinds_returned(function: FunctionNode) -> frozenset[str]:
    """Return the types of a function's results: list, dict, None ...; ``?`` for an unknown one."""
    if may_change_result(map(unparse, function.decorator_list)):
        return frozenset({"?"})
    body = list(nodes_run_by(function.body))
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in body):
        return frozenset({"iterator"})
    returns = [n.value for n in body if isinstance(n, ast.Return)]
    return frozenset(kind for value in returns for kind in _kinds(value, function, 0))


def _kinds(value: ast.expr | None, function: FunctionNode, step: int) -> set[str]:
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return {"None"}
    if isinstance(value, ast.IfExp):
        return _kinds(value.body, function, step) | _kinds(value.orelse, function, step)
    if isinstance(value, ast.Name) and step < _MOST_STEPS:
        values = [
            n.value
            for n in nodes_run_by(function.body)
            if isinstance(n, (ast.Assign, ast.AnnAssign))
            and n.value is not None
            and any(
                isinstance(t, ast.Name) and t.id == value.id
                for t in (n.targets if isinstance(n, ast.Assign) else [n.target])
            )
        ]
        return {kind for operand in values for kind in _kinds(operand, function, step + 1)} or {"?"}
    return {_plain_kind(value)}


def _plain_kind(value: ast.expr) -> str:
    """Return the type of an expression by its form; a queried row counts as one that may be None."""
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        if isinstance(value.func, ast.Attribute):
            by_key = name == "get" and len(value.args) == 1 and not value.keywords
            return (
                "None"
                if by_key
                else "str"
                if name in ("join", "format")
                else _MAKERS.get(name, "?")
                if name in ("defaultdict", "Counter")
                else "?"
            )
        return _MAKERS.get(name, "?")
    for kinds, name in (
        ((ast.List, ast.ListComp), "list"),
        ((ast.Dict, ast.DictComp), "dict"),
        ((ast.Set, ast.SetComp), "set"),
        ((ast.Tuple,), "tuple"),
        ((ast.GeneratorExp,), "iterator"),
        ((ast.JoinedStr,), "str"),
        ((ast.Subscript,), "entry"),
        ((ast.Compare,), "bool"),
    ):
        if isinstance(value, kinds):
            return name
    if isinstance(value, ast.Constant):
        return type(value.value).__name__
    return "?"


def number_in(value: ast.expr | None) -> float | None:
    """Return the number an expression is."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        inner = number_in(value.operand)
        return None if inner is None else -inner
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        left, right = number_in(value.left), number_in(value.right)
        return None if left is None or right is None else left * right
    if (
        isinstance(value, ast.Constant)
        and isinstance(value.value, (int, float))
        and not isinstance(value.value, bool)
    ):
        return value.value
    return None


def numbers_of(body: Sequence[ast.stmt]) -> set[float]:
    """Return every number in some statements."""
    result = (number_in(n) for n in nodes_run_by(body) if isinstance(n, ast.Constant))
    return {number for number in result if number is not None}


def every_number_of(node: ast.AST) -> set[float]:
    """Return every number in the code of a node, products as one."""
    results = {number_in(n) for n in walk(node) if isinstance(n, (ast.Constant, ast.BinOp))}
    return {number for number in results if number is not None}


def raised_by(function: FunctionNode) -> set[str]:
    """Return the names of the errors a function raises itself, without those of caught ones."""
    results = set()
    caught = {node.name for node in walk(function) if isinstance(node, ast.ExceptHandler)}
    for node in nodes_run_by(function.body):
        if isinstance(node, ast.Raise) and node.exc is not None:
            value = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            results.add(value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", ""))
    return results - {""} - caught


def called_by(function: FunctionNode) -> set[str]:
    """Return the names of the functions that a function calls; ``?`` for one without a name."""
    calls = [n.func for n in nodes_run_by(function.body) if isinstance(n, ast.Call)]
    return {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "?") for f in calls}


def defaults_of(function: FunctionNode) -> dict[str, float]:
    """Return the defaults of the parameters that are numbers."""
    plain = [*function.args.posonlyargs, *function.args.args]
    pairs = [
        *zip(plain[len(plain) - len(function.args.defaults) :], function.args.defaults, strict=True),
        *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True),
    ]
    result = ((argument.arg, number_in(default)) for argument, default in pairs)
    return {name: number for name, number in result if number is not None}


def defined_names(tree: ast.AST) -> frozenset[str]:
    """Return the names of the functions, classes and parameters of a tree."""
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    named = {node.name for node in walk(tree) if isinstance(node, definitions)}
    return frozenset(named | {node.arg for node in walk(tree) if isinstance(node, ast.arg)})


def code_names(tree: ast.AST) -> frozenset[str]:
    """Return every name that the code of a tree, without its texts, defines or uses."""
    results: set[str] = set()
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            results.add(node.name)
        elif isinstance(node, ast.Name):
            results.add(node.id)
        elif isinstance(node, ast.Attribute):
            results.add(node.attr)
        elif isinstance(node, (ast.arg, ast.keyword)):
            results.add(node.arg or "")
        elif isinstance(node, ast.alias):
            results.update((node.asname or node.name).split("."))
    return frozenset(results)
