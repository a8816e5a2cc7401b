"""Calls of a script that return a promise, by this file and the files that it imports."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import RepositoryView
from wardround.languages.script.code import Code, code_of, function_around, is_async, returned
from wardround.languages.script.syntax import Node
from wardround_typescript.analysis.call_resolution import origin, script_of

_PROMISED = LazyPattern(r"^:?\s*(Promise|PromiseLike)\s*<")
_GIVEN = LazyPattern(r"^:\s*\([^()]*\)\s*=>\s*Promise<[^|&]*$")
_MADE = LazyPattern(r"^(new Promise\b|fetch\(|window\.fetch\(|Promise\.(all|race|any|allSettled)\()")
_CLASSES = ("class_body",)


def gives_promise(code: Code, call: Node, project: RepositoryView) -> bool:
    """Return True if the callee is async or is typed to return a promise."""
    called = code.called(call)
    if called.startswith("this.") and called.count(".") == 1:
        return _method_gives(code, call, called.removeprefix("this."))
    return "." not in called and is_promising(code, called, call, project)


def is_promising(code: Code, name: str, at: Node, project: RepositoryView) -> bool:
    """Return True if a name refers to a function that returns a promise."""
    if name in code.imports:
        found = origin(name, script_of(code.module.path, code.module.text), project)
        if found is None:
            return False
        script, there = found
        other = code_of(script.path, script.text)
        function = other.function_of(there, other.module.root)
        return function is not None and function_gives(other, function)
    function = code.function_of(name, at)
    return _is_given_promising(code, name, at) if function is None else function_gives(code, function)


def _is_given_promising(code: Code, name: str, at: Node) -> bool:
    """Return True if a parameter is typed as a function that returns a promise."""
    declared = code.declaration(name, at)
    kind = code.field(declared, "type") if declared is not None else ""
    return _GIVEN.search(kind) is not None


def function_gives(code: Code, function: Node) -> bool:
    """Return True if a function is async, is typed to return a promise, or creates one in every return."""
    if "*" in (child.type for child in function.children):
        return False
    if is_async(function) or _PROMISED.search(code.field(function, "return_type")):
        return True
    results = [code.text(one) for one in returned(function)]
    return bool(results) and all(_MADE.search(result) for result in results)


def _method_gives(code: Code, call: Node, name: str) -> bool:
    above = function_around(call)
    while above is not None and above.type != "method_definition":
        above = function_around(above)
    body = above.parent if above is not None else None
    if body is None or body.type not in _CLASSES:
        return False
    found = [one for one in body.named_children if code.field(one, "name") == name]
    return len(found) == 1 and found[0].type == "method_definition" and function_gives(code, found[0])
