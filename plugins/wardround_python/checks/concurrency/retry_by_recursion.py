"""PY018."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround_python.analysis.polling_loops import ASKS_A_PERSON, called_name
from wardround_python.check import PythonCheck
from wardround_python.checks.concurrency.unbounded_retry import SLEEPS, catches_outage


class RetryByRecursion(PythonCheck):
    """A function calls itself, with the same arguments, when its attempt has failed.

    Nothing counts the attempts: where the other side is down for good, it goes on until Python's recursion
    limit ends it with an error that says nothing about the cause. Use a loop with a number of attempts.
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
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        if self._called[node.name] < 1:
            return
        for call in self._again(node):
            if not _keeps_count(node):
                self.report(self.module.span(call), f"{ast.unparse(call.func)}() starts again without limit")

    @cached_property
    def _called(self) -> Counter[str]:
        """How often the module calls something of a name, be it a function or a method."""
        return Counter(called_name(n) for n in self.module.nodes if isinstance(n, ast.Call))

    def _again(self, node: FunctionNode) -> Iterator[ast.Call]:
        """The calls with which the function starts anew after a failure, with what it was given."""
        for call in (n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)):
            if self._is_itself(call, node) and _passes_on(call, node) and self._follows_failure(call, node):
                yield call

    def _is_itself(self, call: ast.Call, node: FunctionNode) -> bool:
        if self.module.class_of(node) is None:
            return isinstance(call.func, ast.Name) and call.func.id == node.name
        return ast.unparse(call.func) in (f"self.{node.name}", f"cls.{node.name}")

    def _follows_failure(self, call: ast.Call, node: FunctionNode) -> bool:
        """Whether the call stands where an outage is handled, or waits right before it."""
        child: ast.AST = call
        for parent in self.module.ancestors(call):
            if parent is node:
                return False
            if isinstance(parent, ast.ExceptHandler):
                raises = any(isinstance(n, ast.Raise) for n in nodes_run_by(parent.body))
                return catches_outage(parent) and not raises
            for block in (getattr(parent, "body", []), getattr(parent, "orelse", [])):
                if isinstance(block, list) and child in block and isinstance(parent, ast.If):
                    before = nodes_run_by(block[: block.index(child)])
                    if any(isinstance(n, ast.Call) and self._sleeps(n) for n in before):
                        return True
            child = parent
        return False

    def _sleeps(self, call: ast.Call) -> bool:
        return self.module.imported_name(call.func) in SLEEPS


def _passes_on(call: ast.Call, node: FunctionNode) -> bool:
    """Whether a call gives each parameter its own value again."""
    arguments = node.args
    names = [a.arg for a in arguments.posonlyargs + arguments.args]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    rest = {arguments.vararg.arg if arguments.vararg else "", arguments.kwarg.arg if arguments.kwarg else ""}
    for position, value in enumerate(call.args):
        if isinstance(value, ast.Starred):
            if not (isinstance(value.value, ast.Name) and value.value.id in rest):
                return False
        elif position >= len(names) or not (isinstance(value, ast.Name) and value.id == names[position]):
            return False
    return all(
        isinstance(keyword.value, ast.Name) and (keyword.value.id in rest or keyword.value.id == keyword.arg)
        for keyword in call.keywords
    )


def _keeps_count(node: FunctionNode) -> bool:
    """Whether the function counts, changes what it was given, or asks a person."""
    given = {a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs}
    for inner in nodes_run_by(node.body):
        if isinstance(inner, (ast.AugAssign, ast.Global, ast.Nonlocal)):
            return True
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and inner.id in given:
            return True
        if isinstance(inner, ast.Call) and called_name(inner) in ASKS_A_PERSON:
            return True
    return False
