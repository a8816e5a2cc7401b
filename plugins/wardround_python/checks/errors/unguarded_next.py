"""PY071."""

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
    """A generator asks for the next item in a loop and says nothing about the end.

    Where there is none, ``next`` raises StopIteration, which inside a generator becomes RuntimeError: the
    caller's ``for`` does not end, it fails. Give ``next`` a default, or catch StopIteration and return.
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
        made = given_once(self.module, node.args[0])
        if isinstance(made, ast.Call) and (last_name(made.func) in _ENDLESS or len(made.args) > 1):
            return
        looped = False
        for one in self.module.ancestors(node):
            if one is function:
                break
            if isinstance(one, ast.Try) and any(_catches(h) for h in one.handlers):
                return
            looped |= isinstance(one, (ast.While, ast.For))
            if isinstance(one, ast.If):
                return  # something was asked before
        if looped and any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in nodes_run_by(function.body)):
            self.report(self.module.span(node), "at the end this raises RuntimeError out of the generator")


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(last_name(kind) in _CATCHING for kind in kinds)
