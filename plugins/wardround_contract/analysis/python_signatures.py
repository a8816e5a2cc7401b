"""The parameters of Python functions, and the calls that do not fit them."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from wardround.languages.python.tree import parse

_TRANSPARENT = frozenset(
    {
        "staticmethod", "classmethod", "contextmanager", "asynccontextmanager", "cache", "lru_cache",
        "override", "abstractmethod", "final", "atomic", "deprecated",
    }
)  # fmt: skip
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Signature(NamedTuple):
    """The parameters that a call can fill, without ``self`` and ``cls``.

    Attributes:
        positional: by position; ``positional_only`` of them have no keyword.
        required: names that a call has to fill.
        keywords: parameters that have a keyword alone.
        arity: the number of values that every ``return`` has; 0 if it is not the same.
    """

    line: int
    positional: tuple[str, ...]
    positional_only: int
    required: frozenset[str]
    keywords: tuple[str, ...]
    has_rest: bool
    has_any_keyword: bool
    arity: int
    is_bound: bool


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of a module; None if it does not parse."""
    try:
        return parse(text)
    except _UNREADABLE:
        return None


def signatures(tree: ast.Module | None, names: Container[str]) -> dict[str, Signature]:
    """Return the signatures of functions that are defined once and not wrapped, by qualified name.

    Args:
        tree: of the module; None if it does not parse, and has no signatures.
        names: the qualified names of the requested functions.
    """
    found: dict[str, list[Signature | None]] = {}
    for owner, function in _functions(tree, "") if tree is not None else ():
        name = f"{owner}.{function.name}" if owner else function.name
        if name in names:
            found.setdefault(name, []).append(_signature(function, bool(owner)))
    return {name: all_[0] for name, all_ in found.items() if len(all_) == 1 and all_[0] is not None}


def _functions(node: ast.AST, owner: str) -> Iterator[tuple[str, Function]]:
    for one in ast.iter_child_nodes(node):
        if isinstance(one, Function):
            yield owner, one
        elif isinstance(one, ast.ClassDef):
            yield from _functions(one, f"{owner}.{one.name}" if owner else one.name)
        elif isinstance(one, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _functions(one, owner)


def _signature(function: Function, is_member: bool) -> Signature | None:
    decorators = {_last_name(one) for one in function.decorator_list}
    if not decorators <= _TRANSPARENT:
        return None
    args = function.args
    positional = [one.arg for one in (*args.posonlyargs, *args.args)]
    skipped = 1 if is_member and "staticmethod" not in decorators and positional else 0
    with_default = set(positional[len(positional) - len(args.defaults) :] if args.defaults else ())
    required = [one for one in positional[skipped:] if one not in with_default]
    required += [
        one.arg for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True) if default is None
    ]
    return Signature(
        function.lineno,
        tuple(positional[skipped:]),
        max(len(args.posonlyargs) - skipped, 0),
        frozenset(required),
        tuple(one.arg for one in args.kwonlyargs),
        args.vararg is not None,
        args.kwarg is not None,
        _arity(function),
        bool(skipped) and "classmethod" not in decorators,
    )


def _last_name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "?"


def _arity(function: Function) -> int:
    """Return the number of values of every ``return``; 0 for a generator, or if they differ."""
    found = set()
    open_: list[ast.AST] = list(function.body)
    while open_:
        one = open_.pop()
        if isinstance(one, Function | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(one, ast.Yield | ast.YieldFrom):
            return 0
        if isinstance(one, ast.Return):
            value = one.value
            is_plain = isinstance(value, ast.Tuple) and not any(
                isinstance(each, ast.Starred) for each in value.elts
            )
            found.add(len(value.elts) if isinstance(value, ast.Tuple) and is_plain else 0)
        open_ += ast.iter_child_nodes(one)
    return found.pop() if len(found) == 1 else 0


def misfit(signature: Signature, call: ast.Call) -> str:
    """Return the reason why a call fails; empty if it fits, as far as it is visible."""
    given = [one for one in call.args if not isinstance(one, ast.Starred)]
    has_star = len(given) < len(call.args)
    keywords = {one.arg for one in call.keywords if one.arg is not None}
    has_double_star = len(keywords) < len(call.keywords)
    if len(given) > len(signature.positional) and not signature.has_rest:
        return f"takes {len(signature.positional)} positional arguments"
    accepted = {*signature.positional[signature.positional_only :], *signature.keywords}
    unknown = sorted(keywords - accepted)
    if unknown and not signature.has_any_keyword:
        return f"has no parameter `{unknown[0]}`"
    if has_star or has_double_star:
        return ""
    filled = {*signature.positional[: len(given)], *keywords}
    missing = [one for one in (*signature.positional, *signature.keywords) if one not in filled]
    return next((f"requires `{one}`" for one in missing if one in signature.required), "")


def calls(tree: ast.Module) -> Mapping[tuple[str, int], list[tuple[ast.Call, int]]]:
    """Return the calls by the last name and its line, each with the number of names it is unpacked into."""
    unpacked: dict[ast.AST, int] = {}
    found: dict[tuple[str, int], list[tuple[ast.Call, int]]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            value = node.value.value if isinstance(node.value, ast.Await) else node.value
            is_exact = not any(isinstance(one, ast.Starred) for one in node.targets[0].elts)
            unpacked[value] = len(node.targets[0].elts) if is_exact else 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.func.end_lineno is not None:
            key = _last_name(node.func), node.func.end_lineno
            found.setdefault(key, []).append((node, unpacked.get(node, 0)))
    return found
