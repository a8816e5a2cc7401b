"""PY451."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck

_HOLDS = LazyPattern(
    r"(?i)(?:^|[^a-z])r?locks?(?![a-z])|lock\(|mutex|semaphore|atomic|transaction|begin_nested|savepoint|time_?out"
    r"|fail_after"
)
_SHORT = 8
"""Statements of so few letters stand in many places."""


class RemovedLockOrTransaction(PythonCheck):
    """The same statements ran under a lock, in a transaction, within a limit or before a ``finally``, and run
    bare now.

    What must happen at the end does not when something fails, another thread comes in between, or half of
    it stays. Put the block back around them.
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
        for was, now in rewritten(self.source, self.module):
            if len(now.decorator_list) > len(was.decorator_list):
                continue
            self._compare(was, now)

    def _compare(self, was: FunctionNode, now: FunctionNode) -> None:
        blocks = [
            one for one in nodes_run_by(was.body) if isinstance(one, (ast.Try, ast.With, ast.AsyncWith))
        ]
        bare = {ast.unparse(one): one for one in _bare(now)} if blocks else {}
        for node in blocks:
            if isinstance(node, ast.Try) and node.finalbody:
                left = _standing(node.finalbody, bare)
                first = _standing(node.body, bare)
                if left and first and len(left) == len(node.finalbody):
                    told = "ran in a finally before this change, and is left out now when something fails"
                    self.report(self.module.span(left[0]), f"this {told}")
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                held = [ast.unparse(item.context_expr) for item in node.items]
                word = next((one for one in held if _HOLDS.search(one)), None)
                left = _standing(node.body, bare)
                if word is not None and len(left) == len(node.body) and not self._is_held_elsewhere(word):
                    told = f"ran under {word[:60]} before this change, and does not now"
                    self.report(self.module.keyword_span(left[0], 1), f"this {told}")

    def _is_held_elsewhere(self, word: str) -> bool:
        """Whether it is taken as often as before, or something like it by a line that the change brought."""
        if self.source.text.count(word) >= (self.source.base_text or "").count(word):
            return True
        return any(_HOLDS.search(line) for line in self.source.added_text.split("\n"))


def _bare(function: FunctionNode) -> Iterator[ast.stmt]:
    """The statements of a function that stand in no ``with`` that holds and no ``try`` with ``finally``."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Try) and node.finalbody:
            continue
        if isinstance(node, (ast.With, ast.AsyncWith)) and any(
            _HOLDS.search(ast.unparse(item.context_expr)) for item in node.items
        ):
            continue
        if isinstance(node, ast.stmt):
            yield node
        stack += [one for one in ast.iter_child_nodes(node) if isinstance(one, (ast.stmt, ast.ExceptHandler))]


def _standing(block: Sequence[ast.stmt], bare: dict[str, ast.stmt]) -> list[ast.stmt]:
    """The statements of a block that stand bare somewhere, as they were."""
    texts = [ast.unparse(one) for one in block]
    return [bare[text] for text in texts if text in bare and (len(text) > _SHORT or text.startswith("yield"))]
