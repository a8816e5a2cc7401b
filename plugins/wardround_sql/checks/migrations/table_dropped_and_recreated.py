from __future__ import annotations

import re

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import items, texts
from wardround_sql.schema.model import Name, name_of_parts

_FORCED = LazyPattern(
    r"^[ \t]*create_table\b[^\n#]*?(?P<force>\bforce:\s*(?:true|:cascade)|:force\s*=>\s*true)", re.MULTILINE
)
_MIGRATION = LazyPattern(r"\bActiveRecord::Migration\b")


class TableDroppedAndRecreated(SqlCheck):
    """Table dropped by the migration that creates it.

    If the table already exists, because of an earlier migration or a manual change, its rows are lost
    silently. Remove the drop, so that the migration fails instead of deleting data.
    """

    ID = "SQ078"
    NAME = "table-dropped-and-recreated"
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "table-dropped"
    READS = "code"
    WORDS = ("drop table", "create_table")

    CASE_PATH = "db/migrate/20240101000000_a.rb"
    VALID = [
        code("""
            class A < ActiveRecord::Migration[7.1]
              def change
                create_table :notes, id: :uuid do |t|
                end
              end
            end
        """),
        code(
            """
            ActiveRecord::Schema.define do
              create_table 'a', force: :cascade do |t|
              end
            end
            """,
            path="db/schema.rb",
        ),
    ]
    INVALID = [
        code("""
            class A < ActiveRecord::Migration[7.1]
              def change
                create_table :notes, «force: true» do |t|
                  t.text :a
                end
              end
            end
        """),
        code("""
            class A < ActiveRecord::Migration[7.1]
              def change
                create_table "notes", «force: :cascade»
              end
            end
        """),
    ]

    def run(self) -> None:
        if self.source.path.endswith(".rb"):
            self._report_forced_drops()
            return
        dropped: dict[Name, int] = {}
        statements = list(self.script.of("DropStmt", "CreateStmt", "InsertStmt", "SelectStmt"))
        for number, statement in enumerate(statements):
            if statement.kind == "DropStmt" and statement.node.get("removeType") == "OBJECT_TABLE":
                dropped |= {
                    name_of_parts(texts(items(object))): number
                    for object in statement.node.get("objects", [])
                }
            elif statement.kind == "CreateStmt":
                name = self.script.name_of(statement.node.get("relation", {}))
                position = dropped.pop(name, None)
                if position is not None and self.script.migrates(statement) and not self._is_copied(name):
                    self.report_at(
                        statements[position],
                        f"rows of {name} are lost if the table already exists; remove the drop",
                    )

    def _is_copied(self, name: Name) -> bool:
        """Return True if the file reads the table, so that its rows may be copied before."""
        word = rf"(?i)\b(?:from|join|rename\s+to)\s+(?:\w+\.)?\"?{re.escape(name.name)}\b"
        return re.search(word, self.script.sql) is not None

    def _report_forced_drops(self) -> None:
        text = self.source.text
        for match in _FORCED.finditer(text) if _MIGRATION.search(text) else ():
            location = self.script.locations.span_of(match.start("force"), match.end("force"))
            self.report(location, "force drops an existing table and its rows first; remove it")
