"""DC024."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.dockerfile import Stage
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.predefined_args import ARGUMENTS, PLAIN_SYSTEMS, PLATFORM_ARGUMENTS
from wardround_docker_ci.models.image_reference import image_name

_USE = LazyPattern(r"(?<![\\$])\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")


class GlobalArgumentInRun(CiCheck):
    """A RUN uses an ARG that is declared only above the first FROM, where it counts for FROM lines alone.

    In the stage the variable is empty, so the command runs without it. Repeat `ARG NAME` inside the stage.
    """

    ID = "DC024"
    NAME = "global-argument-in-run"
    DEFECT_CLASS = "undefined-variable"
    SEVERITY = Severity.ERROR
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("$",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("ARG REV=1\nFROM alpine:3\nARG REV\nRUN echo $REV\n", path="Dockerfile"),
        Valid("ARG REV=1\nFROM alpine:3\nRUN REV=2; echo $REV\n", path="Dockerfile"),
        Valid("ARG NODE_VERSION=22\nFROM node:$NODE_VERSION\nRUN echo $NODE_VERSION\n", path="Dockerfile"),
        Valid("ARG REV=1\nFROM alpine:3 AS a\nARG REV\nFROM a\nRUN echo $REV\n", path="Dockerfile"),
        Valid(
            "ARG REV=1\nFROM alpine:3\nRUN --mount=type=secret,id=a,env=REV echo ${REV}\n", path="Dockerfile"
        ),
        Valid("ARG REV=1\nFROM alpine:3\nRUN echo '$REV' ${REV:-2}\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("ARG REV=1\nFROM alpine:3\nRUN git checkout $REV\n", line=3, column=18, path="Dockerfile"),
        Invalid(
            "ARG REV=1\nFROM alpine:3 AS a\nARG REV\nFROM ubuntu:24.04\nRUN a \\\n && b ${REV}\n",
            line=6,
            column=7,
            path="Dockerfile",
        ),
        Invalid(
            "ARG APP=a\nFROM debian:12\nRUN <<EOF\necho $APP\nEOF\n", line=4, column=6, path="Dockerfile"
        ),
    ]

    def run(self) -> None:
        declared = set(self.file.dockerfile.global_arguments) - ARGUMENTS - PLATFORM_ARGUMENTS
        for stage in self.file.dockerfile.stages:
            missing = {name for name in declared if not self._base_may_set(stage, name)}
            missing -= {p.name.text for s in stage.lineage() for one in s.all("ENV") for p in one.pairs}
            inherited = {
                p.name.text for s in stage.lineage() if s is not stage for i in s.all("ARG") for p in i.pairs
            }
            self._look(stage, missing - inherited)

    def _base_may_set(self, stage: Stage, name: str) -> bool:
        first = list(stage.lineage())[-1]
        base = image_name(self.file.dockerfile.expanded(first.base.text) or "").name
        if base.removeprefix("docker.io/") in PLAIN_SYSTEMS:
            return False
        return name.endswith(("VERSION", "HOME", "DIR", "PATH")) or name in first.base.text

    def _look(self, stage: Stage, missing: set[str]) -> None:
        seen: set[str] = set()
        scripts = {id(script.owner): script for script in self.file.scripts}
        for one in stage.instructions:
            if one.keyword == "ARG":
                missing = missing - {pair.name.text for pair in one.pairs}
            script = scripts.get(id(one))
            if script is None:
                continue
            mounts = " ".join(value.text for name, value in one.flags if name == "mount")
            text = re.sub(r"'[^']*'", lambda m: " " * len(m.group()), script.passage.text)
            for found in _USE.finditer(text):
                name = found.group(1) or found.group(2)
                if name in missing and name not in seen and not _is_set(name, text + mounts):
                    seen.add(name)
                    start = script.passage.start
                    message = (
                        f"the ARG {name} above the first FROM does not reach this stage: it is empty here"
                    )
                    self.report_at(start + found.start(), start + found.end(), message)


def _is_set(name: str, text: str) -> bool:
    """Whether the script itself or a mounted secret gives the variable a value."""
    return re.search(rf"\b{name}=|\b(?:for|read)\b[^;\n]*\b{name}\b|env={name}\b", text) is not None
