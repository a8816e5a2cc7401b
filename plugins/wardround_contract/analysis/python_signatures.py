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
        keywords: keyword-only parameters.
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


def parse_module(text: str) -> ast.Module | None:
    """Return the syntax tree of a module; None if it does not parse."""
    try:
        return parse(text)
    except _UNREADABLE:
        return None


def signatures(tree: ast.Module | None, names: Container[str]) -> dict[str, Signature]:
    """Return the signatures of functions that are defined once and not wrapped, by qualified name.

    Args:
        tree: the syntax tree of the module; None if the module does not parse, and so has no signatures.
        names: the qualified names of the requested functions.
    """
    found: dict[str, list[Signature | None]] = {}
    for owner, function in _functions(tree, "") if tree is not None else ():
        name = f"{owner}.{function.name}" if owner else function.name
        if name in names:
            found.setdefault(name, []).append(_signature(function, bool(owner)))
    return {name: all_[0] for name, all_ in found.items() if len(all_) == 1 and all_[0] is not None}


def _functions(node: ast.AST, owner: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield owner, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{owner}.{child.name}" if owner else child.name)
        elif isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _functions(child, owner)


def _signature(function: Function, is_member: bool) -> Signature | None:
    decorators = {_last_name(decorator) for decorator in function.decorator_list}
    if not decorators <= _TRANSPARENT:
        return None
    arguments = function.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    is_bound = is_member and "staticmethod" not in decorators and bool(positional)
    skipped = 1 if is_bound else 0
    required = frozenset(_required_parameters(arguments)).difference(positional[:skipped])
    return Signature(
        function.lineno,
        tuple(positional[skipped:]),
        max(len(arguments.posonlyargs) - skipped, 0),
        required,
        tuple(argument.arg for argument in arguments.kwonlyargs),
        arguments.vararg is not None,
        arguments.kwarg is not None,
        _arity(function),
        is_bound and "classmethod" not in decorators,
    )


def _required_parameters(arguments: ast.arguments) -> Iterator[str]:
    """Yield the parameters without a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    for argument in positional[: len(positional) - len(arguments.defaults)]:
        yield argument.arg
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is None:
            yield argument.arg


def _last_name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "?"


def _arity(function: Function) -> int:
    """Return the number of values of every ``return``; 0 for a generator, or if they differ."""
    found = set()
    open_: list[ast.AST] = list(function.body)
    while open_:
        item = open_.pop()
        if isinstance(item, Function | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(item, ast.Yield | ast.YieldFrom):
            return 0
        if isinstance(item, ast.Return):
            value = item.value
            is_plain = isinstance(value, ast.Tuple) and not any(
                isinstance(each, ast.Starred) for each in value.elts
            )
            found.add(len(value.elts) if isinstance(value, ast.Tuple) and is_plain else 0)
        open_ += ast.iter_child_nodes(item)
    return found.pop() if len(found) == 1 else 0


def misfit(signature: Signature, call: ast.Call) -> str:
    """Return the reason why a call fails; empty if it matches the signature as far as that is visible."""
    plain = [argument for argument in call.args if not isinstance(argument, ast.Starred)]
    keywords = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    if len(plain) > len(signature.positional) and not signature.has_rest:
        return f"takes {len(signature.positional)} positional arguments"
    accepted = {*signature.positional[signature.positional_only :], *signature.keywords}
    unknown = sorted(keywords - accepted)
    if unknown and not signature.has_any_keyword:
        return f"has no parameter `{unknown[0]}`"
    if len(plain) + len(keywords) < len(call.args) + len(call.keywords):
        return ""
    return _missing_parameter(signature, {*signature.positional[: len(plain)], *keywords})


def _missing_parameter(signature: Signature, passed: set[str]) -> str:
    for parameter in (*signature.positional, *signature.keywords):
        if parameter in signature.required and parameter not in passed:
            return f"requires `{parameter}`"
    return ""


def calls(tree: ast.Module) -> Mapping[tuple[str, int], list[tuple[ast.Call, int]]]:
    """Return the calls by the last name and its line, each with the number of names it is unpacked into."""
    unpacked: dict[ast.AST, int] = {}
    found: dict[tuple[str, int], list[tuple[ast.Call, int]]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            value = node.value.value if isinstance(node.value, ast.Await) else node.value
            is_exact = not any(isinstance(element, ast.Starred) for element in node.targets[0].elts)
            unpacked[value] = len(node.targets[0].elts) if is_exact else 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.func.end_lineno is not None:
            key = _last_name(node.func), node.func.end_lineno
            found.setdefault(key, []).append((node, unpacked.get(node, 0)))
    return found
