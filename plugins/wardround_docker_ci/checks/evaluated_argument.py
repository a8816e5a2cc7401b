"""DC037."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import SCRIPTS, CiCheck

_ARGUMENT = LatePattern(r"(?<!\\)\$(?:[1-9@*]|\{[1-9@*](?::?[-+?][^}]*)?\})")


class EvaluatedArgument(CiCheck):
    """An argument of the script is evaluated as shell code.

    Whoever chooses the argument chooses what is run; a blank or a quote in it is enough. Run the words
    themselves: `"$@"`.
    """

    ID = "DC037"
    NAME = "evaluated-argument"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "shell-eval-argument"
    TRIED_ON = "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0"
    KINDS = SCRIPTS
    NEEDS = ("eval",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('eval "$(ssh-agent -s)"\n', path="a.sh"),
        Valid('exec "$@"\n', path="a.sh"),
        Valid("eval '$1'\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('eval "$1"\n', 1, 1, path="a.sh"),
        Invalid('run() {\n  eval "$@"\n}\n', 2, 3, path="a.sh"),
        Invalid("eval run $*\n", 1, 1, path="a.sh"),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                texts = [w.text for w in command.words[1:] if not w.raw.startswith("'")]
                if command.name == "eval" and any(_ARGUMENT.search(text) for text in texts):
                    self.report_at(command.start, command.end, "an argument of the script is run as code")
