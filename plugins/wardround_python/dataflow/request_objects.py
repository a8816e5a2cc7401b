"""Expressions that refer to the current request, under any name."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround_python.syntax.calls import keyword_values

FRAMEWORKS = frozenset(
    {"flask", "quart", "bottle", "sanic", "flask_restful", "flask_restx", "apiflask", "web"}
)  # fmt: skip
REQUEST_NAMES = frozenset({"request", "req", "_request"})
REQUEST_TYPE = LazyPattern(r"(^|[.\[| ])(Http|Wsgi|WSGI|ASGI|Drf)?Request\b")
_KEPT_REQUEST = frozenset({"req", "_req", "_request", "http_request"})
"""Attributes in which objects store the request that they were created for."""
_CLIENT = LazyPattern(
    r"(urllib3|urllib\.request|requests|httpx|aiohttp|http\.client|scrapy|pycurl|tornado)(\.|$)"
)
_DEEPEST = 3
"""The most calls through which a request is followed as an argument."""


def is_request(
    module: PythonModule, node: ast.expr, function: FunctionNode | None, deep: int = _DEEPEST
) -> bool:
    """Return True if an expression is the current request."""
    match node:
        case ast.Subscript():
            return isinstance(node.slice, ast.Constant) and node.slice.value == "request"
        case ast.Attribute():
            return _is_stored_request(module, node, function, deep)
        case ast.Name() if node.id in module.imported:
            stem, _, last = module.imported[node.id].rpartition(".")
            return last == "request" and stem.partition(".")[0] in FRAMEWORKS
        case ast.Name() if function is not None:
            return _is_local_request(module, node.id, function, deep)
    return False


def _is_local_request(module: PythonModule, name: str, function: FunctionNode, deep: int) -> bool:
    """Return True if a parameter of a function, or the only value of a name, is the request."""
    declared = next((parameter for parameter in parameters(function) if parameter.arg == name), None)
    if declared is None:
        values = module.assigned.get(name, ()) if deep else ()
        return len(values) == 1 and is_request(module, values[0], function, deep - 1)
    if declared.annotation is not None:
        return _is_request_type(declared.annotation, name)
    return name in REQUEST_NAMES or (deep > 0 and _is_passed_request(module, function, name, deep - 1))


def _is_request_type(annotation: ast.expr, name: str) -> bool:
    if REQUEST_TYPE.search(unparse(annotation)):
        return True
    return name in REQUEST_NAMES and isinstance(annotation, ast.Constant)


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
    receiver = node.value.id
    if node.attr == "request" or (node.attr in _KEPT_REQUEST and not _sends_requests(module)):
        return receiver in {"self", "cls", "info", "view"} or module.imported.get(receiver) in FRAMEWORKS
    if receiver != "self" or function is None or not deep:
        return False
    maker = _constructor(module.class_of(function))
    return maker is not None and _stores_request(module, maker, node.attr, deep - 1)


def _constructor(holder: ast.ClassDef | None) -> ast.FunctionDef | None:
    members = holder.body if holder is not None else []
    functions = (node for node in members if isinstance(node, ast.FunctionDef))
    return next((function for function in functions if function.name == "__init__"), None)


def _stores_request(module: PythonModule, maker: ast.FunctionDef, attribute: str, deep: int) -> bool:
    """Return True if a constructor assigns the request to an attribute."""
    for statement in maker.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name):
            is_stored = unparse(statement.targets[0]) == f"self.{attribute}"
            if is_stored and is_request(module, statement.value, maker, deep):
                return True
    return False


def _is_passed_request(module: PythonModule, function: FunctionNode, name: str, deep: int) -> bool:
    """Return True if every call of a function in its module passes the request as this argument."""
    positional = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    holder = module.class_of(function) if positional[:1] in (["self"], ["cls"]) else None
    is_constructor = holder is not None and function.name == "__init__"
    called = holder.name if holder is not None and is_constructor else function.name
    position = positional.index(name) - (holder is not None) if name in positional else -1
    calls = _calls(module).get(called, ())
    return bool(calls) and all(
        _passes_request(module, call, _argument_for(call, position, name), deep) for call in calls
    )


def _argument_for(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """Return the argument for a parameter; a negative position if it has only its name."""
    if 0 <= position < len(call.args):
        return call.args[position]
    return next(iter(keyword_values(call, name)), None)


def _passes_request(module: PythonModule, call: ast.Call, argument: ast.expr | None, deep: int) -> bool:
    return argument is not None and is_request(module, argument, _function_of(module, call), deep)


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
