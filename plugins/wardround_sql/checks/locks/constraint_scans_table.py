"""SQ026: a constraint that is checked against every row while writes wait, in a migration written as code."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import content

_KINDS = {"CONSTR_FOREIGN": "foreign key", "CONSTR_CHECK": "check", "CONSTR_UNIQUE": "unique constraint"}


class ConstraintScansTable(SqlCheck):
    """A constraint is added to a table in use and checked at once.

    Every row is read while writes wait, for a unique constraint while its index is built. Add a foreign
    key or
    check ``NOT VALID`` (``postgresql_not_valid=True``,
    ``validate: false``) and validate it in the next migration;
    build the index of a unique constraint concurrently first. Of migrations in SQL squawk says the same.
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
            constraint = content(command.get("def"), "Constraint") or {}
            kind = _KINDS.get(constraint.get("contype", ""), "")
            if command.get("subtype") == "AT_SetNotNull":
                text = f"SET NOT NULL reads all of {table} under a lock that stops reads too"
                self.say(statement, text, None)
            elif kind and not constraint.get("skip_validation") and "indexname" not in constraint:
                wait = "is built" if kind == "unique constraint" else "is checked against every row"
                self.say(
                    statement, f"writes to {table} wait while this {kind} {wait}", constraint.get("location")
                )
