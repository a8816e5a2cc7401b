from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind

_BY_NUMBER = LazyPattern(
    r"(?<![\w/.-])/(?:var/)?tmp/[\w./-]*\$(?:\$|\{\$\}|RANDOM|\{RANDOM\}|BASHPID)[\w.-]*"
)


class PredictableTempFile(CiCheck):
    """A file in `/tmp` has a predictable name.

    Another user of the machine can create a link there first, and the script then writes through it, or
    reads their data. Get the name from `mktemp`.
    """

    ID = "DC123"
    NAME = "predictable-temp-file"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    KINDS = frozenset({FileKind.SHELL})
    NEEDS = ("tmp",)
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            t=$(mktemp /tmp/x.XXXXXX)
        """),
        code("""
            echo x > $HOME/tmp/x.$$
        """),
    ]
    INVALID = [
        code("""
            echo x > «/tmp/x.$$»
        """),
        code("""
            T="«/tmp/run-${$}»"
            rm -f "$T"
        """),
    ]

    def run(self) -> None:
        text = self.file.text
        found = next((m for m in _BY_NUMBER.finditer(text) if not _is_comment(text, m.start())), None)
        if found is not None:
            self.report_at(
                found.start(),
                found.end(),
                "the name is predictable and another user can create it first; use mktemp",
            )


def _is_comment(text: str, at: int) -> bool:
    return "#" in text[text.rfind("\n", 0, at) + 1 : at]
