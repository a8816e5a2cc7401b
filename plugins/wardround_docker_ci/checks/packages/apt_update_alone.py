"""DC012."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.apt import updates_alone


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
        for command in updates_alone(self.file.scripts):
            self.report_at(command.start, command.end, "a later RUN installs from lists that may be old")
