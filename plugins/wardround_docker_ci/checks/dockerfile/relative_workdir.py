from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_ABSOLUTE = LazyPattern(r"[\"']?(?:/|\$|[A-Za-z]:[\\/]|\\)")


class RelativeWorkdir(CiCheck):
    """WORKDIR is a relative path, and nothing before it in the file sets an absolute one.

    It depends on the working directory of the base image and changes with it. Begin with an absolute path.
    """

    ID = "DC025"
    NAME = "relative-workdir"
    DEFECT_CLASS = "relative-workdir"
    KINDS = DOCKERFILE
    NEEDS = ("WORKDIR", "workdir", "Workdir")
    VALID = [
        code("""
            FROM a:1
            WORKDIR /app
            WORKDIR src
        """),
        code("""
            FROM a:1
            WORKDIR $HOME/a
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            WORKDIR «app»
        """),
        code("""
            FROM a:1 AS b
            WORKDIR /x
            FROM c:1
            WORKDIR «./y»
        """),
    ]

    def run(self) -> None:
        known: set[int] = set()
        for stage in self.file.dockerfile.stages:
            is_known = id(stage.parent) in known
            for instruction in stage.all("WORKDIR"):
                if _ABSOLUTE.match(instruction.text):
                    is_known = True
                elif instruction.text and not is_known:
                    start = (
                        instruction.body.start
                        + len(instruction.body.text)
                        - len(instruction.body.text.lstrip())
                    )
                    self.report_at(
                        start,
                        instruction.end,
                        f'"{instruction.text}" is relative to the WORKDIR of the base image; '
                        "use an absolute path",
                    )
            if is_known:
                known.add(id(stage))
