"""SQ081: one query for each row of another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.per_row import of_python, of_script
from wardround_sql.places import is_migration
from wardround_sql.python_code import parsed_module

_QUERIES = ("SELECT", "select", ".objects.", "session.get(", "db.get(", ".find")
"""What every query has; one in a loop over the rows of another makes two."""
_TWO = 2


def _then(rest: str) -> str:
    """A function that reads rows first."""
    return "\n".join(("def f(cur):", "    cur.execute('SELECT id FROM a')", rest))


class QueryPerRow(SqlCheck):
    """In a loop over the rows of a query another query is sent for each row.

    A hundred rows are a hundred and one round trips. Join the tables in the first query, or ask once for
    all keys: ``WHERE id = ANY(...)``, ``id__in=``, ``select_related``, ``include``.
    """

    ID = "SQ081"
    NAME = "query-per-row"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    READS = "code"
    WORDS = ("for ", ".map(", ".foreach(")
    TRIED_ON = (
        "30 trees: 9 hits, 7 of them updates of migrations; mended: migrations and writes are left "
        "out: a note"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            _then("    for (i,) in cur.fetchall():\n        print(i)\n    cur.execute('SELECT 1')\n"),
            path="app/q.py",
        ),
        Valid(
            _then(
                "    for (i,) in cur.fetchall():\n        cur.execute('UPDATE b SET c = 1 WHERE id = %s', "
                "(i,))\n"
            ),
            path="app/q.py",
        ),
        Valid(
            "def f(cur):\n    for name in ['a', 'b']:\n        cur.execute('SELECT 1 FROM t WHERE n = "
            "%s', (name,))\n",
            path="app/q.py",
        ),
        Valid(
            "async function f(names) {\n  for (const n of names) {\n"
            "    await db.query('SELECT 1 FROM t WHERE n = $1', [n]);\n  }\n}\n",
            path="src/q.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            _then(
                "    for (i,) in cur.fetchall():\n        cur.execute('SELECT b FROM c WHERE d = %s', (i,))\n"
            ),
            line=4,
            column=9,
            path="app/q.py",
        ),
        Invalid(
            "async def f(c):\n    rows = await c.fetch('SELECT id FROM a')\n"
            "    return [await c.fetchrow('SELECT b FROM c WHERE id = $1', r['id']) for r in rows]\n",
            line=3,
            column=19,
            path="app/q.py",
        ),
        Invalid(
            "from django.db import connection\ndef f():\n    for a in A.objects.filter(b=1):\n        "
            "key = a.c_id\n        C.objects.get(id=key)\n",
            line=5,
            column=9,
            path="app/q.py",
        ),
        Invalid(
            "async function f() {\n  const { rows } = await db.query('SELECT id FROM a');\n  for (const "
            "r of rows) {\n"
            "    const b = await db.query('SELECT b FROM c WHERE id = $1', [r.id]);\n  }\n}\n",
            line=4,
            column=15,
            path="src/q.ts",
        ),
        Invalid(
            "const users = await prisma.user.findMany();\nawait Promise.all(users.map(async (u) => {\n"
            "  const t = await prisma.team.findFirst({ where: { id: u.teamId } });\n}));\n",
            line=3,
            column=13,
            path="src/q.ts",
        ),
    ]

    def run(self) -> None:
        path = self.source.path
        once = is_migration(path, self.script.options.migrations)
        if self.script.is_spare or self.script.is_sql or once or path.endswith((".rb", ".sh")):
            return
        told: set[int] = set()
        if sum(self.source.text.count(word) for word in _QUERIES) < _TWO:
            return
        for start, end in self._of_python() if path.endswith(".py") else of_script(self.source.text):
            if start in told:
                continue
            told.add(start)
            span = self.script.span_of(start, end)
            self.report(span, "one query for each row of another; ask once for all of them")

    def _of_python(self) -> Iterator[tuple[int, int]]:
        module = parsed_module(self.source.text)
        for call in of_python(module.tree) if module is not None else ():
            start = module.place(call)[0] if module is not None else 0
            yield start, start + len(ast.unparse(call.func))
