"""Expressions that refer to the current request, under any name."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.languages.python.tree import unparse

FRAMEWORKS = frozenset(
    {"flask", "quart", "bottle", "sanic", "flask_restful", "flask_restx", "apiflask", "web"}
)  # fmt: skip
REQUEST_NAMES = frozenset({"request", "req", "_request"})
REQUEST_TYPE = LazyPattern(r"(^|[.\[| ])(Http|Wsgi|WSGI|ASGI|Drf)?Request\b")
_KEPT_REQUEST = frozenset({"req", "_req", "_request", "http_request"})
"""Attributes in which objects store the request they were created for."""
_CLIENT = LazyPattern(
    r"(urllib3|urllib\.request|requests|httpx|aiohttp|http\.client|scrapy|pycurl|tornado)(\.|$)"
)
_DEEPEST = 3
"""The most calls through which a request is followed as an argument."""


def is_request(
    module: PythonModule, node: ast.expr, function: FunctionNode | None, deep: int = _DEEPEST
) -> bool:
    """Return True if an expression is the current request."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "request"
    if isinstance(node, ast.Attribute):
        return _is_stored_request(module, node, function, deep)
    if not isinstance(node, ast.Name):
        return False
    origin = module.imported.get(node.id)
    if origin is not None:
        stem, _, last = origin.rpartition(".")
        return last == "request" and stem.partition(".")[0] in FRAMEWORKS
    if function is None:
        return False
    declared = {p.arg: p for p in parameters(function)}.get(node.id)
    if declared is None:
        value = module.assigned.get(node.id, ()) if deep else ()
        return len(value) == 1 and is_request(module, value[0], function, deep - 1)
    if declared.annotation is not None:
        return REQUEST_TYPE.search(unparse(declared.annotation)) is not None or (
            node.id in REQUEST_NAMES and isinstance(declared.annotation, ast.Constant)
        )
    return node.id in REQUEST_NAMES or (deep > 0 and _is_passed_request(module, function, node.id, deep - 1))


def parameters(function: FunctionNode) -> list[ast.arg]:
    """Return all parameters but ``*args`` and ``**kwargs``."""
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _is_stored_request(
    module: PythonModule, node: ast.Attribute, function: FunctionNode | None, deep: int
) -> bool:
    """Return True if an attribute of an object, or of the framework, is the request."""
    if not isinstance(node.value, ast.Name):
        return False
    on = node.value.id
    if node.attr == "request" or (node.attr in _KEPT_REQUEST and not _sends_requests(module)):
        return on in {"self", "cls", "info", "view"} or module.imported.get(on) in FRAMEWORKS
    cls = module.class_of(function) if function is not None and on == "self" and deep else None
    for maker in cls.body if cls is not None else ():
        if isinstance(maker, ast.FunctionDef) and maker.name == "__init__":
            return any(
                isinstance(line, ast.Assign)
                and unparse(line.targets[0]) == f"self.{node.attr}"
                and isinstance(line.value, ast.Name)
                and is_request(module, line.value, maker, deep - 1)
                for line in maker.body
            )
    return False


def _is_passed_request(module: PythonModule, function: FunctionNode, name: str, deep: int) -> bool:
    """Return True if every call of a function in its module passes the request as this argument."""
    positional = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    cls = module.class_of(function) if positional[:1] in (["self"], ["cls"]) else None
    called = cls.name if cls is not None and function.name == "__init__" else function.name
    at = positional.index(name) - (cls is not None) if name in positional else -1
    calls = _calls(module).get(called, ())
    arguments = [
        [*(call.args[at : at + 1] if at >= 0 else ()), *(k.value for k in call.keywords if k.arg == name)]
        for call in calls
    ]
    return bool(arguments) and all(
        bool(one) and is_request(module, one[0], _function_of(module, call), deep)
        for call, one in zip(calls, arguments, strict=True)
    )


def _function_of(module: PythonModule, node: ast.AST) -> FunctionNode | None:
    result = module.function_of(node)
    return result if isinstance(result, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _calls(module: PythonModule) -> Mapping[str, Sequence[ast.Call]]:
    """Return the calls with arguments, by the name of the function or method."""
    result = module.notes.get(_calls)
    if result is None:
        calls: dict[str, list[ast.Call]] = {}
        for node in module.nodes:
            if isinstance(node, ast.Call) and (node.args or node.keywords):
                calls.setdefault(last_name(node.func), []).append(node)
        result = module.notes[_calls] = calls
    assert isinstance(result, dict)
    return result


def _sends_requests(module: PythonModule) -> bool:
    """Return True if a module sends requests of its own, which may have the same names."""
    result = module.notes.get(_sends_requests)
    if result is None:
        result = any(_CLIENT.match(name) for name in module.imported.values())
        module.notes[_sends_requests] = result
    return result is True
