"""DC211."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.document import EmbeddedScript
from wardround_docker_ci.file_kinds import FileKind

_COUNTS = LazyPattern(
    r"^[ \t]*(?:\(\([ \t]*(\w+)\+\+[ \t]*\)\)|let[ \t]+[\"']?(\w+)\+\+[\"']?)[ \t]*(?:#.*)?$", re.MULTILINE
)
_STOPS = LazyPattern(r"^[ \t]*set[ \t]+-\w*e|^#!.*sh[ \t]+-\w*e|set -o errexit", re.MULTILINE)
_FROM_ZERO = r"(?:^|[\s;]){}=[\"']?0[\"']?(?:\s|;|$)"


class ErrexitOnZeroIncrement(CiCheck):
    """`((count++))` ends the script the first time, when the count is 0.

    It has the value before it counts, and an arithmetic command whose value is 0 has failed, at which
    `set -e` stops. Write `count=$((count + 1))`.
    """

    ID = "DC211"
    NAME = "errexit-on-zero-increment"
    DEFECT_CLASS = "counted-from-zero"
    TRIED_ON = "trees of 27 repositories: no hit"
    KINDS = STEPS | {FileKind.SHELL}
    NEEDS = ("++",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("n=0\n((n++))\n", path="a.sh"),
        Valid("set -e\nn=0\nn=$((n + 1))\n((n++)) || true\n", path="a.sh"),
        Valid("set -e\nn=1\n((n++))\n((++n))\n", path="a.sh"),
        Valid("set -e\nfor ((i = 0; i < 3; i++)); do echo; done\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("#!/bin/bash\nset -euo pipefail\nn=0\n((n++))\n", line=4, column=1, path="a.sh"),
        Invalid(
            "#!/bin/bash\nset -e\nf() {\n  local n=0\n  for x in a b; do\n    let n++\n  done\n}\n",
            line=6,
            column=5,
            path="a.sh",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    steps:\n      - run: |\n          n=0\n"
            "          (( n++ ))\n          make\n",
            line=7,
            column=11,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            text = script.passage.text
            for found in _COUNTS.finditer(text) if self._stops(script) else ():
                name = found.group(1) or found.group(2)
                before = text[: found.start()]
                if re.search(_FROM_ZERO.format(name), before):
                    start = (
                        script.passage.start
                        + found.start()
                        + len(found.group())
                        - len(found.group().lstrip())
                    )
                    end = script.passage.start + found.end()
                    self.report_at(
                        start, end, f"with {name} at 0 this has failed, and set -e ends the script"
                    )

    def _stops(self, script: EmbeddedScript) -> bool:
        if self.file.kind is FileKind.SHELL:
            return _STOPS.search(script.passage.text) is not None
        shell = self.file.workflow.shell(script.job, script.owner)
        return shell in ("", "bash") and "set +e" not in script.passage.text
