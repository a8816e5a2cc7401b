from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Severity
from wardround.languages.dockerfile import substitute, variables
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.predefined_args import PLATFORM_ARGUMENTS

if TYPE_CHECKING:
    from wardround.languages.dockerfile import DockerfileToken

_IMAGE = LazyPattern(r"(?:[\w.-]+(?::\d+)?/)*[\w][\w.-]*(?::[\w][\w.-]*)?(?:@[\w:+.-]+)?$")


class EmptyFromArgument(CiCheck):
    """An ARG used in FROM has no default, and the image name is invalid without it.

    `docker build .` then fails without the right --build-arg. Give the ARG a working default.
    """

    ID = "DC022"
    NAME = "empty-from-argument"
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE
    NEEDS = ("$",)
    VALID = [
        code("""
            ARG V=3
            FROM alpine:$V
        """),
        code("""
            ARG SUFFIX
            FROM alpine:3${SUFFIX}
        """),
    ]
    INVALID = [
        code("""
            ARG V
            FROM «alpine:$V»
        """),
        code("""
            ARG BASE
            FROM «${BASE}»
        """),
    ]

    def run(self) -> None:
        file = self.file.dockerfile
        arguments = file.global_arguments
        for stage in file.stages:
            used = [name for name, _, _ in variables(stage.base)]
            declared = all(name in arguments or name in PLATFORM_ARGUMENTS for name in used)
            text = _fill_arguments(stage.base.text, _values(arguments))
            if used and declared and not _IMAGE.match(text):
                self.report_at(
                    stage.base.start,
                    stage.base.end,
                    f'with an empty ARG this is "{text}", an invalid image name; give the ARG a default',
                )


def _values(arguments: dict[str, DockerfileToken | None]) -> dict[str, str]:
    """Return the value of each argument; a default may contain those declared before it."""
    # Platform arguments always have a value; any text gives the name its shape.
    values = dict.fromkeys(PLATFORM_ARGUMENTS, "x")
    for name, default in arguments.items():
        if name not in PLATFORM_ARGUMENTS:
            values[name] = _fill_arguments(default.text, values) if default else ""
    return values


def _fill_arguments(text: str, values: dict[str, str]) -> str:
    """Return the reference as it is without any --build-arg."""
    filled = substitute(text, dict(values))
    if filled is not None:
        return filled
    return bounded_pattern(r"\$(?:(\w+)|\{(\w+)[^}]*\})").sub(
        lambda m: values.get(m.group(1) or m.group(2), ""), text
    )
