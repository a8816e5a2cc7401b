"""PY026: coroutine used as condition."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cached_property

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_COROUTINE_ATTRIBUTES = frozenset({"close", "send", "throw", "__await__", "cr_frame", "cr_running"})


class CoroutineUsedAsCondition(PythonCheck):
    """The result of a coroutine function is used without ``await``.

    The call only creates a coroutine, which is always truthy, equals nothing and has none of the result's
    attributes. Await the call.
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
        name = self._callee(node)
        if name is not None and self._is_used_as_result(node):
            self.report(
                self.module.span(node),
                f"{name}() is not awaited, so this is a coroutine and not its result; await it",
            )

    def _callee(self, node: ast.Call) -> str | None:
        """Return the coroutine function of the module that a call calls."""
        func = node.func
        if isinstance(func, ast.Name):
            known = func.id in self._coroutines[""] and self._definitions[func.id] == 1
            return func.id if known and func.id not in self.module.assigned else None
        if not isinstance(func, ast.Attribute) or unparse(func.value) != "self":
            return None
        owner = next((p for p in self.module.ancestors(node) if isinstance(p, ast.ClassDef)), None)
        known = owner is not None and func.attr in self._coroutines.get(owner.name, ())
        return unparse(func) if known else None

    @cached_property
    def _definitions(self) -> Counter[str]:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return Counter(node.name for node in self.module.nodes if isinstance(node, kinds))

    @cached_property
    def _coroutines(self) -> dict[str, set[str]]:
        """Undecorated coroutine functions of the module, and of each class by its name."""
        found: dict[str, set[str]] = {"": set()}
        for node in self.module.nodes:
            if not isinstance(node, ast.AsyncFunctionDef) or node.decorator_list:
                continue
            if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node)):
                continue
            owner = self.module.class_of(node)
            if owner is not None:
                found.setdefault(owner.name, set()).add(node.name)
            elif node in self.module.tree.body:
                found[""].add(node.name)
        return found

    def _is_used_as_result(self, node: ast.Call) -> bool:
        """Return True if the context of a call unpacks, compares or tests its value."""
        parent = self.module.parents[node]
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)):
            return parent.test is node
        if isinstance(parent, (ast.Attribute, ast.Subscript)):
            return parent.value is node and getattr(parent, "attr", "") not in _COROUTINE_ATTRIBUTES
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is node
        if isinstance(parent, ast.UnaryOp):
            return isinstance(parent.op, ast.Not)
        return isinstance(parent, (ast.BinOp, ast.Compare, ast.FormattedValue))
