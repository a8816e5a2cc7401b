"""DC211: errexit on zero increment."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.contents.scripts import EmbeddedScript
from wardround_docker_ci.file_kinds import FileKind

_COUNTS = LazyPattern(
    r"^[ \t]*(?:\(\([ \t]*(\w+)\+\+[ \t]*\)\)|let[ \t]+[\"']?(\w+)\+\+[\"']?)[ \t]*(?:#.*)?$", re.MULTILINE
)
_STOPS = LazyPattern(r"^[ \t]*set[ \t]+-\w*e|^#!.*sh[ \t]+-\w*e|set -o errexit", re.MULTILINE)
_FROM_ZERO = r"(?:^|[\s;]){}=[\"']?0[\"']?(?:\s|;|$)"


class ErrexitOnZeroIncrement(CiCheck):
    """`((count++))` exits a script with `set -e` when the count is 0.

    The expression has the value before the increment, and an arithmetic command with the value 0 fails.
    Write `count=$((count + 1))`.
    """

    ID = "DC211"
    NAME = "errexit-on-zero-increment"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "counted-from-zero"
    KINDS = STEPS | {FileKind.SHELL}
    NEEDS = ("++",)
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            n=0
            ((n++))
        """),
        code("""
            set -e
            n=0
            n=$((n + 1))
            ((n++)) || true
        """),
    ]
    INVALID = [
        code("""
            #!/bin/bash
            set -euo pipefail
            n=0
            «((n++))»
        """),
        code("""
            #!/bin/bash
            set -e
            f() {
              local n=0
              for x in a b; do
                «let n++»
              done
            }
        """),
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
                        start,
                        end,
                        f"set -e exits the script here while {name} is 0; use {name}=$(({name} + 1))",
                    )

    def _stops(self, script: EmbeddedScript) -> bool:
        if self.file.kind is FileKind.SHELL:
            return _STOPS.search(script.passage.text) is not None
        shell = self.file.workflow.shell(script.job, script.owner)
        return shell in ("", "bash") and "set +e" not in script.passage.text
