"""DC040."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import SuggestedFix
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class EmptyContinuation(CiCheck):
    """An empty line stands inside a continued instruction.

    Docker still joins the lines around it, with a warning that this will become an error; people read the
    line as the end of the instruction. Delete it.
    """

    ID = "DC040"
    NAME = "empty-continuation"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nRUN a && \\\n    # why\n    b\n\nRUN c\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN <<EOF\na\n\nb\nEOF\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN a\n\n\nRUN b\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM a:1\nRUN a && \\\n\n    b\n",
            line=3,
            column=1,
            path="Dockerfile",
            fixed="FROM a:1\nRUN a && \\\n    b\n",
        ),
        Invalid("FROM a:1\nENV A=1 \\\n  B=2 \\\n  \n  C=3\n", line=4, column=1, path="Dockerfile"),
        Invalid("FROM a:1\nRUN a \\\n  # x\n\n\n  b\nRUN c\n", line=4, column=1, path="Dockerfile"),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            if one.blank_lines and one.blank_lines[-1] < one.end:
                inside = [at for at in one.blank_lines if at < one.end]
                edits = tuple(edit for at in inside for edit in self._deleted(at).edits)
                fix = SuggestedFix("delete the empty line", True, edits)
                self.report_at(inside[0], inside[0], "an empty line inside a continued instruction", fix)

    def _deleted(self, at: int) -> SuggestedFix:
        behind = self.file.places.line_start(self.file.places.line(at) + 1)
        return self.replacing(at, behind, "", "", safe=True)
