from __future__ import annotations

import difflib

from wardround.findings import Severity
from wardround.languages.dockerfile import DockerfileToken, Instruction, KeyValuePair, Stage, variables
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.predefined_args import ARGUMENTS, PLAIN_SYSTEMS
from wardround_docker_ci.models.image_reference import image_name

_EXPANDING = frozenset(
    {"ADD", "COPY", "ENV", "EXPOSE", "LABEL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR", "ARG"}
)
_LIKE = 0.85
"""Minimum similarity of two names for one to count as a typo of the other; `VERSION` and `VERSIONS` reach it.
"""
_MOST_NAMES = 100
"""The most names compared with an undefined one; hand-written Dockerfiles have fewer."""


class UndefinedVariable(CiCheck):
    """An instruction uses a variable that no ARG or ENV of its stage defines.

    It is empty. The scope of an ARG before the first FROM is the FROM lines: repeat it inside the stage,
    without a value. Not reported if the base image may set the variable.
    """

    ID = "DC023"
    NAME = "undefined-variable"
    KINDS = DOCKERFILE
    NEEDS = ("$",)
    VALID = [
        code("""
            FROM alpine:3
            ARG V
            COPY a$V /
        """),
        code("""
            FROM alpine:3
            ENV PATH=/x:$PATH
        """),
    ]
    INVALID = [
        code("""
            FROM alpine:3
            COPY «$DIR» .
        """),
        code("""
            ARG V=1
            FROM node:22
            ENV X=a V2=«${V}»
        """),
    ]

    def run(self) -> None:
        known: dict[int, set[str]] = {}
        for stage in self.file.dockerfile.stages:
            inherited = known.get(id(stage.parent), set())
            known[id(stage)] = set(inherited) | ARGUMENTS | {"PATH"}
            for instruction in stage.instructions:
                self._check(stage, instruction, known[id(stage)])
            known[id(stage)] = inherited | _environment_names(stage)

    def _check(self, stage: Stage, instruction: Instruction, known: set[str]) -> None:
        pairs = instruction.pairs if instruction.keyword in ("ENV", "ARG") else []
        if instruction.keyword in _EXPANDING:
            values = [(pair.name.text, pair.value) for pair in pairs if pair.value]
            for target, token in values or [("", token) for token in _arguments(instruction)]:
                self._check_variables_in(stage, token, known, target)
        known.update(pair.name.text for pair in pairs)

    def _check_variables_in(self, stage: Stage, token: DockerfileToken, known: set[str], target: str) -> None:
        """Check the variables in the value of a target, or in an argument without one."""
        for name, sign, location in variables(token):
            if name not in known and sign not in _EXPANSIONS_WITH_DEFAULT:
                self._report(stage, name, location, known, is_own=name == target)

    def _report(
        self, stage: Stage, name: str, place: DockerfileToken, known: set[str], *, is_own: bool
    ) -> None:
        if name in self.file.dockerfile.global_arguments:
            message = f"ARG {name} before the first FROM is empty in this stage; repeat it here"
        elif near := _similar_name(name, known):
            message = f"no ARG or ENV defines {name}; did you mean {near}?"
        elif self._base_is_plain(stage):
            message = f"no ARG or ENV defines {name}, so it is empty; define it"
        else:
            return
        # A variable that is prepended or appended to itself may well be empty.
        severity = Severity.INFO if is_own else None
        self.report_at(place.start, place.end, message, severity=severity)

    def _base_is_plain(self, stage: Stage) -> bool:
        first = list(stage.lineage())[-1]
        reference = self.file.dockerfile.expand(first.base.text)
        return (
            reference is not None and image_name(reference).name.removeprefix("docker.io/") in PLAIN_SYSTEMS
        )


def _arguments(item: Instruction) -> list[DockerfileToken]:
    flags = [value for _, value in item.flags]
    return [*flags, DockerfileToken(item.body.text, item.body.start, item.body.end)]


def _similar_name(name: str, known: set[str]) -> str:
    """Return a defined name that differs from this one by a typo; empty if there is none."""
    own = sorted(known - ARGUMENTS - {"PATH"})
    found = (
        difflib.get_close_matches(name, own, n=1, cutoff=_LIKE)
        if len(name) > 3 and len(own) <= _MOST_NAMES
        else []
    )
    return found[0] if found else ""


def _environment_names(stage: Stage) -> set[str]:
    pairs: list[KeyValuePair] = [
        pair for instruction in stage.all("ENV", "ARG") for pair in instruction.pairs
    ]
    return {pair.name.text for pair in pairs}


_EXPANSIONS_WITH_DEFAULT = (":-", "-", ":+", "+", ":?", "?")
