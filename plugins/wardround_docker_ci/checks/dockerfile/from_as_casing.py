"""DC042."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class FromAsCasing(CiCheck):
    """FROM and its AS are written in different case.

    They are one instruction; a reader who looks for ` AS ` to find the stages misses this one.
    """

    ID = "DC042"
    NAME = "from-as-casing"
    SEVERITY = Severity.INFO
    TRIED_ON = "trees of 27 repositories: 42 hits; 640 commits of 16 that touch such files: 12"
    KINDS = DOCKERFILE
    NEEDS = (" as ", " AS ", " As ", " aS ")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1 AS b\n", path="Dockerfile"),
        Valid("from a:1 as b\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN x as y\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1 as b\n", line=1, column=10, path="Dockerfile", fixed="FROM a:1 AS b\n"),
        Invalid("from a:1 AS b\n", line=1, column=10, path="Dockerfile", fixed="from a:1 as b\n"),
        Invalid("FROM --platform=x a:1  As b\n", line=1, column=24, path="Dockerfile"),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            written = stage.start.written.text
            if stage.name is None or not (written.isupper() or written.islower()):
                continue
            word = stage.start.words[1]
            right = "AS" if written.isupper() else "as"
            if word.text != right:
                fix = self.replacing(word.start, word.end, right, f"write {right}", safe=True)
                self.report_at(word.start, word.end, f"{written} and {word.text} in different case", fix)
