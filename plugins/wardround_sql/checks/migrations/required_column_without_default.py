from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, content, kinds, type_name
from wardround_sql.project import migration_files
from wardround_sql.queries.fact_types import AddedColumn
from wardround_sql.queries.facts import foreign_facts
from wardround_sql.schema.model import Name

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
        path = self.source.path
        is_migration = migration_files.is_migration(path, self.script.options.migrations)
        if is_migration and not migration_files.is_down(path):
            for fact in foreign_facts(self.script, AddedColumn):
                self.report(fact.span, f"{_message(fact.column, fact.table)}{fact.note}")
        emptied = self._emptied_tables()
        for statement, command in self.script.commands("AT_AddColumn"):
            table = self.script.name_of(statement.node.get("relation", {}))
            if self.script.is_new(table) or table in emptied or not self.script.migrates(statement):
                continue
            column = content(command.get("def"), "ColumnDef")
            if column is not None and _needs_value(column):
                message = _message(column.get("colname"), table)
                self.report_at(statement, message, column.get("location"))

    def _emptied_tables(self) -> set[Name]:
        """Return the tables that the file truncates or deletes from."""
        truncates, deletes = self.script.of("TruncateStmt"), self.script.of("DeleteStmt")
        truncated = {
            self.script.name_of(table) for truncate in truncates for table in truncate.kinds("RangeVar")
        }
        return truncated | {self.script.name_of(delete.node.get("relation", {})) for delete in deletes}


def _needs_value(column: Node) -> bool:
    """Return True if a column is NOT NULL and nothing fills it."""
    constraints = {
        constraint.get("contype") for constraint in kinds(column.get("constraints", []), "Constraint")
    }
    if not constraints & {"CONSTR_NOTNULL", "CONSTR_PRIMARY"} or constraints & _FILLS:
        return False
    return type_name(column.get("typeName", {})) not in _SELF_FILLED


def _message(column: object, table: object) -> str:
    return f"column {column} is NOT NULL without a default, which fails if {table} has rows; add a default"
