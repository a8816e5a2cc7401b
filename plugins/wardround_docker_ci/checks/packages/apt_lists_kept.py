"""DC013."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.apt import calls, updates_alone


class AptListsKept(CiCheck):
    """The lists of all packages stay in the image.

    They are tens of megabytes nobody needs, and deleting them in a later RUN frees nothing. Add
    `&& rm -rf /var/lib/apt/lists/*` to the same RUN, or mount the folder as a cache.
    """

    ID = "DC013"
    NAME = "apt-lists-kept"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "apt-cache-left"
    TRIED_ON = "trees of 27 repositories: 38 hits; 640 commits of 16 that touch such files: 0"
    KINDS = DOCKERFILE
    NEEDS = ("apt",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "FROM a:1\nRUN apt-get update && apt-get install -y a && rm -rf /var/lib/apt/lists/*\n",
            path="Dockerfile",
        ),
        Valid("FROM a:1 AS b\nRUN apt-get update\nFROM c:1\nCOPY --from=b /x /x\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN --mount=type=cache,target=/var/lib/apt apt-get update\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN apt-get update\nRUN apt-get install -y a\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM a:1\nRUN apt-get update && apt-get install -y a\n", line=2, column=23, path="Dockerfile"
        ),
        Invalid(
            "FROM a:1 AS b\nRUN apt-get update && x\nFROM b\nRUN y\n", line=2, column=5, path="Dockerfile"
        ),
        Invalid(
            "FROM a:1\nRUN x && \\\n  apt-get update\nRUN rm -rf /var/lib/apt/lists/*\n",
            line=3,
            column=3,
            path="Dockerfile",
        ),
    ]

    def run(self) -> None:
        alone = {command.start for command in updates_alone(self.file.scripts)}  # DC012 asks for one step
        shipped = {id(one) for stage in self.file.dockerfile.shipped for one in stage.instructions}
        for script in self.file.scripts:
            text = script.passage.text
            mounts = " ".join(value.text for name, value in script.owner.flags if name == "mount")
            if id(script.owner) not in shipped or "/var/lib/apt" in text or "/var/lib/apt" in mounts:
                continue
            told = calls(script)
            update = next((command for command, what in told if what == "update"), None)
            if update is not None and update.start not in alone:
                place = next((command for command, what in told if what == "install"), update)
                self.report_at(place.start, place.end, "the package lists stay in the image")
