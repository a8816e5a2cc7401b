"""SQ017: an index that is there already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class DuplicateIndex(SqlCheck):
    """An index is the same as another one of the table.

    Both are written at every change of a row and only one is read. Drop one of them.
    """

    ID = "SQ017"
    NAME = "duplicate-index"
    PLANE = Plane.PERF
    WORDS = ("index",)
    TRIED_ON = "its cases alone; the checkouts tried have no place to read"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("create index a on notes (x);\ncreate index b on notes (y);\n"),
        valid("create index a on notes (x);\ncreate index b on notes (x) where y is null;\n"),
        valid("create index a on notes (x);\ndrop index a;\ncreate index b on notes (x);\n"),
        valid("create index if not exists a on notes (x);\ncreate index if not exists a on notes (x);\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("create index a on notes (x);\ncreate index b on notes (x);\n", 2, 1),
        invalid(
            "create index b on notes using btree (lower(x), y desc);\n",
            1,
            1,
            others={"db/migrations/0001_a.sql": "create index a on notes (lower(x), y desc);\n"},
        ),
        invalid(
            "create unique index a on notes (x);\nselect 1; create unique index concurrently b "
            "on notes (x);\n",
            2,
            11,
        ),
    ]

    def run(self) -> None:
        seen: dict[tuple[object, str], str] = {}
        if not any(True for _ in self.script.of("IndexStmt")):
            return
        for index in (index for held in self.script.whole.indexes.values() for index in held):
            known = seen.setdefault((index.table, index.shape), index.name)
            if known != index.name and self.is_here(index.statement):
                self.say(index.statement, f'index "{index.name}" is the same as "{known}" on {index.table}')
