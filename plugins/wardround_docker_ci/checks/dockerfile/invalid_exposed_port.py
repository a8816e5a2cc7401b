"""DC044: invalid exposed port."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.dockerfile import DockerfileToken
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_PORT = LazyPattern(r"\d+(?:-\d+)?(?:/(\w+))?$")
_HIGHEST = 65535


class InvalidExposedPort(CiCheck):
    """EXPOSE has an argument that is not a container port.

    It takes `PORT`, `PORT/udp` or `FIRST-LAST`; addresses and host mappings belong to `docker run -p`.
    Newer builders reject anything else, older ones ignore it.
    """

    ID = "DC044"
    NAME = "invalid-exposed-port"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "invalid-port"
    KINDS = DOCKERFILE
    NEEDS = ("EXPOSE", "expose", "Expose")
    VALID = [
        code("""
            FROM a:1
            EXPOSE 80 443/tcp 53/udp 9/sctp
        """),
        code("""
            FROM a:1
            EXPOSE $PORT ${A}-${B}
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            EXPOSE «8080:80»
        """),
        code("""
            FROM a:1
            EXPOSE 80 «127.0.0.1:80:80»
        """),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            if one.keyword != "EXPOSE":
                continue
            for word in one.words:
                if word.text.startswith("#"):
                    break
                if "$" not in word.text:
                    self._check(word)

    def _check(self, word: DockerfileToken) -> None:
        found = _PORT.match(word.text)
        protocol = found.group(1) if found else None
        if found is None:
            self.report_at(
                word.start, word.end, f"{word.text} is not a container port; use PORT, PORT/udp or FIRST-LAST"
            )
        elif protocol and protocol.lower() not in ("tcp", "udp", "sctp"):
            self.report_at(
                word.start, word.end, f"{protocol} is not a protocol of a port; use tcp, udp or sctp"
            )
        elif protocol and protocol != protocol.lower():
            fix = self.replacing(word.start, word.end, word.text.lower(), "use lower case", safe=True)
            self.report_at(word.start, word.end, f"write {protocol.lower()} in lower case", fix)
        elif any(int(number) > _HIGHEST for number in re.findall(r"\d+", word.text.partition("/")[0])):
            self.report_at(word.start, word.end, f"port is out of range; the highest is {_HIGHEST}")
