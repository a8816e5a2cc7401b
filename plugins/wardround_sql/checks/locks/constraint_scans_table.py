from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, content
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name

_KINDS = {"CONSTR_FOREIGN": "foreign key", "CONSTR_CHECK": "check", "CONSTR_UNIQUE": "unique constraint"}
_UNIQUE = ("is built", "build its index concurrently first")
_VALIDATED = ("is checked against every row", "add it NOT VALID and validate it later")


class ConstraintScansTable(SqlCheck):
    """Constraint validated as soon as it is added to an existing table, in a migration written as code.

    The statement reads every row, or builds the index of a unique constraint, while writes are blocked. Add a
    foreign key or check as ``NOT VALID`` (``postgresql_not_valid=True``, ``validate: false``) and validate it
    in the next migration; build the index of a unique constraint concurrently first. squawk reports the same
    for migrations in SQL.
    """

    ID = "SQ026"
    NAME = "constraint-scans-table"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "constraint-scans-table"
    WORDS = ("add ", "set not null")

    CASE_PATH = "migrations/versions/1a2b_add.py"
    VALID = [
        code("""
            def upgrade():
                op.create_check_constraint('c', 'notes', 'a > 0', postgresql_not_valid=True)
        """),
        code("""
            def upgrade():
                op.create_table('notes', sa.Column('a', sa.Integer))
                op.create_check_constraint('c', 'notes', 'a > 0')
        """),
    ]
    INVALID = [
        code("""
            def upgrade():
                «op.create_check_constraint»('c', 'notes', 'a > 0')
        """),
        code("""
            def upgrade():
                with op.batch_alter_table('notes') as batch:
                    «batch.create_foreign_key»('f', 'users', ['user_id'], ['id'])
        """),
    ]

    def run(self) -> None:
        if self.script.is_sql:
            return
        for statement, command in self.script.commands("AT_AddConstraint", "AT_SetNotNull"):
            table = self.script.name_of(statement.node.get("relation", {}))
            if self.script.is_new(table) or not self.script.migrates(statement):
                continue
            if command.get("subtype") == "AT_SetNotNull":
                text = (
                    f"SET NOT NULL scans {table} under a lock that also blocks reads; "
                    "validate a check constraint first"
                )
                self.report_at(statement, text, None)
            else:
                self._check_constraint(statement, table, content(command.get("def"), "Constraint") or {})

    def _check_constraint(self, statement: Statement, table: Name, constraint: Node) -> None:
        kind = _KINDS.get(constraint.get("contype", ""), "")
        if kind and not constraint.get("skip_validation") and "indexname" not in constraint:
            cause, remedy = _UNIQUE if kind == "unique constraint" else _VALIDATED
            self.report_at(
                statement,
                f"writes to {table} are blocked while this {kind} {cause}; {remedy}",
                constraint.get("location"),
            )
