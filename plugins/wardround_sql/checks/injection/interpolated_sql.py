from __future__ import annotations

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.sql_text import STARTS, is_quoted, is_value
from wardround_sql.frontends.string_assembly import AssembledText, Hole

_CONDITION = LazyPattern(
    r"(?i)(?:[=<>@~]|\blike|\bilike|\bin\s*\(|\bany\s*\(|\barray\s*\[|\bagainst\s*\()\s*['\"%(]*\s*$"
)
_VALUES = LazyPattern(r"(?i)\bvalues\s*\([^()]*$")
_ORDER = LazyPattern(r"(?i)\border\s+by\s+(?:[\w.\", ]*[, ]\s*)?$")
_PLAIN = LazyPattern(
    r"(?i)^\s*(?:\(\s*)?(?:and|or|where|having|order\s+by|(?:lower\(|upper\()?[\w.\"`]+\)?(?:::\w+)?\s*(?:[=<>@~!&]+|->>?|#>>?|"
    r"(?:not\s+)?(?:like|ilike|in))\s?|'[^']*'\s*(?:=|<>|<@|@>)\s*(?:any|all)?\s*\()"
)


class InterpolatedSql(SqlCheck):
    """Value interpolated into the text of a query.

    A quote in the value ends the SQL string, and the rest of the value is executed as SQL (SQL injection).
    Write a placeholder and pass the value as a parameter. Names of tables and columns cannot be parameters:
    choose them from a fixed list. Such names, numbers and constants are not reported.
    """

    ID = "SQ041"
    NAME = "interpolated-sql"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"

    CASE_PATH = "app/q.py"
    VALID = [
        code("""
            cur.execute("SELECT a FROM notes WHERE b = %s", (b,))
        """),
        code("""
            cur.execute(f"SELECT a FROM {table} WHERE b = %s", (b,))
        """),
    ]
    INVALID = [
        code("""
            def f(qs, key, value):
                path = "attrs ->> '%s'" % «key»
                return qs.extra(where=[path + ' = %s'], params=[value])
        """),
        code("""
            import sqlite3

            def f(db, name):
                parts = []
                parts.append(f"name = '{«name»}'")
                return db.execute('SELECT a FROM b WHERE ' + ' AND '.join(parts))
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        reported: set[int] = set()
        for text in self.script.built:
            hole = next((item for item in text.holes if self._is_open(text, item)), None)
            if hole is not None and hole.offset not in reported:
                reported.add(hole.offset)
                name = " ".join(hole.code.split())[:40]
                self.report(
                    self.script.locations.span_of(
                        hole.offset, hole.offset + max(len(hole.code.split("\n", 1)[0]), 1)
                    ),
                    f"{name} is interpolated into the SQL text; use a placeholder and pass it as a parameter",
                )

    def _is_open(self, text: AssembledText, hole: Hole) -> bool:
        """Return True if a hole is in the position of a value, in certain SQL."""
        before = text.text[max(hole.start - 400, 0) : hole.start]
        is_statement = STARTS.match(text.text) is not None
        if is_statement and hole.outside and _ORDER.search(before):
            return True
        if hole.safe or not (is_statement or _PLAIN.match(text.text)):
            return False
        if is_quoted(text.text, hole.start):
            return True
        if not _CONDITION.search(before) and not _VALUES.search(before):
            return False
        return is_value(text.text, hole.start, hole.end)
