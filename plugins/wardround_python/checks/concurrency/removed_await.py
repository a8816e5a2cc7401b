"""PY449."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck

_LOAD = "async def load(key):\n    row = await store.find(key)\n    return row.name\n"
_HANDS_ON = (ast.Call, ast.keyword, ast.Starred, ast.List, ast.Tuple, ast.Dict, ast.Lambda, ast.Yield)
"""What may take something to be awaited, and see to it."""


class RemovedAwait(PythonCheck):
    """The same call was awaited before the change, and is not any more.

    Without ``await`` nothing runs: the name gets a coroutine that is true whatever the answer would be, and
    what the call was to do never happens. Put it back.
    """

    ID = "PY449"
    NAME = "removed-await"
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "missing-await"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    WORDS = ("async ",)
    TRIED_ON = (
        "the newest 300 commits of nine projects (6,311 changed files): none, so nothing wrong; "
        "tried on edits made by script in five projects beside that"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_LOAD.replace("row.name", "row"), base=_LOAD),
        Valid(_LOAD.replace("await store.find(key)", "store.find_now(key)"), base=_LOAD),
        Valid(_LOAD.replace("await store.find(key)", "await gather(store.find(key))"), base=_LOAD),
        Valid(
            _LOAD.replace("await store.find(key)", "store.find(key)").replace("row.name", "(await row).name"),
            base=_LOAD,
        ),
        Valid(_LOAD.replace("async ", "").replace("await ", ""), base=_LOAD),
        Valid(
            "def find(key):\n    return key\n\nasync def load(key):\n    row = find(key)\n    return row\n",
            base="async def find(key):\n    return key\n\nasync def load(key):\n    row = await find(key)\n"
            "    return row\n",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_LOAD.replace("await ", ""), base=_LOAD, line=2, column=11),
        Invalid(
            "class Box:\n    async def put(self, one):\n        if self.is_full(one):\n            return\n"
            "        await self.add(one)\n",
            base="class Box:\n    async def put(self, one):\n        if await self.is_full(one):\n"
            "            return\n        await self.add(one)\n",
            line=3,
            column=12,
        ),
        Invalid(
            "async def close(box):\n    box.flush(1)\n    await box.close()\n    log('closed')\n",
            base="async def close(box):\n    await box.flush(1)\n    await box.close()\n",
            line=2,
            column=5,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        for was, now in rewritten(self.source, self.module):
            if isinstance(was, ast.AsyncFunctionDef) and isinstance(now, ast.AsyncFunctionDef):
                self._compare(was, now)

    def _compare(self, was: FunctionNode, now: FunctionNode) -> None:
        before, after = Counter(_awaited(was)), Counter(_awaited(now))
        lost = before - after
        if not lost:
            return
        bare_before = Counter(ast.unparse(one) for one in walk(was) if isinstance(one, ast.Call)) - before
        for call in (one for one in walk(now) if isinstance(one, ast.Call)):
            text = ast.unparse(call)
            if lost[text] and not bare_before[text] and self._is_bare(call, now):
                lost[text] -= 1
                self.report(
                    self.module.span(call), f"{text[:60]} was awaited before this change, and is not now"
                )

    def _is_bare(self, call: ast.Call, function: FunctionNode) -> bool:
        parent = self.module.parents[call]
        if isinstance(parent, (ast.Await, *_HANDS_ON)):
            return False
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and self._is_kept(parent, function):
            return False
        found = self.callees.definition_of(call)
        return found is None or not isinstance(found.node, ast.FunctionDef) or bool(found.node.decorator_list)

    def _is_kept(self, given: ast.Assign | ast.AnnAssign | ast.NamedExpr, function: FunctionNode) -> bool:
        """Whether what is not awaited here is awaited later, or handed to somebody who may."""
        targets = given.targets if isinstance(given, ast.Assign) else [given.target]
        names = {one.id for one in targets if isinstance(one, ast.Name)}
        if not names:
            return not all(isinstance(one, ast.Tuple) for one in targets)
        return any(
            isinstance(one, ast.Await) and isinstance(one.value, ast.Name) and one.value.id in names
            for one in walk(function)
        )


def _awaited(function: FunctionNode) -> Iterator[str]:
    return (
        ast.unparse(one.value)
        for one in walk(function)
        if isinstance(one, ast.Await) and isinstance(one.value, ast.Call)
    )
