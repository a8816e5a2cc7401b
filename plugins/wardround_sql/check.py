"""What every SQL check is, and the one parse that serves them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks import Check, Source
from wardround.findings import RawResult, Severity
from wardround.late import LateEach
from wardround_sql.script import Script
from wardround_sql.statements import Statement


class SqlCheck(Check):
    """A check on the statements of ``self.script``.

    ``WORDS``: one of them stands in every file the check can speak about, in any case; empty if none can be
    named.
    """

    WORDS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, source: Source, script: Script | None = None) -> None:
        super().__init__(source)
        self._given = script

    @cached_property
    def script(self) -> Script:
        return self._given or Script(self.source)

    @classmethod
    def marks(cls) -> tuple[Sequence[str], Sequence[str]]:
        return (), cls.WORDS

    @classmethod
    def wants(cls, lowered: str) -> bool:
        """Whether the file, in lower case, can have a hit at all."""
        return not cls.WORDS or any(word in lowered for word in cls.WORDS)

    def say(
        self,
        statement: Statement,
        message: str,
        location: int | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Report a place inside a statement of this file."""
        self.report(self.script.span(statement, location), message, severity=severity)

    def is_here(self, statement: Statement) -> bool:
        """Whether a statement of the whole set stands in this file."""
        return statement.path == self.source.path


def run_sql_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    """Run SQL checks over one file: parsed once, and not at all where no check could speak."""
    script = Script(source)
    lowered = script.sql.lower()
    if not lowered.strip() and not script.built and not script.discarded:
        return
    chosen: Iterable[type[Check]] = checks.about("", lowered) if isinstance(checks, LateEach) else checks
    for check_type in chosen:
        if not issubclass(check_type, SqlCheck):
            check = check_type(source)
        elif check_type.wants(lowered):
            check = check_type(source, script)
        else:
            continue
        check.run()
        yield from check.results
