"""SQ081: one query for each row of another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.python_code import parsed_module
from wardround_sql.project.migration_files import is_migration
from wardround_sql.queries.n_plus_one_python import of_python
from wardround_sql.queries.n_plus_one_script import of_script

_QUERIES = ("SELECT", "select", ".objects.", "session.get(", "db.get(", ".find", ".query(", "await ")
"""What every query has; one in a loop over the rows of another makes two."""
_TWO = 2


def _then(rest: str, *before: str) -> str:
    """A function that reads rows first, behind what stands before it."""
    return "\n".join((*before, "def f(cur):", "    cur.execute('SELECT id FROM a')", rest))


_EACH = "    return [(row, parts(cur, row[0])) for row in cur.fetchall()]\n"


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
        "24 trees: 21 hits, 17 of them right and four in commands that run by night or call a function that "
        "writes; mended: those are left out; 20 hits now, 19 right: a note"
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
        Valid(
            "const ALL = 'SELECT id FROM a';\nconst PUT = 'UPDATE c SET d = 1 WHERE e = $1';\n"
            "async function f() {\n  const { rows } = await db.query(ALL);\n  for (const row of rows) {\n"
            "    await db.query(PUT, [row.id]);\n  }\n}\n",
            path="src/q.ts",
        ),
        Valid(
            "async function f() {\n  const { rows } = await db.query('SELECT id FROM a');\n"
            "  for (const row of rows) {\n    await db.query('SELECT copy_of($1)', [row.id]);\n  }\n}\n",
            path="src/q.ts",
        ),
        Valid(
            "def f():\n    for a in A.objects.prefetch_related('lines'):\n        print(a, a.lines.all())\n",
            path="app/q.py",
        ),
        Valid(
            _then(
                _EACH,
                "def parts(cur, key):",
                "    if key not in KNOWN:",
                "        cur.execute('SELECT b FROM c WHERE d = %s', (key,))",
                "        KNOWN[key] = cur.fetchall()",
                "    return KNOWN[key]",
            ),
            path="app/q.py",
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
        Invalid(
            "const ALL = 'SELECT id FROM a';\nconst ONE = `\n  SELECT b FROM c WHERE d = $1`;\n"
            "class A {\n  async f() {\n    const { rows } = await this.db.query(ALL);\n"
            "    for (const row of rows) {\n      row.c = (await this.db.query(ONE, [row.id])).rows;\n"
            "    }\n  }\n}\n",
            line=8,
            column=16,
            path="src/q.ts",
        ),
        Invalid(
            "class A {\n  private async parts(id: number): Promise<Part[]> {\n"
            "    return this.db.query('SELECT b FROM c WHERE d = $1', [id]);\n  }\n"
            "  async f() {\n    for (const row of await this.db.query('SELECT id FROM a')) {\n"
            "      row.parts = await this.parts(row.id);\n    }\n  }\n}\n",
            line=7,
            column=19,
            path="src/q.ts",
        ),
        Invalid(
            _then(
                "    for (i,) in cur.fetchall():\n        cur.execute(ONE, (i,))\n",
                "ONE = 'SELECT b FROM c WHERE d = %s'",
            ),
            line=5,
            column=9,
            path="app/q.py",
        ),
        Invalid(
            _then(
                _EACH,
                "def parts(cur, key):",
                "    cur.execute('SELECT b FROM c WHERE d = %s', (key,))",
                "    return cur.fetchall()",
            ),
            line=6,
            column=19,
            path="app/q.py",
        ),
        Invalid(
            "def f():\n    for a in A.objects.filter(b=1):\n        print(a.id, a.lines.count())\n",
            line=3,
            column=21,
            path="app/q.py",
        ),
        Invalid(
            "def f(session):\n    for a in session.query(A).filter_by(b=1).all():\n"
            "        a.n = session.query(C).filter(C.a_id == a.id).count()\n",
            line=3,
            column=15,
            path="app/q.py",
        ),
    ]

    def run(self) -> None:
        path = self.source.path
        once = is_migration(path, self.script.options.migrations)
        if self.script.is_spare or self.script.is_sql or once or path.endswith((".rb", ".sh")):
            return
        if "management/commands/" in path:
            return  # it may take its time
        told: set[int] = set()
        text = self.source.text
        if ".objects." not in text and sum(text.count(word) for word in _QUERIES) < _TWO:
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
