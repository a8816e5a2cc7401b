"""DC160."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.drift.word_checks import said, stale_words
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.kinds import Kind

_PATH = ".github/workflows/ci.yml"


def _job(minutes: int, comment: str = "half an hour, 30 minutes, is plenty") -> str:
    return f"on: push\njobs:\n  a:\n    # {comment}\n    timeout-minutes: {minutes}\n    steps: []\n"


class StaleWords(CiCheck):
    """A comment beside a setting says what this change made untrue.

    It states a number, a unit or a value that the change exchanged for another right below. Whoever reads it
    takes the setting for what it was. Change the comment in the same commit.
    """

    ID = "DC160"
    NAME = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "1,500 newest commits of each of 5 repositories, 7,413 with 9,210 changed files: no hit, "
        "so nothing wrong and "
        "nothing proven"
    )
    KINDS = frozenset(Kind)
    NEEDS = ("#",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_job(45), path=_PATH),
        Valid(_job(45, "45 minutes are plenty"), path=_PATH, base=_job(30, "30 minutes are plenty")),
        Valid(_job(45, "see #30"), path=_PATH, base=_job(30, "see #30")),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_job(45), 4, 21, path=_PATH, base=_job(30)),
        Invalid(
            "FROM a:1\n# checked every ten seconds\nHEALTHCHECK --interval=30s CMD curl -f "
            "http://localhost\n",
            2,
            17,
            path="Dockerfile",
            base="FROM a:1\n# checked every ten seconds\nHEALTHCHECK --interval=10s CMD curl -f "
            "http://localhost\n",
        ),
        Invalid(
            "#!/bin/sh\n# three tries\nretry 5 ./push.sh\n",
            2,
            3,
            path="a.sh",
            base="#!/bin/sh\n# three tries\nretry 3 ./push.sh\n",
        ),
    ]

    def run(self) -> None:
        from wardround.drift.worded_lines import HASH  # not needed where nothing changed

        for one in stale_words(self.source, HASH):
            self.report(*said(one))
