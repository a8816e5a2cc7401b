"""Base class of SQL checks, and the shared parse of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import ClassVar

from wardround.checks.base import Check, results_of
from wardround.checks.registry import candidate_checks
from wardround.checks.source import SourceFile
from wardround.errors import CannotReview
from wardround.findings import RawFinding, Severity
from wardround.lazy import LazyPattern
from wardround.text.keyword_index import KeywordIndex
from wardround_sql.document import SqlDocument
from wardround_sql.options import SqlOptions
from wardround_sql.parsing.rendered_templates import has_parsable_rendering
from wardround_sql.parsing.statements import Statement
from wardround_sql.project.migration_edits import has_same_effect
from wardround_sql.project.migration_files import is_migration


class SqlCheck(Check):
    """Base class of checks on the statements of ``self.script``.

    Attributes:
        WORDS: lower-case words; a file without any of them cannot have a finding. Empty if no such words
            exist.
        READS: whether WORDS occur in the SQL of a file (``sql``) or in the surrounding code (``code``).
        SIGN: pattern that all SQL with a finding matches.
    """

    CASE_PATH = "db/migrations/0002_change.sql"
    READS: ClassVar[str] = "sql"
    WORDS: ClassVar[tuple[str, ...]] = ()
    SIGN: ClassVar[LazyPattern | None] = None

    def __init__(self, source: SourceFile, script: SqlDocument | None = None) -> None:
        super().__init__(source)
        self._document = script

    @cached_property
    def script(self) -> SqlDocument:
        return self._document or SqlDocument(self.source)

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return (cls.READS,), cls.WORDS

    def report_at(
        self,
        statement: Statement,
        message: str,
        location: int | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Report a location inside a statement of this file."""
        self.report(self.script.locations.span(statement, location), message, severity=severity)

    def is_here(self, statement: Statement) -> bool:
        """Return True if a statement of the migration set is in this file."""
        return statement.path == self.source.path


def run_sql_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run SQL checks over one file, parsed once, or not at all if no check can match.

    A migration whose edit only changes the layout has no new statement, whichever lines are added.
    """
    if _is_reformatted(source):
        return
    script = SqlDocument(source)
    if script.is_sql and script.is_template and script.unparsed and not has_parsable_rendering(source.text):
        raise CannotReview(_unreadable(script))
    for check_type in _candidates(checks, source, script):
        make = partial(check_type, source, script) if issubclass(check_type, SqlCheck) else None
        yield from results_of(check_type, source, make)


def _candidates(
    checks: Sequence[type[Check]], source: SourceFile, script: SqlDocument
) -> Iterator[type[Check]]:
    """Yield the checks that can match the code of a file, then those that can match its SQL."""
    yield from _relevant_checks(checks, "code", source, source.keywords.in_lower_case)
    if script.sql.strip() or script.built or script.discarded:
        yield from _relevant_checks(checks, "sql", source, KeywordIndex(script.sql.lower()), script.sql)


def _unreadable(script: SqlDocument) -> str:
    """Return the reason why the file is not reviewed, by the first statement that cannot be parsed."""
    first = script.unparsed[0]
    line, _ = script.source.position(min(first.offset + first.point, len(script.text)))
    return f"its SQL cannot be parsed with any values of its templates: line {line}: {first.message}"


def _is_reformatted(source: SourceFile) -> bool:
    """Return True for an edited migration with the statements of its base."""
    options = source.options or SqlOptions()
    if not is_migration(source.path, options.migrations):
        return False
    before = source.base_text
    return before is not None and before != source.text and has_same_effect(source.path, before, source.text)


def _relevant_checks(
    checks: Sequence[type[Check]], reads: str, source: SourceFile, lowered: KeywordIndex, sql: str = ""
) -> Iterable[type[Check]]:
    """Yield the checks that read the SQL, or the code, and that may match it."""
    for candidate_check in candidate_checks(checks, reads, source, lowered):
        if not issubclass(candidate_check, SqlCheck):
            if reads == "sql":
                yield candidate_check
        elif reads == candidate_check.READS and _may_match(candidate_check, lowered, sql):
            yield candidate_check


def _may_match(check: type[SqlCheck], lowered: KeywordIndex, sql: str) -> bool:
    return (not check.WORDS or lowered.contains_any(check.WORDS)) and (
        check.SIGN is None or check.SIGN.search(sql) is not None
    )
