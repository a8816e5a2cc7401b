from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.contents.scripts import EmbeddedScript
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
        shipped = {id(step) for stage in self.file.dockerfile.shipped for step in stage.instructions}
        for script in self.file.scripts:
            update = _first(script, "update")
            if update is None or update.start in alone or id(script.owner) not in shipped:
                continue
            if not _handles_lists(script):
                location = _first(script, "install") or update
                message = "the package lists stay in the image; remove them in the same RUN"
                self.report_at(location.start, location.end, message)


def _first(script: EmbeddedScript, subcommand: str) -> Command | None:
    return next((command for command, name in calls(script) if name == subcommand), None)


def _handles_lists(script: EmbeddedScript) -> bool:
    """Return True if dist-clean removes the package lists, or the script or a mount refers to them."""
    mounts = " ".join(value.text for name, value in script.owner.flags if name == "mount")
    is_cleaned = any(name in ("dist-clean", "distclean") for _, name in calls(script))
    return is_cleaned or "/var/lib/apt" in script.passage.text or "/var/lib/apt" in mounts
