from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Plane, Severity
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.python_code import parsed_module
from wardround_sql.project.migration_files import is_migration
from wardround_sql.queries.n_plus_one_python import python_row_queries
from wardround_sql.queries.n_plus_one_script import script_row_queries

_QUERIES = ("SELECT", "select", ".objects.", "session.get(", "db.get(", ".find", ".query(", "await ")
"""Substrings of queries; N+1 queries need two of them."""
_TWO = 2


class QueryPerRow(SqlCheck):
    """Query in a loop over the rows of another query (N+1 queries).

    A hundred rows take a hundred and one round trips. Join the tables in the first query, or fetch all keys
    at once: ``WHERE id = ANY(...)``, ``id__in=``, ``select_related``, ``include``.
    """

    ID = "SQ081"
    NAME = "query-per-row"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    READS = "code"
    WORDS = ("for ", ".map(", ".foreach(")

    CASE_PATH = "app/q.py"
    VALID = [
        code("""
            def f(cur):
                cur.execute('SELECT id FROM a')
                for (i,) in cur.fetchall():
                    print(i)
                cur.execute('SELECT 1')
        """),
        code("""
            def f(cur):
                cur.execute('SELECT id FROM a')
                for (i,) in cur.fetchall():
                    cur.execute('UPDATE b SET c = 1 WHERE id = %s', (i,))
        """),
    ]
    INVALID = [
        code("""
            def f(cur):
                cur.execute('SELECT id FROM a')
                for (i,) in cur.fetchall():
                    «cur.execute»('SELECT b FROM c WHERE d = %s', (i,))
        """),
        code("""
            async def f(c):
                rows = await c.fetch('SELECT id FROM a')
                return [await «c.fetchrow»('SELECT b FROM c WHERE id = $1', r['id']) for r in rows]
        """),
    ]

    def run(self) -> None:
        if not self._is_request_code() or not self._may_have_two_queries():
            return
        text, reported = self.source.text, set[int]()
        for start, end in (
            self._python_queries() if self.source.path.endswith(".py") else script_row_queries(text)
        ):
            if start in reported:
                continue
            reported.add(start)
            span = self.script.locations.span_of(start, end)
            self.report(span, "query runs once for each row of another query; fetch all rows with one query")

    def _is_request_code(self) -> bool:
        """Return True if the run time of the code matters: not that of migrations and commands."""
        path = self.source.path
        if self.script.is_non_production or self.script.is_sql or path.endswith((".rb", ".sh")):
            return False
        return not is_migration(path, self.script.options.migrations) and "management/commands/" not in path

    def _may_have_two_queries(self) -> bool:
        text = self.source.text
        return ".objects." in text or sum(text.count(word) for word in _QUERIES) >= _TWO

    def _python_queries(self) -> Iterator[tuple[int, int]]:
        module = parsed_module(self.source.text)
        for call in python_row_queries(module.tree) if module is not None else ():
            start = module.place(call)[0] if module is not None else 0
            yield start, start + len(unparse(call.func))
