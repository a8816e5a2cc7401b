"""PY449."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck

_HANDS_ON = (ast.Call, ast.keyword, ast.Starred, ast.List, ast.Tuple, ast.Dict, ast.Lambda, ast.Yield)
"""What may take something to be awaited, and see to it."""


class RemovedAwait(PythonCheck):
    """The same call was awaited before the change, and is not any more.

    Without ``await`` nothing runs: the name gets a coroutine that is true whatever the answer would be, and
    what the call was to do never happens. Put it back.
    """

    ID = "PY449"
    NAME = "removed-await"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "missing-await"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    WORDS = ("async ",)
    VALID = [
        code(
            """
            async def load(key):
                row = await store.find(key)
                return row
            """,
            base="""
            async def load(key):
                row = await store.find(key)
                return row.name
            """,
        ),
        code(
            """
            async def load(key):
                row = store.find_now(key)
                return row.name
            """,
            base="""
            async def load(key):
                row = await store.find(key)
                return row.name
            """,
        ),
    ]
    INVALID = [
        code(
            """
            async def load(key):
                row = «store.find(key)»
                return row.name
            """,
            base="""
            async def load(key):
                row = await store.find(key)
                return row.name
            """,
        ),
        code(
            """
            async def close(box):
                «box.flush(1)»
                await box.close()
                log('closed')
            """,
            base="""
            async def close(box):
                await box.flush(1)
                await box.close()
            """,
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
