"""PY071: unguarded next."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.languages.python.literals import given_once
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_ENDLESS = frozenset({"count", "cycle", "repeat"})
_CATCHING = frozenset({"StopIteration", "Exception", "BaseException", "RuntimeError"})


class UnguardedNext(PythonCheck):
    """A generator calls ``next`` in a loop without handling the end.

    At the end ``next`` raises StopIteration, which a generator turns into RuntimeError: the caller's
    ``for`` loop fails instead of ending. Pass ``next`` a default, or catch StopIteration and return.
    """

    ID = "PY071"
    NAME = "unguarded-next"
    MATURITY = Maturity.PREVIEW
    WORDS = ("next(",)
    DEFECT_CLASS = "stop-iteration-in-generator"
    VALID = [
        code("""
            def f(xs):
                it = iter(xs)
                while True:
                    try:
                        x = next(it)
                    except StopIteration:
                        return
                    yield x
        """),
        code("""
            def f(xs):
                it = iter(xs)
                while True:
                    x = next(it, None)
                    yield x
        """),
    ]
    INVALID = [
        code("""
            def rows(lines):
                while True:
                    head = «next(lines)»
                    yield head, next(lines, None)
        """),
        code("""
            def f(xs):
                it = iter(xs)
                while True:
                    x = «next(it)»
                    yield x
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return source.keywords.has("next(") and source.keywords.has("yield")

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name) or node.func.id != "next" or len(node.args) != 1:
            return
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode) or not isinstance(node.args[0], ast.Name):
            return
        if self._is_endless(node.args[0]) or not self._is_unguarded(node, function):
            return
        if any(isinstance(child, (ast.Yield, ast.YieldFrom)) for child in nodes_run_by(function.body)):
            self.report(
                self.module.span(node),
                "at the end next() raises RuntimeError from the generator; pass a default",
            )

    def _is_endless(self, name: ast.Name) -> bool:
        iterator = given_once(self.module, name)
        if not isinstance(iterator, ast.Call):
            return False
        return last_name(iterator.func) in _ENDLESS or len(iterator.args) > 1

    def _is_unguarded(self, node: ast.Call, function: FunctionNode) -> bool:
        """Return True if a call is in a loop, outside every ``if`` and every handler of its end."""
        is_in_loop = False
        for parent in self.module.ancestors(node):
            if parent is function:
                break
            if isinstance(parent, ast.If) or (isinstance(parent, ast.Try) and _handles_end(parent)):
                return False
            is_in_loop |= isinstance(parent, (ast.While, ast.For))
        return is_in_loop


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(last_name(kind) in _CATCHING for kind in kinds)


def _handles_end(node: ast.Try) -> bool:
    return any(map(_catches, node.handlers))
