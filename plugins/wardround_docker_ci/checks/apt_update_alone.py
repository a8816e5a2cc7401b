"""DC012."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.programs import program, subcommand
from wardround_docker_ci.shell import Command, unwrapped

_USES_LISTS = frozenset(
    {"install", "upgrade", "dist-upgrade", "full-upgrade", "build-dep", "source", "satisfy"}
)


class AptUpdateAlone(CiCheck):
    """The package lists are fetched in a layer of their own.

    The layer is kept, so a later install sees lists of the day it was built: old versions, then 404. Put
    `apt-get update` and the install into one RUN.
    """

    ID = "DC012"
    NAME = "apt-update-alone"
    DEFECT_CLASS = "apt-update-alone"
    TRIED_ON = "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0"
    KINDS = DOCKERFILE
    NEEDS = ("apt",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nRUN apt-get update && apt-get install -y curl\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN apt-get update && ./install-packages.sh\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN <<EOF\napt-get update\napt-get install -y a\nEOF\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN apt-get update\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM a:1\nRUN apt-get update\nRUN apt-get install -y curl\n", line=2, column=5, path="Dockerfile"
        ),
        Invalid(
            "FROM a:1\nRUN apt-get -y update && apt-get clean\nRUN apt install -y curl\n",
            line=2,
            column=5,
            path="Dockerfile",
        ),
        Invalid(
            "FROM a:1\nWORKDIR /x\nRUN sudo apt update\nCOPY a b\nRUN x; apt-get install -y a\n",
            line=3,
            column=5,
            path="Dockerfile",
        ),
    ]

    def run(self) -> None:
        lonely: list[Command] = []
        for script in self.file.scripts:
            calls = [
                (c, subcommand(unwrapped(c))) for c in script.commands if program(c) in ("apt-get", "apt")
            ]
            updates = [command for command, what in calls if what == "update"]
            installs = any(what in _USES_LISTS for _, what in calls)
            if installs and not updates:
                for command in lonely:
                    self.report_at(
                        command.start, command.end, "a later RUN installs from lists that may be old"
                    )
                lonely = []
            others = {program(c) for c in script.commands} - {"apt-get", "apt", "rm", "echo", "set"}
            if updates and not installs and not others:
                lonely += updates
