"""TS480: wrong time unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.base import Check
from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity, Span
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.units import is_implausible, plain_unit, unit_named
from wardround_typescript.check import SCRIPTS, is_test_path

_UNIT = (
    r"(?:Ms|MS|Millis(?:econds)?|Secs?|Seconds|Mins|Minutes|Hours|Days"
    r"|_S|_SECS?|_SECONDS|_MINUTES|_HOURS|_DAYS)"
)
_NAME = rf"(?P<name>(?:[A-Za-z_$][\w$]*\??\.)*[A-Za-z_$][\w$]*{_UNIT})(?![\w$(.\[]|\s*(?:\*|/(?!/)|\+))"
_TAKERS = (
    (
        LazyPattern(rf"(?P<what>\bAbortSignal\.timeout)\(\s*{_NAME}\s*\)"),
        "ms",
    ),
    (
        LazyPattern(rf"(?P<what>\bset(?:Timeout|Interval))\(\s*[\w$.]+,\s*{_NAME}\s*[,)]"),
        "ms",
    ),
    (
        LazyPattern(rf"\}},\s*{_NAME}\s*\)(?P<what>)"),
        "timer",
    ),
    (
        LazyPattern(rf"(?P<what>\bDate\.now\(\)|\.getTime\(\)|\bperformance\.now\(\))\s*[-+]\s*{_NAME}"),
        "ms",
    ),
    (
        LazyPattern(rf"(?P<what>\bDate\.now\(\)|\bperformance\.now\(\))\s*-\s*[\w$.]+\)?\s*[<>]=?\s*{_NAME}"),
        "ms",
    ),
    (
        LazyPattern(
            r"(?P<what>\b(?:staleTime|gcTime|cacheTime|refetchInterval|retryDelay|pollInterval"
            r"|connectTimeoutMS))"
            rf"\s*:\s*{_NAME}\s*[,}}\n]"
        ),
        "ms",
    ),
    (
        LazyPattern(rf"(?P<what>\b(?:setex|expire|SETEX|EXPIRE))\(\s*[^,()\n]{{1,60}},\s*{_NAME}\s*[,)]"),
        "s",
    ),
    (LazyPattern(rf"(?P<what>\b(?:EX|expirationTtl|revalidate))\s*:\s*{_NAME}\s*[,}}\n]"), "s"),
    (LazyPattern(rf"(?P<what>['\"]EX['\"]),\s*{_NAME}\s*[,)]"), "s"),
    (LazyPattern(rf"(?P<what>\bPX)\s*:\s*{_NAME}\s*[,}}\n]"), "ms"),
    (LazyPattern(rf"(?P<what>['\"]PX['\"]),\s*{_NAME}\s*[,)]"), "ms"),
    (LazyPattern(rf"(?P<what>\b(?:s-maxage|max-age|Max-Age|Retry-After))[=:]\s?\$\{{\s*{_NAME}\s*\}}"), "s"),
)
"""Functions and options that take a duration, with its unit."""
_TIMER = LazyPattern(r"\bset(?:Timeout|Interval)\(")
_TIMES = frozenset({"ms", "s", "min", "h", "day"})
_MAX_AGE = LazyPattern(rf"\b(?P<what>maxAge)\s*:\s*{_NAME}\s*[,}}\n]")
_TIMEOUT = LazyPattern(rf"\b(?P<what>timeout)\s*:\s*{_NAME}\s*[,}}\n]")
_IN_MS = ("from 'axios'", 'from "axios"', "playwright", "puppeteer", "from 'got'", "from 'ky'")
_EXPRESS = ("express-session", "res.cookie(", "response.cookie(", "cookie-session")


class WrongTimeUnit(Check):
    """A duration is passed to a function that expects another unit of time.

    ``setTimeout(poll, EVERY_SECONDS)`` polls a thousand times too often, or the name is wrong and misleads
    the next change of the number. Convert the value, or rename it after its unit.
    """

    ID = "TS480"
    NAME = "wrong-time-unit"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "misleading-name"
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            setTimeout(poll, EVERY_SECONDS * 1000);
            setTimeout(poll, EVERY_MS);
        """),
        code("""
            const until = Date.now() + conf.keepMs;
        """),
    ]
    INVALID = [
        code("""
            const timer = setInterval(poll, «EVERY_SECONDS»);
        """),
        code("""
            const until = Date.now() + «conf.keepMinutes»;
        """),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, (
            "imeout(", "Interval(", "Date.now()", "performance.now()", "getTime()", "staleTime", "gcTime",
            "cacheTime", "refetchInterval", "retryDelay", "pollInterval", "expire(", "setex(", "EX", "PX",
            "max-age", "s-maxage", "Max-Age", "Retry-After", "maxAge", "revalidate",
            "expirationTtl", "timeout",
        )  # fmt: skip

    def run(self) -> None:
        if is_test_path(self.source.path):
            return
        for start, name, unit, what in self._taken():
            given = plain_unit(name.rpartition(".")[2])
            line, column = self.source.position(self._misnamed(name, given) or start)
            if given in _TIMES and given != unit and self.source.is_added(line):
                says = f'"{name}" is in {unit_named(given)} by its name, but {what} takes '
                f"{unit_named(unit)}; convert it"
                self.report(Span(line, column, line, column + len(name)), says)

    def _misnamed(self, name: str, unit: str | None) -> int | None:
        """Return True for a constant whose number is in the expected unit, whatever its name."""
        made = re.search(
            rf"(?m)^(?:export )?const ({re.escape(name)})(?:: number)? = ([\d_]+);?$", self.source.text
        )
        if made is None or unit is None or not is_implausible(float(made[2].replace("_", "")), unit):
            return None
        return made.start(1)

    def _taken(self) -> Iterator[tuple[int, str, str, str]]:
        """Yield start, name, unit and receiver of the arguments of known functions."""
        text = self.source.text
        takers = list(_TAKERS)
        if any(word in text for word in _EXPRESS):
            takers.append((_MAX_AGE, "ms"))
        if any(word in text for word in _IN_MS):
            takers.append((_TIMEOUT, "ms"))
        for pattern, unit in takers:
            for match in pattern.finditer(text):
                if unit == "timer":
                    if self._closes_a_timer(match.start()):
                        yield match.start("name"), match["name"], "ms", "a timer"
                else:
                    yield match.start("name"), match["name"], unit, match["what"].strip("'\".")

    def _closes_a_timer(self, brace: int) -> bool:
        """Return True if a brace that closes a function closes the callback of a timer, by indentation."""
        text = self.source.text
        line, _ = self.source.position(brace)
        lines = self.source.lines
        indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
        if not lines[line - 1].lstrip().startswith("}"):
            start = text.rfind("\n", 0, brace) + 1
            return _TIMER.search(text, start, brace) is not None
        for above in range(line - 2, max(line - 60, -1), -1):
            code = lines[above]
            if code.strip() and len(code) - len(code.lstrip()) <= indent:
                return _TIMER.search(code) is not None
        return False
