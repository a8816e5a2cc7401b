"""DC005."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.dockerfile import Stage, substituted
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, CiCheck

_ROOT = LazyPattern(r"(?:root|0)(?::.*)?$")


class RunsAsRoot(CiCheck):
    """The image's program runs as root.

    A hole in the program then gives an attacker root inside the container, one kernel bug away from the host.
    Create a user and switch to it with USER before CMD or ENTRYPOINT; switch back where a last step needed
    root.
    """

    ID = "DC005"
    NAME = "runs-as-root"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "root-user"
    NEEDS = ("USER", "user")
    TRIED_ON = "trees of 27 repositories: 5 hits; 640 commits of 16 that touch such files: 0"
    KINDS = DOCKERFILE | COMPOSE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('FROM alpine:3.20\nUSER root\nRUN x\nUSER app\nCMD ["a"]\n', path="Dockerfile"),
        Valid('FROM alpine:3.20 AS b\nUSER root\nFROM b\nUSER 1000\nCMD ["a"]\n', path="Dockerfile"),
        Valid('FROM alpine:3.20\nUSER $APP_USER\nCMD ["a"]\n', path="Dockerfile"),
        Valid("FROM alpine:3.20\nUSER rooty\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('FROM alpine:3.20\nARG RUN_AS=root\nUSER ${RUN_AS}\nCMD ["a"]\n', 3, 6, path="Dockerfile"),
        Invalid('services:\n  a:\n    image: b:1\n    user: "0:0"\n', line=4, column=12, path="compose.yml"),
        Invalid('FROM alpine:3.20\nUSER root\nCMD ["a"]\n', line=2, column=6, path="Dockerfile"),
        Invalid(
            'FROM alpine:3.20\nUSER app\nRUN x\nUSER 0:0\nENTRYPOINT ["a"]\n',
            line=4,
            column=6,
            path="Dockerfile",
        ),
        Invalid('FROM a:1 AS b\nUSER root\nFROM b\nCMD ["a"]\n', line=2, column=6, path="Dockerfile"),
    ]

    def run(self) -> None:
        for service in self.file.services if self.file.kind in COMPOSE else ():
            user = service.node.scalar("user")
            if user is not None and _ROOT.match(user.value):
                text = self.file.passage(user)
                self.report_at(text.start, text.end, f'"{service.name}" runs as root', severity=Severity.INFO)
        if self.file.kind not in DOCKERFILE:
            return
        for stage in self.file.dockerfile.shipped:
            users = stage.all("USER")
            if users:
                if _ROOT.match(self._by_default(stage, users[-1].text)):
                    word = users[-1].words[0]
                    self.report_at(word.start, word.end, "the last USER is root, so the program runs as root")
                return

    def _by_default(self, stage: Stage, user: str) -> str:
        """The user that is meant where nobody sets the argument the instruction names."""
        pairs = [pair for one in stage.all("ARG", "ENV") for pair in one.pairs]
        values = {pair.name.text: pair.value.text for pair in pairs if pair.value is not None}
        return (substituted(user, dict(values)) or user) if "$" in user else user
