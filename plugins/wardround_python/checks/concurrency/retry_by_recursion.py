from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property

from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
from wardround_python.analysis.polling_loops import ASKS_A_PERSON, called_name
from wardround_python.check import PythonCheck
from wardround_python.checks.concurrency.unbounded_retry import SLEEPS, catches_outage


class RetryByRecursion(PythonCheck):
    """A function calls itself with the same arguments after a failure.

    Nothing limits the attempts: if the service stays down, the recursion continues until Python's
    recursion limit raises an error that hides the cause. Use a loop with a number of attempts.
    """

    ID = "PY018"
    NAME = "retry-by-recursion"
    WORDS = ("except", "sleep")
    DEFECT_CLASS = "unbounded-retry"
    VALID = [
        code("""
            def get(url, tries=3):
                try:
                    return fetch(url)
                except OSError:
                    if not tries:
                        raise
                    return get(url, tries - 1)
        """),
        code("""
            def get(node):
                try:
                    return node.value
                except AttributeError:
                    return get(node)
        """),
    ]
    INVALID = [
        code("""
            def get(url):
                try:
                    return fetch(url)
                except OSError:
                    log.warning('again')
                    return «get(url)»
        """),
        code("""
            class A:
                async def get(self, url, *, wait=1):
                    try:
                        return await self.http.get(url)
                    except HTTPError:
                        return await «self.get(url=url, wait=wait)»
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        if self._call_counts[node.name] < 1:
            return
        for call in self._restarts(node):
            if not _has_limit(node):
                self.report(
                    self.module.span(call),
                    f"{unparse(call.func)}() retries itself without a limit; use a loop with a limit",
                )

    @cached_property
    def _call_counts(self) -> Counter[str]:
        """Number of calls of each name in the module, be it a function or a method."""
        return Counter(called_name(n) for n in self.module.nodes if isinstance(n, ast.Call))

    def _restarts(self, node: FunctionNode) -> Iterator[ast.Call]:
        """Yield the calls that restart the function after a failure, with the arguments it received."""
        for call in (n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)):
            if (
                self._is_recursive(call, node)
                and _repeats_arguments(call, node)
                and self._follows_failure(call, node)
            ):
                yield call

    def _is_recursive(self, call: ast.Call, node: FunctionNode) -> bool:
        if self.module.class_of(node) is None:
            return isinstance(call.func, ast.Name) and call.func.id == node.name
        return unparse(call.func) in (f"self.{node.name}", f"cls.{node.name}")

    def _follows_failure(self, call: ast.Call, node: FunctionNode) -> bool:
        """Return True if the call is where an outage is handled, or directly after a sleep."""
        child: ast.AST = call
        for parent in self.module.ancestors(call):
            if parent is node:
                return False
            if isinstance(parent, ast.ExceptHandler):
                raises = any(isinstance(n, ast.Raise) for n in nodes_run_by(parent.body))
                return catches_outage(parent) and not raises
            if isinstance(parent, ast.If) and self._follows_sleep(parent, child):
                return True
            child = parent
        return False

    def _follows_sleep(self, node: ast.If, child: ast.AST) -> bool:
        """Return True if a branch sleeps before the statement."""
        for block in (node.body, node.orelse):
            if child in block:
                before = nodes_run_by(block[: block.index(child)])
                if any(isinstance(n, ast.Call) and self._is_sleep(n) for n in before):
                    return True
        return False

    def _is_sleep(self, call: ast.Call) -> bool:
        return self.module.imported_name(call.func) in SLEEPS


def _repeats_arguments(call: ast.Call, node: FunctionNode) -> bool:
    """Return True if a call passes each parameter its own value."""
    arguments = node.args
    names = [a.arg for a in arguments.posonlyargs + arguments.args]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    rest = {item.arg for item in (arguments.vararg, arguments.kwarg) if item is not None}
    passed = [
        (value.value, rest) if isinstance(value, ast.Starred) else (value, {*names[position : position + 1]})
        for position, value in enumerate(call.args)
    ]
    return all(_is_call_to(value, expected) for value, expected in passed) and all(
        _is_call_to(keyword.value, {*rest, keyword.arg}) for keyword in call.keywords
    )


def _is_call_to(value: ast.expr, names: Collection[str | None]) -> bool:
    return isinstance(value, ast.Name) and value.id in names


def _has_limit(node: FunctionNode) -> bool:
    """Return True if the function counts, rebinds a parameter, or prompts a person."""
    parameters = {a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs}
    for inner in nodes_run_by(node.body):
        if isinstance(inner, (ast.AugAssign, ast.Global, ast.Nonlocal)):
            return True
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and inner.id in parameters:
            return True
        if isinstance(inner, ast.Call) and called_name(inner) in ASKS_A_PERSON:
            return True
    return False
