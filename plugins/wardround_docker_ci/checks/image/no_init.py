"""DC009."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.dockerfile import Instruction, Stage
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_INIT = LazyPattern(
    r"\b(?:tini|dumb-init|s6-svscan|s6-overlay|catatonit|supervisord|runit|systemd|/init)\b|--init\b"
)
_STARTS_OTHERS = LazyPattern(
    r"\b(?:chromium(?:-browser|-headless-shell)?|google-chrome(?:-stable|-beta)?|firefox(?:-esr)?|libreoffice\S*"
    r"|playwright(?:@\S+)?\s+install|puppeteer(?:@\S+)?\s+browsers\s+install|xvfb|wkhtmltopdf)\b"
)
_BASE_STARTS_OTHERS = LazyPattern(
    r"playwright|puppeteer|headless-(?:chrome|shell)|zenika/alpine-chrome|selenium"
)
_RUNTIMES = frozenset(
    {
        "node",
        "nodejs",
        "python",
        "python3",
        "java",
        "ruby",
        "php",
        "deno",
        "bun",
        "gunicorn",
        "uvicorn",
        "celery",
    }
)
_SERVES = LazyPattern(
    r"(?:-\S+ )*(?:run )?(?:start|start:prod(?:uction)?|serve:prod|prod|production)(?: .*)?"
)
_MANAGERS = frozenset({"npm", "yarn", "pnpm", "npx", "pnpx", "bunx"})


class NoInit(CiCheck):
    """Nothing in the container does what an init does: pass signals on and collect ended processes.

    A browser leaves ended processes behind that only process 1 can collect, until no new ones can be
    started; a package manager as process 1 swallows SIGTERM. Start through `tini` or `dumb-init`, and the
    program itself.
    """

    ID = "DC009"
    NAME = "no-init"
    DEFECT_CLASS = "no-init"
    TRIED_ON = "trees of 79 repositories: 6 hits, all right"
    KINDS = DOCKERFILE
    NEEDS = ("CMD", "ENTRYPOINT", "cmd", "entrypoint")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            'FROM node:22\nRUN apt-get install -y chromium\nENTRYPOINT ["tini", "--"]\n'
            'CMD ["node", "a.js"]\n',
            path="Dockerfile",
        ),
        Valid('FROM node:22\nCMD ["node", "a.js"]\n', path="Dockerfile"),
        Valid(
            'FROM node:22 AS t\nRUN apt-get install -y chromium\nFROM node:22\nCMD ["node", "a.js"]\n',
            path="Dockerfile",
        ),
        Valid('FROM node:22\nENTRYPOINT ["docker-entrypoint.sh"]\nCMD ["npm", "start"]\n', path="Dockerfile"),
        Valid('FROM node:22\nRUN apk add chromium\nCMD ["npm", "test"]\n', path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM node:22\nRUN apt-get update \\\n && apt-get install -y chromium fonts-liberation\n"
            'CMD ["node", "a.js"]\n',
            line=4,
            column=1,
            path="Dockerfile",
        ),
        Invalid(
            "FROM mcr.microsoft.com/playwright:v1.48.0-noble AS b\nFROM b\n"
            'ENTRYPOINT ["python3", "-m", "shots"]\n',
            line=3,
            column=1,
            path="Dockerfile",
        ),
        Invalid('FROM node:22\nCMD ["npm", "run", "start"]\n', line=2, column=1, path="Dockerfile"),
    ]

    def run(self) -> None:
        shipped = self.file.dockerfile.shipped
        started = _started(shipped)
        if started is None or started.exec_form is None or _INIT.search(self.file.text):
            return
        words = [word.text for word in started.exec_form]
        name = words[0].rpartition("/")[2] if words else ""
        if name in _RUNTIMES and self._starts_others(shipped):
            self.report_at(
                started.start, started.end, f"{name} as process 1 collects no ended processes of the browser"
            )
        elif name in _MANAGERS and _SERVES.fullmatch(" ".join(words[1:])):
            self.report_at(
                started.start,
                started.end,
                f"{name} as process 1 passes no signals on to the program",
                severity=Severity.INFO,
            )

    def _starts_others(self, shipped: Sequence[Stage]) -> bool:
        base = self.file.dockerfile.expanded(shipped[-1].base.text) or shipped[-1].base.text
        installs = any(_STARTS_OTHERS.search(one.body.text) for stage in shipped for one in stage.all("RUN"))
        return installs or _BASE_STARTS_OTHERS.search(base) is not None


def _started(shipped: Sequence[Stage]) -> Instruction | None:
    """The instruction that names process 1: the last ENTRYPOINT, else the last CMD."""
    for keyword in ("ENTRYPOINT", "CMD"):
        for stage in shipped:
            found = [one for one in stage.all(keyword) if not re.fullmatch(r"\[\s*\]", one.text)]
            if found:
                return found[-1]
    return None
