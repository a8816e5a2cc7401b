"""SQ041: a value from outside becomes part of the SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.registry import STARTS, is_quoted, is_value
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
    """The text of a query is put together with a value.

    A quote in the value ends the string in the SQL, and what follows is read as SQL. Leave a placeholder
    in the
    text and pass the value as a parameter. Names of tables and columns cannot be parameters: take those
    from a
    fixed list. They are not reported, nor are numbers and constants.
    """

    ID = "SQ041"
    NAME = "interpolated-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    TRIED_ON = "24 trees, redash, langfuse and celery among them: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('cur.execute("SELECT a FROM notes WHERE b = %s", (b,))\n', path="app/q.py"),
        Valid('cur.execute(f"SELECT a FROM {table} WHERE b = %s", (b,))\n', path="app/q.py"),
        Valid('def f(n: int):\n    cur.execute(f"SELECT a FROM notes WHERE b = {n}")\n', path="app/q.py"),
        Valid('LIMIT = 5\ncur.execute("SELECT a FROM notes WHERE b = %d" % b)\n', path="app/q.py"),
        Valid(
            'marks = ",".join("?" * 3)\ncur.execute(f"SELECT a FROM notes WHERE b IN ({marks})", b)\n',
            path="app/q.py",
        ),
        Valid("cur.execute(f\"SELECT a FROM notes WHERE b = '{b}'\")\n", path="tests/test_q.py"),
        Valid("await sql`SELECT a FROM notes WHERE b = ${b}`;\n", path="src/q.ts"),
        Valid("await db.query(`SELECT a FROM notes WHERE b = ${Number(b)}`);\n", path="src/q.ts"),
        Valid("await knex.raw('a @> ?', [b]);\n", path="src/q.ts"),
        Valid(
            "def f(cur, sort: str):\n    if sort not in SORTS:\n        raise ValueError(sort)\n"
            '    cur.execute(f"SELECT a FROM notes ORDER BY {sort}")\n',
            path="app/q.py",
        ),
        Valid(
            "export function f(o: Options) {\n  const order = SORTS[o.sort] ?? 'a';\n"
            "  return pool.query(`SELECT a FROM b ORDER BY ${order}`);\n}\n",
            path="src/q.ts",
        ),
        Valid("def f(log, name):\n    log.info(f\"name = '{name}'\")\n", path="app/q.py"),
        Valid(
            'class A\n  def f\n    Note.where("title = ?", params[:q])\n  end\nend\n', path="app/models/a.rb"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def f(qs, key, value):\n    path = \"attrs ->> '%s'\" % key\n"
            "    return qs.extra(where=[path + ' = %s'], params=[value])\n",
            line=2,
            column=31,
            path="app/q.py",
        ),
        Invalid(
            "import sqlite3\n\ndef f(db, name):\n    parts = []\n    parts.append(f\"name = '{name}'\")\n"
            "    return db.execute('SELECT a FROM b WHERE ' + ' AND '.join(parts))\n",
            line=5,
            column=29,
            path="app/q.py",
        ),
        Invalid(
            'def f(cur, sort: str):\n    cur.execute(f"SELECT a FROM notes ORDER BY {sort}")\n',
            line=2,
            column=49,
            path="app/q.py",
        ),
        Invalid(
            "const has = tags.map((t) => `'${t}' = ANY (tags)`).join(' AND ');\n"
            "await prisma.$queryRaw`SELECT a FROM b WHERE ${Prisma.raw(has)}`;\n",
            line=1,
            column=33,
            path="src/q.ts",
        ),
        Invalid(
            "export function f(o: Options) {\n  const order = o.sort ?? 'a';\n"
            "  return pool.query(`SELECT a FROM b ORDER BY ${order}`);\n}\n",
            line=3,
            column=49,
            path="src/q.ts",
        ),
        Invalid("qb.andWhere(`note.title = '${title}'`);\n", line=1, column=30, path="src/q.ts"),
        Invalid(
            "class A\n  def f\n    Note.where(\"title = '#{params[:q]}'\")\n  end\nend\n",
            line=3,
            column=28,
            path="app/models/a.rb",
        ),
        Invalid(
            "cur.execute(f\"SELECT a FROM notes WHERE b = '{b}'\")\n", line=1, column=47, path="app/q.py"
        ),
        Invalid(
            "FIND = \"SELECT a FROM notes WHERE b = '%s'\"\ndef f(cur, b):\n    cur.execute(FIND % b)\n",
            line=3,
            column=24,
            path="app/q.py",
        ),
        Invalid(
            'def f(cur, b):\n    q = "SELECT a FROM notes WHERE b LIKE \'%" + b + "%\'"\n    '
            "cur.execute(q)\n",
            line=2,
            column=49,
            path="app/q.py",
        ),
        Invalid(
            'def f(cur, b):\n    q = "SELECT a FROM notes WHERE true"\n    if b:\n        q += '
            "f\" AND b = '{b}'\"\n    cur.execute(q)\n",
            line=4,
            column=27,
            path="app/q.py",
        ),
        Invalid(
            "def f(cur, b):\n    cur.execute(\"SELECT a FROM notes WHERE b = '{}'\".format(b))\n",
            line=2,
            column=61,
            path="app/q.py",
        ),
        Invalid(
            "await db.query(`SELECT a FROM notes WHERE b = '${b}'`);\n", line=1, column=50, path="src/q.ts"
        ),
        Invalid(
            "const q = 'SELECT a FROM notes WHERE b = \"' + req.query.b + '\"';\nawait db.query(q);\n",
            line=1,
            column=47,
            path="src/q.ts",
        ),
        Invalid("qb.andWhere(knex.raw(`tags @> ARRAY['${tag}']`));\n", line=1, column=40, path="src/q.ts"),
        Invalid(
            'class A\n  def f(b)\n    connection.execute("SELECT a FROM notes WHERE b = '
            "'#{params[:b]}'\")\n  end\nend\n",
            line=3,
            column=58,
            path="app/models/a.rb",
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        told: set[int] = set()
        for text in self.script.built:
            hole = next((one for one in text.holes if self._is_open(text, one)), None)
            if hole is not None and hole.offset not in told:
                told.add(hole.offset)
                name = " ".join(hole.code.split())[:40]
                self.report(
                    self.script.span_of(hole.offset, hole.offset + max(len(hole.code.split("\n", 1)[0]), 1)),
                    f"{name} becomes part of the SQL text; leave a placeholder and pass it as a parameter",
                )

    def _is_open(self, text: AssembledText, hole: Hole) -> bool:
        """Whether a value stands where a condition or a row takes one, in what is plainly SQL."""
        before = text.text[max(hole.start - 400, 0) : hole.start]
        if hole.outside and _ORDER.search(before) and STARTS.match(text.text):
            return True
        if hole.safe or not (STARTS.match(text.text) or _PLAIN.match(text.text)):
            return False
        if is_quoted(text.text, hole.start):
            return True
        stands = _CONDITION.search(before) is not None or _VALUES.search(before) is not None
        return stands and is_value(text.text, hole.start, hole.end)
