"""DC044."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.languages.dockerfile import DockerfileToken
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_PORT = LazyPattern(r"\d+(?:-\d+)?(?:/(\w+))?$")
_HIGHEST = 65535


class InvalidExposedPort(CiCheck):
    """EXPOSE is given something that is not a port of the container.

    It takes `PORT`, `PORT/udp` or `FIRST-LAST`; addresses and mappings to the host belong to `docker run -p`.
    Newer builders refuse the rest, older ones ignore it.
    """

    ID = "DC044"
    NAME = "invalid-exposed-port"
    DEFECT_CLASS = "invalid-port"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("EXPOSE", "expose", "Expose")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nEXPOSE 80 443/tcp 53/udp 9/sctp\n", path="Dockerfile"),
        Valid("FROM a:1\nEXPOSE $PORT ${A}-${B}\n", path="Dockerfile"),
        Valid("FROM a:1\nEXPOSE 8000-8010\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1\nEXPOSE 8080:80\n", line=2, column=8, path="Dockerfile"),
        Invalid("FROM a:1\nEXPOSE 80 127.0.0.1:80:80\n", line=2, column=11, path="Dockerfile"),
        Invalid(
            "FROM a:1\nEXPOSE 80/TCP\n",
            line=2,
            column=8,
            path="Dockerfile",
            fixed="FROM a:1\nEXPOSE 80/tcp\n",
        ),
        Invalid("FROM a:1\nEXPOSE 70000\n", line=2, column=8, path="Dockerfile"),
        Invalid("FROM a:1\nEXPOSE 80, 443\n", line=2, column=8, path="Dockerfile"),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            if one.keyword != "EXPOSE":
                continue
            for word in one.words:
                if word.text.startswith("#"):
                    break
                if "$" not in word.text:
                    self._look(word)

    def _look(self, word: DockerfileToken) -> None:
        found = _PORT.match(word.text)
        protocol = found.group(1) if found else None
        if found is None:
            self.report_at(word.start, word.end, f"{word.text} is no port of the container")
        elif protocol and protocol.lower() not in ("tcp", "udp", "sctp"):
            self.report_at(word.start, word.end, f"{protocol} is no protocol of a port")
        elif protocol and protocol != protocol.lower():
            fix = self.replacing(word.start, word.end, word.text.lower(), "small letters", safe=True)
            self.report_at(word.start, word.end, f"write {protocol.lower()} in small letters", fix)
        elif any(int(number) > _HIGHEST for number in re.findall(r"\d+", word.text.partition("/")[0])):
            self.report_at(word.start, word.end, f"no port is higher than {_HIGHEST}")
