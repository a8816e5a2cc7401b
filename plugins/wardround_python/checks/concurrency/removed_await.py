from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.analysis.changed_functions import rewritten_functions
from wardround_python.check import PythonCheck

_PASSES_ON = (ast.Call, ast.keyword, ast.Starred, ast.List, ast.Tuple, ast.Dict, ast.Lambda, ast.Yield)
"""Nodes that may receive a coroutine and await it."""
_WAITS = (ast.withitem, ast.AsyncFor)
"""Nodes that wait by themselves, if the call returns a context manager or an iterator."""


class RemovedAwait(PythonCheck):
    """A call that was awaited before the change is not awaited now.

    Without ``await`` the call does not run: the name is bound to a coroutine, which is always truthy, and
    the effect never happens. Restore the ``await``.
    """

    ID = "PY449"
    NAME = "removed-await"
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
        for before_function, after_function in rewritten_functions(self.source, self.module):
            if isinstance(before_function, ast.AsyncFunctionDef) and isinstance(
                after_function, ast.AsyncFunctionDef
            ):
                self._compare(before_function, after_function)

    def _compare(self, before_function: FunctionNode, after_function: FunctionNode) -> None:
        before, after = Counter(_awaited_calls(before_function)), Counter(_awaited_calls(after_function))
        removed = before - after
        if not removed:
            return
        bare_before = (
            Counter(unparse(node) for node in walk(before_function) if isinstance(node, ast.Call)) - before
        )
        for call in (child for child in walk(after_function) if isinstance(child, ast.Call)):
            text = unparse(call)
            if removed[text] and not bare_before[text] and self._is_bare(call, after_function):
                removed[text] -= 1
                self.report(
                    self.module.span(call), f"{text[:60]} was awaited before this change; restore the await"
                )

    def _is_bare(self, call: ast.Call, function: FunctionNode) -> bool:
        parent = self.module.parents[call]
        if isinstance(parent, (ast.Await, *_PASSES_ON, *_WAITS)):
            return False
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and self._is_awaited_later(
            parent, function
        ):
            return False
        definition = self.callees.definition_of(call)
        return (
            definition is None
            or not isinstance(definition.node, ast.FunctionDef)
            or bool(definition.node.decorator_list)
        )

    def _is_awaited_later(
        self, assignment: ast.Assign | ast.AnnAssign | ast.NamedExpr, function: FunctionNode
    ) -> bool:
        """Return True if the coroutine is awaited later, or passed to code that may await it."""
        targets = assignment.targets if isinstance(assignment, ast.Assign) else [assignment.target]
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if not names:
            return not all(isinstance(target, ast.Tuple) for target in targets)
        return any(
            isinstance(child, ast.Await) and isinstance(child.value, ast.Name) and child.value.id in names
            for child in walk(function)
        )


def _awaited_calls(function: FunctionNode) -> Iterator[str]:
    return (
        unparse(child.value)
        for child in walk(function)
        if isinstance(child, ast.Await) and isinstance(child.value, ast.Call)
    )
