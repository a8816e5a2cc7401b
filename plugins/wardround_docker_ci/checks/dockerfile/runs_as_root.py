from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.dockerfile import Stage, substitute
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, CiCheck

_ROOT = LazyPattern(r"(?:root|0)(?::.*)?$")


class RunsAsRoot(CiCheck):
    """The program of an image or service runs as root.

    A vulnerability in the program then gives an attacker root inside the container, one kernel bug away
    from the host. Create a user and switch to it with USER before CMD or ENTRYPOINT; switch back after
    steps that need root.
    """

    ID = "DC005"
    NAME = "runs-as-root"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "root-user"
    NEEDS = ("USER", "user")
    KINDS = DOCKERFILE | COMPOSE
    VALID = [
        code("""
            FROM alpine:3.20
            USER root
            RUN x
            USER app
            CMD ["a"]
        """),
        code("""
            FROM alpine:3.20 AS b
            USER root
            FROM b
            USER 1000
            CMD ["a"]
        """),
    ]
    INVALID = [
        code("""
            FROM alpine:3.20
            ARG RUN_AS=root
            USER «${RUN_AS}»
            CMD ["a"]
        """),
        code(
            """
            services:
              a:
                image: b:1
                user: "«0:0»"
            """,
            path="compose.yml",
        ),
    ]

    def run(self) -> None:
        for service in self.file.services if self.file.kind in COMPOSE else ():
            user = service.node.scalar("user")
            if user is not None and _ROOT.match(user.value):
                text = self.file.passage(user)
                self.report_at(
                    text.start,
                    text.end,
                    f'"{service.name}" runs as root; set another user',
                    severity=Severity.INFO,
                )
        if self.file.kind not in DOCKERFILE:
            return
        for stage in self.file.dockerfile.shipped:
            users = stage.all("USER")
            if users:
                if _ROOT.match(self._default_user(stage, users[-1].text)):
                    word = users[-1].words[0]
                    self.report_at(
                        word.start,
                        word.end,
                        "the last USER is root, so the program runs as root; switch to another user",
                    )
                return

    def _default_user(self, stage: Stage, user: str) -> str:
        """Return the user of an instruction with the defaults of its arguments."""
        pairs = [pair for instruction in stage.all("ARG", "ENV") for pair in instruction.pairs]
        values = {pair.name.text: pair.value.text for pair in pairs if pair.value is not None}
        return (substitute(user, dict(values)) or user) if "$" in user else user
