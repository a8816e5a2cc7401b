"""SQ021: NOT NULL column added without a default."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import content, kinds, type_name
from wardround_sql.project import migration_files
from wardround_sql.queries.fact_types import Added
from wardround_sql.queries.facts import foreign_facts

_SELF_FILLED = frozenset({"serial", "bigserial", "smallserial", "serial4", "serial8", "serial2"})
_FILLS = frozenset({"CONSTR_DEFAULT", "CONSTR_IDENTITY", "CONSTR_GENERATED"})


class RequiredColumnWithoutDefault(SqlCheck):
    """NOT NULL column without a default, added to an existing table.

    The statement fails if the table has rows, since they have no value for the column, and running code fails
    at its next INSERT. Add a default, or add the column as nullable, fill it, then set it NOT NULL.
    """

    ID = "SQ021"
    NAME = "required-column-without-default"
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "required-column-added"
    WORDS = ("column", "add")

    VALID = [
        code("""
            alter table notes add column a int not null default 0;
        """),
        code("""
            alter table notes add column a int;
        """),
    ]
    INVALID = [
        code("""
            alter table notes add column «a» int not null;
        """),
        code("""
            ALTER TABLE "Notes"
              ADD COLUMN «"é"» TEXT NOT NULL UNIQUE,
              ADD COLUMN b INT;
        """),
    ]

    def run(self) -> None:
        if migration_files.is_migration(
            self.source.path, self.script.options.migrations
        ) and not migration_files.is_down(self.source.path):
            for fact in foreign_facts(self.script, Added):
                text = (
                    f"column {fact.column} is NOT NULL without a default, "
                    f"which fails if {fact.table} has rows; "
                    f"add a default"
                )
                self.report(fact.span, f"{text}{fact.note}")
        emptied = {
            self.script.name_of(t) for s in self.script.of("TruncateStmt") for t in s.kinds("RangeVar")
        }
        emptied |= {self.script.name_of(s.node.get("relation", {})) for s in self.script.of("DeleteStmt")}
        for statement, command in self.script.commands("AT_AddColumn"):
            table = self.script.name_of(statement.node.get("relation", {}))
            column = content(command.get("def"), "ColumnDef")
            if (
                column is None
                or self.script.is_new(table)
                or table in emptied
                or not self.script.migrates(statement)
            ):
                continue
            constraints = {
                constraint.get("contype") for constraint in kinds(column.get("constraints", []), "Constraint")
            }
            required = constraints & {"CONSTR_NOTNULL", "CONSTR_PRIMARY"}
            if (
                required
                and not constraints & _FILLS
                and type_name(column.get("typeName", {})) not in _SELF_FILLED
            ):
                text = (
                    f"column {column.get('colname')} is NOT NULL without a default, "
                    f"which fails if {table} has rows; "
                    "add a default"
                )
                self.report_at(statement, text, column.get("location"))
