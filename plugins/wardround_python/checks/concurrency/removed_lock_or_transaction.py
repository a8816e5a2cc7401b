from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.changed_functions import rewritten_functions
from wardround_python.check import PythonCheck

_GUARDS = LazyPattern(
    r"(?i)(?:^|[^a-z])r?locks?(?![a-z])|lock\(|mutex|semaphore|atomic|transaction|begin_nested|savepoint|time_?out"
    r"|fail_after"
)
_SHORT = 8
"""Longest statement that is too short to identify one position."""


class RemovedLockOrTransaction(PythonCheck):
    """Statements ran under a lock, transaction, limit or ``finally`` before the change, and run bare now.

    On a failure the cleanup is skipped, another thread interferes, or a partial update remains. Restore
    the block around them.
    """

    ID = "PY451"
    NAME = "removed-lock-or-transaction"
    DEFECT_CLASS = "removed-safety"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    VALID = [
        code(
            """
            @contextmanager
            def quiet(bell):
                bell.mute()
                yield bell
            """,
            base="""
            @contextmanager
            def quiet(bell):
                bell.mute()
                try:
                    yield bell
                finally:
                    bell.unmute()
            """,
        ),
        code(
            """
            class A:
                def put(self, one):
                    with self._lock:
                        self.heap.push(one)
            """,
            base="""
            class A:
                def put(self, one):
                    with self.mutex:
                        self.heap.push(one)
            """,
        ),
    ]
    INVALID = [
        code(
            """
            class A:
                def put(self, one):
                    «s»elf.heap.push(one)
            """,
            base="""
            class A:
                def put(self, one):
                    with self.mutex:
                        self.heap.push(one)
            """,
        ),
        code(
            """
            async def wait(self):
                self.asked = True
                «a»wait self.answer.wait_for_it()
            """,
            base="""
            async def wait(self):
                async with timeout(5):
                    await self.answer.wait_for_it()
            """,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        for before, after in rewritten_functions(self.source, self.module):
            if len(after.decorator_list) > len(before.decorator_list):
                continue
            self._compare(before, after)

    def _compare(self, before: FunctionNode, after: FunctionNode) -> None:
        kinds = (ast.Try, ast.With, ast.AsyncWith)
        blocks = [node for node in nodes_run_by(before.body) if isinstance(node, kinds)]
        bare = {unparse(node): node for node in _bare(after)} if blocks else {}
        for node in blocks:
            if not isinstance(node, ast.Try):
                self._check_with(node, bare)
            elif node.finalbody:
                self._check_finally(node, bare)

    def _check_finally(self, node: ast.Try, bare: dict[str, ast.stmt]) -> None:
        bare_block = _bare_statements(node.finalbody, bare)
        if bare_block and len(bare_block) == len(node.finalbody) and _bare_statements(node.body, bare):
            message = "this ran in a finally block before this change and is now skipped on an exception"
            self.report(self.module.span(bare_block[0]), message)

    def _check_with(self, node: ast.With | ast.AsyncWith, bare: dict[str, ast.stmt]) -> None:
        guards = [unparse(item.context_expr) for item in node.items]
        guard = next((text for text in guards if _GUARDS.search(text)), None)
        bare_block = _bare_statements(node.body, bare)
        if guard is not None and len(bare_block) == len(node.body) and not self._is_moved(guard):
            message = f"this ran under {guard[:60]} before this change and no longer does; restore it"
            self.report(self.module.keyword_span(bare_block[0], 1), message)

    def _is_moved(self, guard: str) -> bool:
        """Return True if the guard occurs as often as before, or an added line contains a similar one."""
        if self.source.text.count(guard) >= (self.source.base_text or "").count(guard):
            return True
        return any(_GUARDS.search(line) for line in self.source.added_text.split("\n"))


def _bare(function: FunctionNode) -> Iterator[ast.stmt]:
    """Yield the statements outside every guarding ``with`` and every ``try`` with ``finally``."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Try) and node.finalbody:
            continue
        if isinstance(node, (ast.With, ast.AsyncWith)) and any(
            _GUARDS.search(unparse(item.context_expr)) for item in node.items
        ):
            continue
        if isinstance(node, ast.stmt):
            yield node
        stack += [
            child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.stmt, ast.ExceptHandler))
        ]


def _bare_statements(block: Sequence[ast.stmt], bare: dict[str, ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a block that occur bare somewhere, unchanged."""
    texts = [unparse(item) for item in block]
    return [bare[text] for text in texts if text in bare and (len(text) > _SHORT or text.startswith("yield"))]
