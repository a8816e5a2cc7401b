"""DC024: global argument in run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.dockerfile import Instruction, Stage
from wardround.languages.positions import Passage
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.predefined_args import ARGUMENTS, PLAIN_SYSTEMS, PLATFORM_ARGUMENTS
from wardround_docker_ci.models.image_reference import image_name

_USE = LazyPattern(r"(?<![\\$])\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")


class GlobalArgumentInRun(CiCheck):
    """RUN uses an ARG that is declared only before the first FROM, where its scope is the FROM lines.

    Inside the stage the variable is empty, so the command runs without it. Repeat `ARG NAME` in the stage.
    """

    ID = "DC024"
    NAME = "global-argument-in-run"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "undefined-variable"
    SEVERITY = Severity.ERROR
    KINDS = DOCKERFILE
    NEEDS = ("$",)
    VALID = [
        code("""
            ARG REV=1
            FROM alpine:3
            ARG REV
            RUN echo $REV
        """),
        code("""
            ARG REV=1
            FROM alpine:3
            RUN REV=2; echo $REV
        """),
    ]
    INVALID = [
        code("""
            ARG REV=1
            FROM alpine:3
            RUN git checkout «$REV»
        """),
        code(r"""
            ARG REV=1
            FROM alpine:3 AS a
            ARG REV
            FROM ubuntu:24.04
            RUN a \
             && b «${REV}»
        """),
    ]

    def run(self) -> None:
        declared = set(self.file.dockerfile.global_arguments) - ARGUMENTS - PLATFORM_ARGUMENTS
        for stage in self.file.dockerfile.stages:
            missing = {name for name in declared if not self._base_may_set(stage, name)}
            self._check(stage, missing - _names(stage.lineage(), "ENV") - _names(_ancestors(stage), "ARG"))

    def _base_may_set(self, stage: Stage, name: str) -> bool:
        first = list(stage.lineage())[-1]
        base = image_name(self.file.dockerfile.expanded(first.base.text) or "").name
        if base.removeprefix("docker.io/") in PLAIN_SYSTEMS:
            return False
        return name.endswith(("VERSION", "HOME", "DIR", "PATH")) or name in first.base.text

    def _check(self, stage: Stage, missing: set[str]) -> None:
        seen: set[str] = set()
        scripts = {id(script.owner): script for script in self.file.scripts}
        for instruction in stage.instructions:
            if instruction.keyword == "ARG":
                missing = missing - {pair.name.text for pair in instruction.pairs}
            script = scripts.get(id(instruction))
            if script is not None:
                self._check_script(instruction, script.passage, missing, seen)

    def _check_script(
        self, instruction: Instruction, script: Passage, missing: set[str], seen: set[str]
    ) -> None:
        mounts = " ".join(value.text for name, value in instruction.flags if name == "mount")
        text = re.sub(r"'[^']*'", lambda m: " " * len(m.group()), script.text)
        for use in _USE.finditer(text):
            name = use.group(1) or use.group(2)
            if name in missing and name not in seen and not _is_set(name, text + mounts):
                seen.add(name)
                message = f"ARG {name} before the first FROM is empty in this stage; repeat it here"
                self.report_at(script.start + use.start(), script.start + use.end(), message)


def _is_set(name: str, text: str) -> bool:
    """Return True if the script itself or a mounted secret sets the variable."""
    return re.search(rf"\b{name}=|\b(?:for|read)\b[^;\n]*\b{name}\b|env={name}\b", text) is not None


def _ancestors(stage: Stage) -> Iterator[Stage]:
    return (ancestor for ancestor in stage.lineage() if ancestor is not stage)


def _names(stages: Iterable[Stage], keyword: str) -> set[str]:
    """Return the names that instructions of a keyword define in stages."""
    instructions = (instruction for stage in stages for instruction in stage.all(keyword))
    return {pair.name.text for instruction in instructions for pair in instruction.pairs}
