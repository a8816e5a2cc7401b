"""Calls of a script that return a promise, by this file and the files that it imports."""

from __future__ import annotations

from wardround.change.repository_view import RepositoryView
from wardround.languages.script.code import Code, code_of, function_around, is_async, returned_expressions
from wardround.languages.script.syntax import Node
from wardround.lazy import LazyPattern
from wardround_typescript.analysis.call_resolution import origin
from wardround_typescript.analysis.resolved_scripts import script_of
from wardround_typescript.syntax.nodes import is_kind, parent

_PROMISED = LazyPattern(r"^:?\s*(Promise|PromiseLike)\s*<")
_GIVEN = LazyPattern(r"^:\s*\([^()]*\)\s*=>\s*Promise<[^|&]*$")
_MADE = LazyPattern(r"^(new Promise\b|fetch\(|window\.fetch\(|Promise\.(all|race|any|allSettled)\()")
_CLASSES = ("class_body",)


def returns_promise(code: Code, call: Node, project: RepositoryView) -> bool:
    """Return True if the callee is async or is typed to return a promise."""
    called = code.callee(call)
    if called.startswith("this.") and called.count(".") == 1:
        return _method_returns_promise(code, call, called.removeprefix("this."))
    return "." not in called and is_promising(code, called, call, project)


def is_promising(code: Code, name: str, at: Node, project: RepositoryView) -> bool:
    """Return True if a name refers to a function that returns a promise."""
    if name in code.imports:
        return _is_imported_promising(code, name, project)
    function = code.function_of(name, at)
    return _has_promise_type(code, name, at) if function is None else function_returns_promise(code, function)


def _is_imported_promising(code: Code, name: str, project: RepositoryView) -> bool:
    found = origin(name, script_of(code.module.path, code.module.text), project)
    if found is None:
        return False
    script, there = found
    other = code_of(script.path, script.text)
    function = other.function_of(there, other.module.root)
    return function is not None and function_returns_promise(other, function)


def _has_promise_type(code: Code, name: str, at: Node) -> bool:
    """Return True if a parameter is typed as a function that returns a promise."""
    return _GIVEN.search(code.field(code.declaration(name, at), "type")) is not None


def function_returns_promise(code: Code, function: Node) -> bool:
    """Return True if a function is async, is typed to return a promise, or creates one in every return."""
    if any(part.type == "*" for part in function.children):
        return False
    if is_async(function) or _PROMISED.search(code.field(function, "return_type")):
        return True
    results = [code.text(result) for result in returned_expressions(function)]
    return bool(results) and all(map(_MADE.search, results))


def _method_returns_promise(code: Code, call: Node, name: str) -> bool:
    """Return True if ``this.name`` refers to a method that returns a promise."""
    around = function_around(call)
    while around is not None and around.type != "method_definition":
        around = function_around(around)
    body = parent(around)
    if not is_kind(body, *_CLASSES):
        return False
    members = [member for member in body.named_children if code.field(member, "name") == name]
    if len(members) != 1 or members[0].type != "method_definition":
        return False
    return function_returns_promise(code, members[0])
