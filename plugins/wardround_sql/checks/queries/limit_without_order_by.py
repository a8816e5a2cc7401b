"""SQ033: some rows, but which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import bare_limits
from wardround_sql.queries.nondeterministic import any_of_each, chosen_rows, says_which


class LimitWithoutOrderBy(SqlCheck):
    """LIMIT without ORDER BY gives any rows.

    Which ones depends on the plan, on the last vacuum and on what else runs. Pages overlap or miss rows.
    Order by something unique. ``LIMIT 1`` is reported where the name of the function says that it wants the
    latest
    or the like, or where the condition leaves several rows; ``DISTINCT ON`` needs an order too.
    """

    ID = "SQ033"
    NAME = "limit-without-order-by"
    WORDS = ("limit", "fetch first", "fetch next", "distinct on")
    TRIED_ON = (
        "formbricks and a starter kit: 2 read, both right; limits that ORMs build: 4 trees, 36 hits, 20 "
        "of them of "
        "jobs that work rows off and wrong; mended: 14, all true"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a from notes order by id limit 10;\n"),
        valid("select a from notes where id = 5 limit 1;\n"),
        valid("delete from notes where id in (select id from notes where old limit 1000);\n"),
        valid("select id from jobs limit 5 for update skip locked;\n"),
        valid("select count(*) from notes limit 10;\n"),
        valid("select generate_series(1, 100) limit 10;\n"),
        valid("select distinct on (a) a, b from notes order by a, c desc;\n"),
        valid("select distinct a from notes;\n"),
        valid("select a from notes where b = 5 limit 1;\n"),
        valid("select 1 from notes where made_at < now() limit 1;\n"),
        Valid(
            "def latest(c):\n    c.execute('SELECT a FROM notes WHERE id = %s LIMIT 1', (1,))\n",
            path="app/q.py",
        ),
        Valid(
            "def find_one(c):\n    c.execute('SELECT a FROM notes WHERE b = %s LIMIT 1', (1,))\n",
            path="app/q.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("-- name: LatestNote :one\nselect a from notes where b = $1 limit 1;\n", 2, 40),
        invalid(
            "create function f() returns int language plpgsql as $$\ndeclare v int;\nbegin\n"
            "  select n into v from notes limit 5;\n  return v;\nend $$;\n",
            4,
            36,
        ),
        invalid("select distinct on (a) a, b from notes;\n", 1, 21),
        invalid("select (select p.x from prices p where p.valid_from <= now() limit 1) from a;\n", 1, 68),
        Invalid(
            "def latest_note(c):\n    c.execute('SELECT a FROM notes WHERE b = %s LIMIT 1', (1,))\n",
            line=2,
            column=55,
            path="app/q.py",
        ),
        Invalid(
            "async function newestNote(b: number) {\n  return db.query('SELECT a FROM notes WHERE b = "
            "$1 LIMIT 1', [b]);\n}\n",
            line=2,
            column=59,
            path="src/q.ts",
        ),
        invalid("select a from notes limit 10;\n", 1, 27),
        invalid("create view v as\nselect a from notes\nfetch first 5 rows only;\n", 3, 13),
        Invalid('cursor.execute("SELECT a FROM notes LIMIT %s", (n,))\n', line=1, column=43, path="app/q.py"),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        for found in bare_limits(self.script):
            self.report(
                found.span, f"LIMIT without ORDER BY: which rows come out is left to chance{found.note}"
            )
        for found in any_of_each(self.script):
            self.report(
                found.span, "DISTINCT ON without ORDER BY: which row of each is kept is left to chance"
            )
        for found in chosen_rows(self.script):
            if found.parameter or says_which(self.source.text, self.script.offset_of(found.span)):
                self.report(
                    found.span, "LIMIT 1 without ORDER BY: which of the rows comes out is left to chance"
                )
