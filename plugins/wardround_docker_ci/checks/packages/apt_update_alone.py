from __future__ import annotations

from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.apt import updates_alone


class AptUpdateAlone(CiCheck):
    """`apt-get update` runs in a layer of its own.

    The layer is cached, so a later install uses the lists of the day it was built: old versions, then 404.
    Put `apt-get update` and the install into one RUN.
    """

    ID = "DC012"
    NAME = "apt-update-alone"
    DEFECT_CLASS = "apt-update-alone"
    KINDS = DOCKERFILE
    NEEDS = ("apt",)
    VALID = [
        code("""
            FROM a:1
            RUN apt-get update && apt-get install -y curl
        """),
        code("""
            FROM a:1
            RUN apt-get update && ./install-packages.sh
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            RUN «apt-get update»
            RUN apt-get install -y curl
        """),
        code("""
            FROM a:1
            RUN «apt-get -y update» && apt-get clean
            RUN apt install -y curl
        """),
    ]

    def run(self) -> None:
        for command in updates_alone(self.file.scripts):
            self.report_at(
                command.start,
                command.end,
                "a later RUN installs from cached lists; update and install in one RUN",
            )
