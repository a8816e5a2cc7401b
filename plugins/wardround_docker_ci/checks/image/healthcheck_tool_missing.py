"""DC105: healthcheck tool missing."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.languages.dockerfile import Instruction
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.models.image_reference import image_name

_NEITHER = frozenset({"debian", "ubuntu"})
_LANGUAGES = frozenset(
    {"node", "python", "ruby", "golang", "rust", "openjdk", "perl", "haskell", "elixir", "pypy"}
)


class HealthcheckToolMissing(CiCheck):
    """The health check calls a program that is not in the image, so the container never becomes healthy.

    Slim and distroless images have no curl, Alpine has only wget, and distroless has no shell to call them
    with. Install the program, or write the check in the service's own language.
    """

    ID = "DC105"
    NAME = "healthcheck-tool-missing"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "healthcheck-broken"
    KINDS = DOCKERFILE
    NEEDS = ("HEALTHCHECK", "healthcheck", "Healthcheck")
    VALID = [
        code("""
            FROM alpine:3.20
            HEALTHCHECK CMD wget -qO- http://localhost
        """),
        code("""
            FROM python:3.12-slim
            RUN apt-get install -y curl
            HEALTHCHECK CMD curl -f localhost
        """),
    ]
    INVALID = [
        code("""
            FROM python:3.12-slim
            HEALTHCHECK --interval=5s CMD «curl» -f http://localhost || exit 1
        """),
        code(r"""
            FROM node:22 AS b
            RUN curl x
            FROM node:22-alpine
            HEALTHCHECK CMD \
              «curl» -f x
        """),
    ]

    def run(self) -> None:
        shipped = self.file.dockerfile.shipped
        if not shipped:
            return
        base = self.file.dockerfile.expanded(shipped[-1].base.text) or shipped[-1].base.text
        contents = " ".join(one.body.text for stage in shipped for one in stage.all("RUN", "COPY", "ADD"))
        for one in (one for stage in shipped[:1] for one in stage.all("HEALTHCHECK")):
            if one.text.upper() != "NONE":
                self._check(one, base, contents)

    def _check(self, one: Instruction, base: str, contents: str) -> None:
        if _has_no_shell(base):
            if not re.match(r"CMD\s*\[", one.text, re.IGNORECASE) and not re.search(
                r"\bsh\b|busybox", contents
            ):
                start = one.body.start + len(one.body.text) - len(one.body.text.lstrip())
                self.report_at(
                    start,
                    one.end,
                    "the image has no shell to run this command; use the exec form (JSON array)",
                )
            return
        for found in re.finditer(r"(?<![\w./-])(curl|wget)(?![\w.-])", one.body.text):
            tool = found.group(1)
            if _lacks(base, tool) and not re.search(rf"(?<![\w.-]){tool}(?![\w.-])", contents):
                at = one.body.start + found.start()
                self.report_at(
                    at, at + len(tool), f"{base} has no {tool}, so the container is never healthy; install it"
                )
                return


def _has_no_shell(base: str) -> bool:
    name = image_name(base)
    return base == "scratch" or ("distroless" in name.name and "debug" not in name.tag)


def _lacks(base: str, tool: str) -> bool:
    """Return True if an official image does not contain a program."""
    name = image_name(base)
    if name.name.count("/") > name.name.count("docker.io/") + name.name.count("library/"):
        return False
    alpine = "alpine" in name.tag or name.short == "alpine"
    if name.short in _NEITHER or (name.short in _LANGUAGES and "slim" in name.tag):
        return True
    return tool == "curl" and alpine and (name.short == "alpine" or name.short in _LANGUAGES)
