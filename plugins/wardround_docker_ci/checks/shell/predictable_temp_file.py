"""DC123."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind

_BY_NUMBER = LazyPattern(
    r"(?<![\w/.-])/(?:var/)?tmp/[\w./-]*\$(?:\$|\{\$\}|RANDOM|\{RANDOM\}|BASHPID)[\w.-]*"
)


class PredictableTempFile(CiCheck):
    """A file in `/tmp` has a name that others can guess.

    Whoever has an account on the machine can put a link there first, and the script then writes through it,
    or reads what they wrote. Take the name from `mktemp`.
    """

    ID = "DC123"
    NAME = "predictable-temp-file"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    TRIED_ON = "trees of 85 repositories with 853 scripts: 5 hits in one repository, all true"
    KINDS = frozenset({FileKind.SHELL})
    NEEDS = ("tmp",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("t=$(mktemp /tmp/x.XXXXXX)\n", path="a.sh"),
        Valid("echo x > $HOME/tmp/x.$$\n", path="a.sh"),
        Valid("# was /tmp/x.$$\nt=$(mktemp)\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("echo x > /tmp/x.$$\n", line=1, column=10, path="a.sh"),
        Invalid('T="/tmp/run-${$}"\nrm -f "$T"\n', line=1, column=4, path="a.sh"),
        Invalid("#!/bin/bash\nmkdir /var/tmp/build$RANDOM\n", line=2, column=7, path="a.sh"),
    ]

    def run(self) -> None:
        text = self.file.text
        found = next((m for m in _BY_NUMBER.finditer(text) if not _is_comment(text, m.start())), None)
        if found is not None:
            self.report_at(found.start(), found.end(), "others can guess this name and be there first")


def _is_comment(text: str, at: int) -> bool:
    return "#" in text[text.rfind("\n", 0, at) + 1 : at]
