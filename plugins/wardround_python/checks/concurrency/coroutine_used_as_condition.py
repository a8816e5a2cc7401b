"""PY026."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cached_property

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_OF_COROUTINES = frozenset({"close", "send", "throw", "__await__", "cr_frame", "cr_running"})


class CoroutineUsedAsCondition(PythonCheck):
    """What a coroutine function gives is used without ``await``.

    Calling it only makes a coroutine, which is true whatever the answer would be, equals nothing and has no
    attributes of the answer. Await the call.
    """

    ID = "PY026"
    NAME = "coroutine-used-as-condition"
    MATURITY = Maturity.PREVIEW
    WORDS = ("async def",)
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "unawaited-coroutine"
    VALID = [
        code("""
            async def ok(): ...
            async def f():
                if await ok():
                    pass
        """),
        code("""
            async def ok(): ...
            def f():
                return ok()
        """),
    ]
    INVALID = [
        code("""
            async def ok(): ...
            async def f():
                if «ok()»:
                    pass
        """),
        code("""
            class A:
                async def ok(self): ...
                async def f(self):
                    return not «self.ok()»
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self._called(node)
        if name is not None and self._is_used_as_answer(node):
            self.report(
                self.module.span(node), f"{name}() is not awaited: this is a coroutine, not its answer"
            )

    def _called(self, node: ast.Call) -> str | None:
        """The coroutine function of the module that a call calls."""
        func = node.func
        if isinstance(func, ast.Name):
            known = func.id in self._coroutines[""] and self._times[func.id] == 1
            return func.id if known and func.id not in self.module.assigned else None
        if not isinstance(func, ast.Attribute) or ast.unparse(func.value) != "self":
            return None
        holder = next((p for p in self.module.ancestors(node) if isinstance(p, ast.ClassDef)), None)
        known = holder is not None and func.attr in self._coroutines.get(holder.name, ())
        return ast.unparse(func) if known else None

    @cached_property
    def _times(self) -> Counter[str]:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return Counter(node.name for node in self.module.nodes if isinstance(node, kinds))

    @cached_property
    def _coroutines(self) -> dict[str, set[str]]:
        """The undecorated coroutine functions of the module, and of each class by its name."""
        found: dict[str, set[str]] = {"": set()}
        for node in self.module.nodes:
            if not isinstance(node, ast.AsyncFunctionDef) or node.decorator_list:
                continue
            if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node)):
                continue
            holder = self.module.class_of(node)
            if holder is not None:
                found.setdefault(holder.name, set()).add(node.name)
            elif node in self.module.tree.body:
                found[""].add(node.name)
        return found

    def _is_used_as_answer(self, node: ast.Call) -> bool:
        """Whether the place of a call takes its value apart, compares it or asks if it is true."""
        parent = self.module.parents[node]
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)):
            return parent.test is node
        if isinstance(parent, (ast.Attribute, ast.Subscript)):
            return parent.value is node and getattr(parent, "attr", "") not in _OF_COROUTINES
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is node
        if isinstance(parent, ast.UnaryOp):
            return isinstance(parent.op, ast.Not)
        return isinstance(parent, (ast.BinOp, ast.Compare, ast.FormattedValue))
