"""PY026."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround.languages.python.tree import walk
from wardround_python.check import PythonCheck

_OF_COROUTINES = frozenset({"close", "send", "throw", "__await__", "cr_frame", "cr_running"})


class CoroutineUsedAsCondition(PythonCheck):
    """What a coroutine function gives is used without ``await``.

    Calling it only makes a coroutine, which is true whatever the answer would be, equals nothing and has no
    attributes of the answer. Await the call.
    """

    ID = "PY026"
    NAME = "coroutine-used-as-condition"
    WORDS = ("async def",)
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "unawaited-coroutine"
    TRIED_ON = (
        "twenty-three trees of 1.2 million lines, tests left out: none, after two wrong ones; only its cases "
        "speak for it"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "async def ok(): ...\nasync def f():\n    if await ok():\n        pass\n",
        "async def ok(): ...\ndef f():\n    return ok()\n",
        "async def ok(): ...\nasync def f():\n    return [ok() for n in (1, 2)]\n",
        "async def rows():\n    yield 1\nasync def f():\n    return rows().aclose\n",
        "class A:\n    async def go(self): ...\n    def __await__(self):\n"
        "        return self.go().__await__()\n",
        "def ok(): ...\nasync def f():\n    if ok():\n        pass\n",
        "async def ok(): ...\nasync def f(ok):\n    if ok():\n        pass\n",
        "import asyncio\nasync def ok(): ...\nif asyncio.run(ok()):\n    pass\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("async def ok(): ...\nasync def f():\n    if ok():\n        pass\n", line=3, column=8),
        Invalid(
            "class A:\n    async def ok(self): ...\n    async def f(self):\n        return not self.ok()\n",
            line=4,
            column=20,
        ),
        Invalid("async def get(): ...\nasync def f():\n    return get().name\n", line=3, column=12),
        Invalid(
            "async def get(): ...\nasync def f():\n    for row in get():\n        pass\n", line=3, column=16
        ),
        Invalid("async def get(): ...\nasync def f():\n    return get() == 1\n", line=3, column=12),
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
