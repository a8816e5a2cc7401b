"""DC025."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_ABSOLUTE = LazyPattern(r"[\"']?(?:/|\$|[A-Za-z]:[\\/]|\\)")


class RelativeWorkdir(CiCheck):
    """WORKDIR is a relative path and nothing before it in the file says relative to what.

    It depends on where the base image happens to stand and moves when that does. Begin with an absolute path.
    """

    ID = "DC025"
    NAME = "relative-workdir"
    DEFECT_CLASS = "relative-workdir"
    TRIED_ON = "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0"
    KINDS = DOCKERFILE
    NEEDS = ("WORKDIR", "workdir", "Workdir")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nWORKDIR /app\nWORKDIR src\n", path="Dockerfile"),
        Valid("FROM a:1\nWORKDIR $HOME/a\n", path="Dockerfile"),
        Valid("FROM a:1 AS b\nWORKDIR /x\nFROM b\nWORKDIR y\n", path="Dockerfile"),
        Valid("FROM a:1\nWORKDIR C:\\app\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1\nWORKDIR app\n", line=2, column=9, path="Dockerfile"),
        Invalid("FROM a:1 AS b\nWORKDIR /x\nFROM c:1\nWORKDIR ./y\n", line=4, column=9, path="Dockerfile"),
        Invalid("FROM a:1\nworkdir  usr/src\n", line=2, column=10, path="Dockerfile"),
    ]

    def run(self) -> None:
        known: set[int] = set()
        for stage in self.file.dockerfile.stages:
            is_known = id(stage.parent) in known
            for one in stage.all("WORKDIR"):
                if _ABSOLUTE.match(one.text):
                    is_known = True
                elif one.text and not is_known:
                    start = one.body.start + len(one.body.text) - len(one.body.text.lstrip())
                    self.report_at(
                        start, one.end, f'"{one.text}" is relative to whatever the base image says'
                    )
            if is_known:
                known.add(id(stage))
