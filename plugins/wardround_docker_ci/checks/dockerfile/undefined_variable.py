"""DC023: undefined variable."""

from __future__ import annotations

import difflib

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.dockerfile import DockerfileToken, Instruction, KeyValuePair, Stage, variables
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.predefined_args import ARGUMENTS, PLAIN_SYSTEMS
from wardround_docker_ci.models.image_reference import image_name

_EXPANDING = frozenset(
    {"ADD", "COPY", "ENV", "EXPOSE", "LABEL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR", "ARG"}
)
_LIKE = 0.85
"""Least similarity of two names for one to be a typo of the other; `VERSION` and `VERSIONS` have it."""
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
            for one in stage.instructions:
                self._check(stage, one, known[id(stage)])
            known[id(stage)] = inherited | _environment(stage)

    def _check(self, stage: Stage, one: Instruction, known: set[str]) -> None:
        pairs = one.pairs if one.keyword in ("ENV", "ARG") else []
        values = [(pair.name.text, pair.value) for pair in pairs if pair.value]
        for target, token in values or [("", token) for token in _arguments(one)]:
            for name, sign, place in variables(token) if one.keyword in _EXPANDING else ():
                if name not in known and sign not in _EXPANSIONS_WITH_DEFAULT:
                    self._report(stage, name, place, known, is_own=name == target)
        known.update(pair.name.text for pair in pairs)

    def _report(
        self, stage: Stage, name: str, place: DockerfileToken, known: set[str], *, is_own: bool
    ) -> None:
        if name in self.file.dockerfile.global_arguments:
            message = f"ARG {name} before the first FROM is empty in this stage; repeat it here"
        elif near := _near(name, known):
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
        reference = self.file.dockerfile.expanded(first.base.text)
        return (
            reference is not None and image_name(reference).name.removeprefix("docker.io/") in PLAIN_SYSTEMS
        )


def _arguments(one: Instruction) -> list[DockerfileToken]:
    flags = [value for _, value in one.flags]
    return [*flags, DockerfileToken(one.body.text, one.body.start, one.body.end)]


def _near(name: str, known: set[str]) -> str:
    """Return a defined name that differs from this one by a typo; empty if there is none."""
    own = sorted(known - ARGUMENTS - {"PATH"})
    found = (
        difflib.get_close_matches(name, own, n=1, cutoff=_LIKE)
        if len(name) > 3 and len(own) <= _MOST_NAMES
        else []
    )
    return found[0] if found else ""


def _environment(stage: Stage) -> set[str]:
    pairs: list[KeyValuePair] = [pair for one in stage.all("ENV", "ARG") for pair in one.pairs]
    return {pair.name.text for pair in pairs}


_EXPANSIONS_WITH_DEFAULT = (":-", "-", ":+", "+", ":?", "?")
