"""PY454."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck
from wardround_python.checks.errors.validation_only_logged import only_tells


class RemovedRaise(PythonCheck):
    """A handler raised before the change; now it logs at most, and the function goes on.

    What comes after the ``try`` was never reached without what the ``try`` gives: it works on a name that
    is not set, or on what was refused. Raise, or leave with an answer that says so.
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
        for was, now in rewritten(self.source, self.module):
            raised = {told for told, _, handler in _handlers(was) if isinstance(handler.body[-1], ast.Raise)}
            for told, attempt, handler in _handlers(now):
                if told in raised and only_tells(handler) and self._goes_on(attempt):
                    self.report(
                        self.module.keyword_span(handler, len("except")),
                        "this raised before the change; now what follows the try is done all the same",
                    )

    def _goes_on(self, attempt: ast.Try) -> bool:
        """Whether something follows in the same block, or the end of the function gives None in its place."""
        parent = self.module.parents[attempt]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and attempt in block:
                return block[-1] is not attempt or isinstance(attempt.body[-1], ast.Return)
        return False


def _handlers(function: FunctionNode) -> Iterator[tuple[tuple[str, str], ast.Try, ast.ExceptHandler]]:
    """The handlers of a function, each with what it catches and what the attempt does last."""
    for node in walk(function):
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                kind = "" if handler.type is None else ast.unparse(handler.type)
                yield (kind, ast.unparse(node.body[-1])), node, handler
