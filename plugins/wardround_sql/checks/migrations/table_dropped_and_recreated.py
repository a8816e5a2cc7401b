"""SQ078: a table that is dropped and made again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import items, texts
from wardround_sql.schema.model import Name, dotted

_FORCED = LazyPattern(
    r"^[ \t]*create_table\b[^\n#]*?(?P<force>\bforce:\s*(?:true|:cascade)|:force\s*=>\s*true)", re.MULTILINE
)
_MIGRATION = LazyPattern(r"\bActiveRecord::Migration\b")
_RAILS = "db/migrate/20240101000000_a.rb"
_CLASS = "class A < ActiveRecord::Migration[7.1]\n  def change\n"


class TableDroppedAndRecreated(SqlCheck):
    """A migration drops the table of the same name before it makes one.

    Where the table is there already, by an earlier migration or by hand, its rows are gone without a word;
    nobody meant to lose them. Without the drop the migration fails and somebody looks.
    """

    ID = "SQ078"
    NAME = "table-dropped-and-recreated"
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "table-dropped"
    READS = "code"
    WORDS = ("drop table", "create_table")
    TRIED_ON = "30 trees: 1 hit, right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_CLASS + "    create_table :notes, id: :uuid do |t|\n    end\n  end\nend\n", path=_RAILS),
        Valid(
            "ActiveRecord::Schema.define do\n  create_table 'a', force: :cascade do |t|\n  end\nend\n",
            path="db/schema.rb",
        ),
        valid("drop table if exists a;\ncreate table b (id int);\n"),
        valid("drop table if exists a;\ncreate table a (id int);\n", "db/schema.sql"),
        valid(
            "create table b (id int);\ninsert into b select id from a;\ndrop table a;\nalter table b "
            "rename to a;\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            _CLASS + "    create_table :notes, force: true do |t|\n      t.text :a\n    end\n  end\nend\n",
            line=3,
            column=26,
            path=_RAILS,
        ),
        Invalid(
            _CLASS + '    create_table "notes", force: :cascade\n  end\nend\n', line=3, column=27, path=_RAILS
        ),
        invalid("drop table if exists a cascade;\ncreate table public.a (id bigint primary key);\n", 1, 1),
    ]

    def run(self) -> None:
        if self.source.path.endswith(".rb"):
            self._forced()
            return
        gone: dict[Name, int] = {}
        statements = list(self.script.of("DropStmt", "CreateStmt", "InsertStmt", "SelectStmt"))
        for number, statement in enumerate(statements):
            if statement.kind == "DropStmt" and statement.node.get("removeType") == "OBJECT_TABLE":
                gone |= {dotted(texts(items(one))): number for one in statement.node.get("objects", [])}
            elif statement.kind == "CreateStmt":
                name = self.script.name_of(statement.node.get("relation", {}))
                at = gone.pop(name, None)
                if at is not None and self.script.migrates(statement) and not self._is_kept(name):
                    self.say(statements[at], f"the rows of {name} are lost where it is there already")

    def _is_kept(self, name: Name) -> bool:
        """Whether the file reads the table, so that its rows may be somewhere else by then."""
        word = rf"(?i)\b(?:from|join|rename\s+to)\s+(?:\w+\.)?\"?{re.escape(name.name)}\b"
        return re.search(word, self.script.sql) is not None

    def _forced(self) -> None:
        text = self.source.text
        for found in _FORCED.finditer(text) if _MIGRATION.search(text) else ():
            place = self.script.span_of(found.start("force"), found.end("force"))
            self.report(place, "the table and its rows are dropped first, where it is there already")
