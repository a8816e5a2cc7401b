"""SQ037: a comparison with NULL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import null_comparisons


class ComparedWithNull(SqlCheck):
    """A condition compares something with NULL, which is never true.

    ``x = NULL`` and ``x <> NULL`` are unknown whatever x is, so no row is found; ``x NOT IN (1, NULL)``
    finds none
    either. Write ``IS NULL``, ``IS NOT NULL`` or ``IS DISTINCT FROM``.
    """

    ID = "SQ037"
    NAME = "compared-with-null"
    DEFECT_CLASS = "compared-with-null"
    WORDS = ("null",)
    TRIED_ON = "kratos and auth: 10 hits, 6 read, all right; 22 more trees: none"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("update notes set a = null where b is null;\n"),
        valid("UPDATE `notes` SET `a` = NULL WHERE `b` IS NULL;\n", "mysql/q.sql"),
        valid("select a from notes where b is distinct from null;\n"),
        valid("insert into notes (a) values (null) on conflict (a) do update set a = null;\n"),
        valid("create table notes (a int default null);\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a from notes where b = null;\n", 1, 27),
        invalid("update notes set a = null where b <> null;\n", 1, 33),
        invalid("select a from notes where b not in (1, null);\n", 1, 27),
        invalid("SELECT a FROM notes WHERE b != NULL;\n", 1, 27, "mysql/q.sql"),
        invalid(
            "create function f() returns trigger language plpgsql as $$\nbegin\n  if new.a = null then\n"
            "    return new;\n  end if;\n  return new;\nend $$;\n",
            3,
            6,
        ),
        Invalid("pool.query('SELECT a FROM notes WHERE b = NULL');\n", line=1, column=39, path="src/q.ts"),
    ]

    def run(self) -> None:
        for found in null_comparisons(self.script):
            if found.listed:
                text = (
                    f"NULL in the list: with NOT IN no row is found, with IN it changes nothing{found.note}"
                )
            else:
                text = (
                    f"{found.column} is compared with NULL, which is never true; "
                    f"write IS NULL or IS NOT NULL{found.note}"
                )
            self.report(found.span, text)
