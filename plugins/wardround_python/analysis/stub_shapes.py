"""The shapes of functions that may be stubs, and the effects that their docstrings describe."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround_python.analysis.stub_wording import (
    EFFECT,
)
from wardround_python.analysis.stubs import body_after_docstring, is_stub, only_talks, states_reason


def named_parameters(function: FunctionNode) -> list[ast.arg]:
    """Return the parameters of a function without those of ``*`` and ``**``."""
    return function.args.posonlyargs + function.args.args + function.args.kwonlyargs


def handles_changes(node: FunctionNode) -> bool:
    """Return True if a decorator makes a function the handler of requests that modify data."""
    called = [
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list
    ]
    names = {item.attr if isinstance(item, ast.Attribute) else getattr(item, "id", "") for item in called}
    return bool(names & {"post", "put", "patch", "delete", "route", "task", "shared_task", "command"})


def is_explained_raise(statement: ast.stmt | None) -> bool:
    """Return True for a raise whose message explains it to callers."""
    return isinstance(statement, ast.Raise) and bool(states_reason(statement))


def returns_or_raises(statement: ast.stmt) -> bool:
    """Return True for a raise, or a return of a value."""
    if isinstance(statement, ast.Return):
        return statement.value is not None
    return isinstance(statement, ast.Raise)


def has_no_effect(body: Sequence[ast.stmt]) -> bool:
    """Return True if the body of a stub neither returns nor raises."""
    return not body or isinstance(body[0], (ast.Pass, ast.Expr))


def docstring_summary(node: FunctionNode) -> str:
    """Return the first paragraph of a docstring."""
    return (ast.get_docstring(node) or "").partition("\n\n")[0]


def shortfall_of(body: Sequence[ast.stmt], promise: str, is_method: bool) -> str | None:
    """Describe the only statement of a stub, unless the docstring documents its result."""
    first = body[0] if body else None
    if isinstance(first, ast.Raise):
        return "only raises NotImplementedError"
    if isinstance(first, ast.Return) and first.value is not None:
        value = unparse(first.value)
        return None if value in promise else f"only returns {value}"
    is_promise = EFFECT.match(promise) is not None or (first is not None and not is_method)
    return "does nothing" if is_promise else None


def implemented_methods(owner: ast.ClassDef, node: FunctionNode) -> list[FunctionNode]:
    """Return the other methods of a class that are not stubs."""
    methods = [n for n in owner.body if isinstance(n, FunctionNode) and n is not node]
    work = (method for method in methods if method.name != "__init__")
    return [method for method in work if not all(map(is_stub, body_after_docstring(method)))]


def is_decorated_by(function: FunctionNode, decorator: ast.expr) -> bool:
    """Return True if a call of a function is a decorator of another one."""
    calls = (d.func for d in function.decorator_list if isinstance(d, ast.Call))
    return any(ast.dump(func) == ast.dump(decorator) for func in calls)


def stub_body(node: FunctionNode) -> Sequence[ast.stmt] | None:
    """Return the body of a stub without its docstring and messages; None for another function."""
    body = body_after_docstring(node)
    while len(body) > 1 and only_talks(body[0]):
        body = body[1:]
    return body if len(body) < 2 and all(map(is_stub, body)) else None
