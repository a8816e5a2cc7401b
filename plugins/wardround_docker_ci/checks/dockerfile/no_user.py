from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_ROOTLESS = LazyPattern(
    r"nonroot|rootless|unprivileged|bitnami/|chainguard/|cgr\.dev/|jupyter/|/ubi\d*-micro"
)
_WINDOWS = LazyPattern(r"windows|nanoserver|servercore", re.IGNORECASE)
_DROPS = LazyPattern(
    r"\b(?:gosu|su-exec|setpriv|s6-setuidgid|chpst|runuser)\b"
    r"|^[ \t]*(?:CMD|ENTRYPOINT)[ \t]+(?:\[[ \t]*\")?"
    r"(?:/init|(?:/usr/s?bin/)?(?:nginx|httpd|apache2|php-fpm|postfix|dovecot|sshd))\b",
    re.MULTILINE,
)
"""Programs that need root to start and change the user of their workers."""
_PROGRAMS = ("CMD", "ENTRYPOINT")


class NoUser(CiCheck):
    """No USER is set, so the program runs as root unless the base image sets one.

    A vulnerability in the program then gives an attacker root inside the container. Create a user and
    switch to it with USER before CMD or ENTRYPOINT.
    """

    ID = "DC006"
    NAME = "no-user"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "root-user"
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM alpine:3.20
            USER app
            CMD ["a"]
        """),
        code("""
            FROM gcr.io/distroless/base:nonroot
            CMD ["a"]
        """),
    ]
    INVALID = [
        code("""
            FROM alpine:3.20
            RUN x
            «CMD» ["a"]
        """),
        code("""
            FROM alpine:3.20 AS b
            RUN x
            FROM b
            «ENTRYPOINT» ["/a"]
        """),
    ]

    def run(self) -> None:
        file = self.file.dockerfile
        shipped = file.shipped
        programs = [instruction for stage in shipped[:1] for instruction in stage.all(*_PROGRAMS)]
        if not programs or any(stage.all("USER") for stage in shipped):
            return
        base = file.expand(shipped[-1].base.text) or shipped[-1].base.text
        drops = _DROPS.search(self.file.text)
        if not _ROOTLESS.search(base) and not _WINDOWS.search(base) and not drops:
            self.report_at(
                programs[-1].start,
                programs[-1].written.end,
                "no USER is set, so the program runs as root; add one",
            )
