"""DC013."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.apt import calls, updates_alone


class AptListsKept(CiCheck):
    """The package lists of apt-get stay in the image.

    They are tens of megabytes without use, and deleting them in a later RUN frees nothing. Add `&& rm -rf
    /var/lib/apt/lists/*` to the same RUN, or mount the directory as a cache.
    """

    ID = "DC013"
    NAME = "apt-lists-kept"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "apt-cache-left"
    KINDS = DOCKERFILE
    NEEDS = ("apt",)
    VALID = [
        code("""
            FROM a:1
            RUN apt-get update && apt-get install -y a && rm -rf /var/lib/apt/lists/*
        """),
        code("""
            FROM a:1 AS b
            RUN apt-get update
            FROM c:1
            COPY --from=b /x /x
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            RUN apt-get update && «apt-get install -y a»
        """),
        code("""
            FROM a:1 AS b
            RUN «apt-get update» && x
            FROM b
            RUN y
        """),
    ]

    def run(self) -> None:
        alone = {command.start for command in updates_alone(self.file.scripts)}  # DC012 reports these
        shipped = {id(one) for stage in self.file.dockerfile.shipped for one in stage.instructions}
        for script in self.file.scripts:
            text = script.passage.text
            mounts = " ".join(value.text for name, value in script.owner.flags if name == "mount")
            if id(script.owner) not in shipped or "/var/lib/apt" in text or "/var/lib/apt" in mounts:
                continue
            apt_calls = calls(script)
            update = next((command for command, what in apt_calls if what == "update"), None)
            if update is not None and update.start not in alone:
                place = next((command for command, what in apt_calls if what == "install"), update)
                self.report_at(
                    place.start, place.end, "the package lists stay in the image; remove them in the same RUN"
                )
