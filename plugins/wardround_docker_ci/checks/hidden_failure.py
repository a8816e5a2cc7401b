"""DC033."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround_docker_ci.check import PIPELINES, CiCheck
from wardround_docker_ci.kinds import Kind
from wardround_docker_ci.programs import is_test
from wardround_docker_ci.shell import Command

_NOTHING = frozenset({"true", ":", "/bin/true"})


class HiddenFailure(CiCheck):
    """A test or lint command cannot fail: what follows it makes the step succeed.

    The pipeline is then green whatever the tests say, and nobody looks. Let it fail, or drop the step.
    """

    ID = "DC033"
    NAME = "hidden-failure"
    PLANE = Plane.TESTS
    DEFECT_CLASS = "hidden-failure"
    TRIED_ON = (
        "trees of 27 repositories: 3 hits; "
        "640 commits of 16 that touch such files: 0; hits that a comment explains are passed over"
    )
    KINDS = PIPELINES | {Kind.SHELL}
    NEEDS = ("||",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("rm x || true\nnpm test || exit 1\n", path="a.sh"),
        Valid("npm test || { cat log; exit 1; }\n", path="a.sh"),
        Valid("pytest --version || true\n", path="a.sh"),
        Valid("pytest -q || status=$?\nexit $status\n", path="a.sh"),
        Valid("cd tests || true\npytest\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: npm test || true\n",
            6,
            14,
            path=".github/workflows/a.yml",
        ),
        Invalid("a:\n  script:\n    - poetry run pytest tests || true\n", 3, 7, path=".gitlab-ci.yml"),
        Invalid("node { sh 'make lint || :' }\n", 1, 12, path="Jenkinsfile"),
        Invalid("go test ./... ||\n  true\n", 1, 1, path="ci.sh"),
        Invalid("python -m pytest -q || echo failed\n", 1, 1, path="ci.sh"),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            commands = script.commands
            for at, (command, following) in enumerate(pairwise(commands)):
                last = following.after in ("\n", "", ";", ")")
                hides = command.after == "||" and last and _does_nothing(following)
                if hides and is_test(command) and not self._is_told(commands, at):
                    self.report_at(command.start, following.end, "whatever the tests say, this step succeeds")

    def _is_told(self, commands: Sequence[Command], at: int) -> bool:
        """Whether the output is looked at elsewhere, or a comment says that failing is all right."""
        command = commands[at]
        if self.file.is_explained(command.start):
            return True
        return command.before == "|" or any(r.sign in (">", ">>", "&>") for r in command.redirects)


def _does_nothing(command: Command) -> bool:
    return command.name in _NOTHING or (command.name == "echo" and not command.redirects)
