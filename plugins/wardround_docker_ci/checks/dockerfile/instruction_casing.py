"""DC041."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround.languages.dockerfile import INSTRUCTIONS
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class InstructionCasing(CiCheck):
    """Some instructions are written in capitals and some are not.

    A reader who looks for `FROM` and `RUN` misses the others. Write all of them alike, best in capitals.
    """

    ID = "DC041"
    NAME = "instruction-casing"
    SEVERITY = Severity.INFO
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nRUN b\n", path="Dockerfile"),
        Valid("from a:1\nrun b\n", path="Dockerfile"),
        Valid("FROM a:1\nnonsense b\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1\nrun b\n", line=2, column=1, path="Dockerfile", fixed="FROM a:1\nRUN b\n"),
        Invalid("FROM a:1\n  Copy b c\nRUN d\n", line=2, column=3, path="Dockerfile"),
        Invalid('from a:1\nrun b\nCMD ["c"]\n', line=3, column=1, path="Dockerfile"),
    ]

    def run(self) -> None:
        known = [one for one in self.file.dockerfile.instructions if one.keyword in INSTRUCTIONS]
        low = [one for one in known if one.written.text.islower()]
        wanted = str.lower if len(low) > len(known) / 2 else str.upper
        for one in known:
            right = wanted(one.written.text)
            if one.written.text != right:
                fix = self.replacing(one.written.start, one.written.end, right, f"write {right}", safe=True)
                self.report_at(
                    one.written.start, one.written.end, f"{right} in the other instructions' case", fix
                )
