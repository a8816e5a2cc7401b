"""PY454: removed raise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck
from wardround_python.checks.errors.validation_only_logged import only_logs


class RemovedRaise(PythonCheck):
    """A handler that raised before the change now only logs, and the function continues.

    The code after the ``try`` never ran after a failure: it now works with a name that is not set, or
    with rejected data. Raise, or return a result that signals the failure.
    """

    ID = "PY454"
    NAME = "removed-raise"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "swallowed-exception"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    WORDS = ("except",)
    VALID = [
        code(
            """
            def load(key):
                try:
                    row = find(key)
                except KeyError as e:
                    raise Unknown(key) from e
                return row.name
            """,
            base="""
            def load(key):
                try:
                    row = find(key)
                except KeyError as e:
                    raise Missing(key) from e
                return row.name
            """,
        ),
        code(
            """
            def load(key):
                try:
                    row = find(key)
                except KeyError as e:
                    logger.warning('no %s', e)
                    return ''
                return row.name
            """,
            base="""
            def load(key):
                try:
                    row = find(key)
                except KeyError as e:
                    raise Missing(key) from e
                return row.name
            """,
        ),
    ]
    INVALID = [
        code(
            """
            def load(key):
                try:
                    row = find(key)
                «except» KeyError as e:
                    logger.warning('no %s', e)
                return row.name
            """,
            base="""
            def load(key):
                try:
                    row = find(key)
                except KeyError as e:
                    raise Missing(key) from e
                return row.name
            """,
        ),
        code(
            """
            def load(key):
                try:
                    row = find(key)
                «except» KeyError as e:
                    pass
                return row.name
            """,
            base="""
            def load(key):
                try:
                    row = find(key)
                except KeyError as e:
                    raise Missing(key) from e
                return row.name
            """,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        for before, after in rewritten(self.source, self.module):
            raised = {key for key, _, handler in _handlers(before) if isinstance(handler.body[-1], ast.Raise)}
            for key, attempt, handler in _handlers(after):
                if key in raised and only_logs(handler) and self._continues(attempt):
                    self.report(
                        self.module.keyword_span(handler, len("except")),
                        "this handler raised before the change; the code after the try now runs anyway",
                    )

    def _continues(self, attempt: ast.Try) -> bool:
        """Return True if a statement follows in the same block, or the function then returns None."""
        parent = self.module.parents[attempt]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and attempt in block:
                return block[-1] is not attempt or isinstance(attempt.body[-1], ast.Return)
        return False


def _handlers(function: FunctionNode) -> Iterator[tuple[tuple[str, str], ast.Try, ast.ExceptHandler]]:
    """Yield the handlers of a function, each with what it catches and the last statement of its ``try``."""
    for node in walk(function):
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                kind = "" if handler.type is None else unparse(handler.type)
                yield (kind, unparse(node.body[-1])), node, handler
