"""DC106: healthcheck never fails."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.positions import Passage
from wardround.languages.yaml.nodes import Scalar
from wardround.languages.yaml.nodes import Sequence as Listed
from wardround.rules.maturity import Maturity
from wardround.storage.regex_cache import bounded
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_ALWAYS_WELL = LazyPattern(r"(?:\|\||;)\s*(?:true|:|exit\s+0|echo\b[^|;&]*)\s*[\"']?\s*$")
_CURL = LazyPattern(r"(?<![\w./-])curl(?![\w.-])[^|&;]*")
_FAILS = LazyPattern(r"(?:^|\s)(?:--fail\S*|-[a-zA-Z]*f[a-zA-Z]*|-w|--write-out)(?:\s|$)")


_FINDS_ITSELF = LazyPattern(
    r"\bps\s[^|]*\|\s*grep\s+(?:-\w+\s+)*[\"']?(?!-|.*\[)[\w./-]+[\"']?(?![^\n]*grep -v)"
)


class HealthcheckNeverFails(CiCheck):
    """The health check cannot fail, so a broken service stays healthy and keeps its traffic.

    Without `--fail`, curl succeeds with any response, including an error page; with `|| true` it always
    succeeds. Let the check fail.
    """

    ID = "DC106"
    NAME = "healthcheck-never-fails"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SEMANTIC
    DEFECT_CLASS = "healthcheck-broken"
    KINDS = DOCKERFILE | COMPOSE
    NEEDS = ("HEALTHCHECK", "healthcheck", "Healthcheck")
    VALID = [
        code("""
            FROM a:1
            HEALTHCHECK CMD curl -fsS localhost || exit 1
        """),
        code("""
            FROM a:1
            HEALTHCHECK CMD curl -s localhost | grep -q ok
            HEALTHCHECK NONE
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            HEALTHCHECK CMD «ps aux | grep gunicorn»
        """),
        code("""
            FROM a:1
            HEALTHCHECK CMD «curl -s localhost »|| exit 1
        """),
    ]

    def run(self) -> None:
        for text in self._checks():
            found = _ALWAYS_WELL.search(text.text)
            if found is not None:
                start = text.start + found.start()
                self.report_at(
                    start,
                    text.start + len(text.text.rstrip()),
                    "the health check always succeeds; remove the fallback",
                )
                continue
            itself = _FINDS_ITSELF.search(text.text)
            if itself is not None:
                message = "grep finds itself in the process list, so the check always succeeds; use pgrep"
                self.report_at(text.start + itself.start(), text.start + itself.end(), message)
                continue
            curl = _CURL.search(text.text)
            piped = curl is not None and re.match(r"\s*\|(?!\|)", text.text[curl.end() :])
            if curl is not None and not piped and not _FAILS.search(_words(curl.group())):
                start = text.start + curl.start()
                message = "curl without --fail succeeds on an error page; add --fail"
                self.report_at(start, text.start + curl.end(), message, severity=Severity.INFO)

    def _checks(self) -> Iterator[Passage]:
        if self.file.kind is FileKind.DOCKERFILE:
            for one in self.file.dockerfile.instructions:
                if one.keyword == "HEALTHCHECK":
                    yield one.body
            return
        for service in self.file.services:
            test = service.node.at("healthcheck", "test")
            if isinstance(test, Scalar):
                yield self.file.passage(test)
            elif isinstance(test, Listed) and test.items:
                yield Passage(self.file.text[test.start : test.end], test.start)


def _words(text: str) -> str:
    """Return arguments separated by blanks, in any notation of the list."""
    return bounded(r"[\"',\[\]]|\n\s*-(?=\s)").sub(" ", text)
