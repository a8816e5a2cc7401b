"""DC040: empty continuation."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import SuggestedFix
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class EmptyContinuation(CiCheck):
    """An empty line is inside a continued instruction.

    Docker still joins the lines around it, with a warning that this will become an error; readers take the
    line for the end of the instruction. Delete it.
    """

    ID = "DC040"
    NAME = "empty-continuation"
    MATURITY = Maturity.PREVIEW
    KINDS = DOCKERFILE
    VALID = [
        code(r"""
            FROM a:1
            RUN a && \
                # why
                b

            RUN c
        """),
        code("""
            FROM a:1
            RUN <<EOF
            a

            b
            EOF
        """),
    ]
    INVALID = [
        code(
            r"""
            FROM a:1
            RUN a && \
            «»
                b
            """,
            fixed=r"""
            FROM a:1
            RUN a && \
                b
            """,
        ),
        code(r"""
            FROM a:1
            RUN a \
              # x
            «»

              b
            RUN c
        """),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            if one.blank_lines and one.blank_lines[-1] < one.end:
                inside = [at for at in one.blank_lines if at < one.end]
                edits = tuple(edit for at in inside for edit in self._deleted(at).edits)
                fix = SuggestedFix("delete the empty line", True, edits)
                self.report_at(
                    inside[0], inside[0], "empty line inside a continued instruction; delete it", fix
                )

    def _deleted(self, at: int) -> SuggestedFix:
        next_line = self.file.places.line_start(self.file.places.line(at) + 1)
        return self.replacing(at, next_line, "", "", safe=True)
