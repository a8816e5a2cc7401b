from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck

_DEFINITION = LazyPattern(
    r"(?i)\bcreate\s+(?:or\s+(?:replace|alter)\s+)?(?:materialized\s+)?(?:view|function|procedure)\s+"
    r"(?:if\s+not\s+exists\s+)?(?:[\w\"`]+\.)?[\"`]?(\w+)"
)
_JOIN = LazyPattern(r"(?i)\bleft\s+(?:outer\s+)?join\b")
_WORD = LazyPattern(r"[\w.\"`]+")
_READ = 20
"""Maximum number of earlier files to read, the latest that name the object."""


class OuterJoinFiltered(SqlCheck):
    """WHERE condition on the right table of a LEFT JOIN, which removes the rows without a match.

    The column is NULL in those rows, and no comparison with NULL is true. Move the condition to ON to keep
    the rows; write JOIN to exclude them.
    """

    ID = "SQ044"
    NAME = "outer-join-filtered"
    DEFECT_CLASS = "outer-join-undone"
    SEVERITY = Severity.INFO
    WORDS = ("left ",)

    VALID = [
        code("""
            select a.x from a left join b on b.a_id = a.id and b.y = 1;
        """),
        code("""
            select a.x from a left join b on b.a_id = a.id where b.id is null;
        """),
    ]
    INVALID = [
        code("""
            select a.x from a left join b on b.a_id = a.id where «b.y» = 1;
        """),
        code(
            """
            q = text("SELECT a.x FROM a LEFT JOIN b ON b.a_id = a.id WHERE «b.y» = :y")
            """,
            path="app/q.py",
        ),
    ]

    def run(self) -> None:
        if self.script.is_non_production or "where" not in self.script.sql.lower():
            return
        from wardround_sql.queries.aggregation import undone_outer_joins  # sqlglot is slow to import

        for fact in undone_outer_joins(self.script):
            if self._is_carried_over(fact.span):
                continue
            text = (
                f"condition removes the rows without a match in {fact.subject}, which LEFT JOIN preserves; "
                f"move it to ON or write JOIN{fact.note}"
            )
            self.report(fact.span, text)

    def _is_carried_over(self, span: Span) -> bool:
        """Return True if an earlier definition has the same text from the join to the column."""
        text, end = self.source.text, self.script.locations.offset_of(span) + 1
        matches = list(_DEFINITION.finditer(text, 0, end))
        joins = list(_JOIN.finditer(text, matches[-1].end() if matches else 0, end))
        if not matches or not joins:
            return False
        words = _WORD.match(text, end - 1)
        part = _plain(text[joins[0].start() : words.end() if words else end])
        return any(part in earlier for earlier in self._earlier_definitions(matches[-1][1]))

    def _earlier_definitions(self, name: str) -> Iterator[str]:
        """Yield unchanged files that define the object, each on one line."""
        project = self.source.project
        for path in project.files_with_word([name], ["*.sql"])[-_READ:]:
            if path == self.source.path or self.source.is_changed(path):
                continue
            text = project.read(path) or ""
            if any(match[1].lower() == name.lower() for match in _DEFINITION.finditer(text)):
                yield _plain(text)


def _plain(sql: str) -> str:
    return " ".join(sql.lower().split())
