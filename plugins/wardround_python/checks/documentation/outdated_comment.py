"""PY095: outdated comment."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import describe, stale_comments
from wardround_python.check import PythonCheck


class OutdatedComment(PythonCheck):
    """A comment next to changed code states a value that the change replaced.

    A comment, docstring, message or help text states a number, default, unit, bound or value that the
    change replaced on an adjacent line. Readers act on the old value. Update the text in the same commit,
    or name the value and build the text from it.
    """

    ID = "PY095"
    NAME = "outdated-comment"
    DEFECT_CLASS = "stale-words"
    PREFILTER = "wardround_python.prefilters:loses_a_line"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    IN_TESTS = True
    VALID = [
        code("""
            # Three attempts in all: the carrier bans who knocks more often.
            patiently = retry(
                stop=after(8),
            )
        """),
        code(
            """
            # Eight attempts in all: the carrier bans who knocks more often.
            patiently = retry(
                stop=after(8),
            )
            """,
            base="""
            # Three attempts in all: the carrier bans who knocks more often.
            patiently = retry(
                stop=after(3),
            )
            """,
        ),
    ]
    INVALID = [
        code(
            """
            # «Three» attempts in all: the carrier bans who knocks more often.
            patiently = retry(
                stop=after(8),
            )
            """,
            base="""
            # Three attempts in all: the carrier bans who knocks more often.
            patiently = retry(
                stop=after(3),
            )
            """,
        ),
        code(
            """
            def due(rows):
                # «cancelled» orders never reach the ledger
                return [r for r in rows if r.state is not State.DRAFT]
            """,
            base="""
            def due(rows):
                # cancelled orders never reach the ledger
                return [r for r in rows if r.state is not State.CANCELLED]
            """,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        from wardround.semantics.docdrift.comment_lines import PYTHON  # not needed where nothing changed

        return bool(stale_comments(source, PYTHON))

    def visit_Module(self, node: ast.Module) -> None:
        from wardround.semantics.docdrift.comment_lines import PYTHON

        for item in stale_comments(self.source, PYTHON):
            self.report(*describe(item))
