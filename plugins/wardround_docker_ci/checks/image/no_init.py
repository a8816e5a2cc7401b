from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import Severity
from wardround.languages.dockerfile import Instruction, Stage
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
    """Nothing in the container does the work of an init: forward signals and reap zombie processes.

    A browser leaves zombie processes that only process 1 can reap, until no new process can start; a
    package manager as process 1 swallows SIGTERM. Start through `tini` or `dumb-init`, and run the program
    itself.
    """

    ID = "DC009"
    NAME = "no-init"
    DEFECT_CLASS = "no-init"
    KINDS = DOCKERFILE
    NEEDS = ("CMD", "ENTRYPOINT", "cmd", "entrypoint")
    VALID = [
        code("""
            FROM node:22
            RUN apt-get install -y chromium
            ENTRYPOINT ["tini", "--"]
            CMD ["node", "a.js"]
        """),
        code("""
            FROM node:22
            CMD ["node", "a.js"]
        """),
    ]
    INVALID = [
        code(r"""
            FROM node:22
            RUN apt-get update \
             && apt-get install -y chromium fonts-liberation
            «CMD ["node", "a.js"]»
        """),
        code("""
            FROM mcr.microsoft.com/playwright:v1.48.0-noble AS b
            FROM b
            «ENTRYPOINT ["python3", "-m", "shots"]»
        """),
    ]

    def run(self) -> None:
        shipped = self.file.dockerfile.shipped
        started = _start_instruction(shipped)
        if started is None or started.exec_form is None or _INIT.search(self.file.text):
            return
        words = [word.text for word in started.exec_form]
        name = words[0].rpartition("/")[2] if words else ""
        if name in _RUNTIMES and self._starts_others(shipped):
            self.report_at(
                started.start,
                started.end,
                f"{name} as process 1 does not reap the browser's processes; start it with tini",
            )
        elif name in _MANAGERS and _SERVES.fullmatch(" ".join(words[1:])):
            self.report_at(
                started.start,
                started.end,
                f"{name} as process 1 does not forward signals; run the program itself",
                severity=Severity.INFO,
            )

    def _starts_others(self, shipped: Sequence[Stage]) -> bool:
        base = self.file.dockerfile.expand(shipped[-1].base.text) or shipped[-1].base.text
        installs = any(
            _STARTS_OTHERS.search(instruction.body.text)
            for stage in shipped
            for instruction in stage.all("RUN")
        )
        return installs or _BASE_STARTS_OTHERS.search(base) is not None


def _start_instruction(shipped: Sequence[Stage]) -> Instruction | None:
    """Return the instruction that starts process 1: the last ENTRYPOINT, else the last CMD."""
    for keyword in ("ENTRYPOINT", "CMD"):
        for stage in shipped:
            found = [
                instruction
                for instruction in stage.all(keyword)
                if not re.fullmatch(r"\[\s*\]", instruction.text)
            ]
            if found:
                return found[-1]
    return None
