"""SQ026: a constraint that is checked against every row while writes wait, in a migration written as code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import content

_ALEMBIC = "migrations/versions/1a2b_add.py"
_RAILS = "db/migrate/20240101000000_add.rb"
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
    TRIED_ON = "redash, healthchecks and 22 more trees: 5 hits, all read and true: a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "def upgrade():\n    op.create_check_constraint('c', 'notes', 'a > 0', "
            "postgresql_not_valid=True)\n",
            path=_ALEMBIC,
        ),
        Valid(
            "def upgrade():\n    op.create_table('notes', sa.Column('a', sa.Integer))\n"
            "    op.create_check_constraint('c', 'notes', 'a > 0')\n",
            path=_ALEMBIC,
        ),
        Valid(
            "class A < ActiveRecord::Migration[7.1]\n  def change\n"
            "    add_foreign_key :notes, :users, validate: false\n  end\nend\n",
            path=_RAILS,
        ),
        Valid("alter table notes add check (a > 0);\n", path="db/migrations/1.sql"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def upgrade():\n    op.create_check_constraint('c', 'notes', 'a > 0')\n",
            line=2,
            column=5,
            path=_ALEMBIC,
        ),
        Invalid(
            "def upgrade():\n    with op.batch_alter_table('notes') as batch:\n"
            "        batch.create_foreign_key('f', 'users', ['user_id'], ['id'])\n",
            line=3,
            column=9,
            path=_ALEMBIC,
        ),
        Invalid(
            "def upgrade():\n    op.alter_column('notes', 'a', nullable=False)\n",
            line=2,
            column=35,
            path=_ALEMBIC,
        ),
        Invalid(
            "class A < ActiveRecord::Migration[7.1]\n  def change\n    add_foreign_key :notes, "
            ":users\n  end\nend\n",
            line=3,
            column=5,
            path=_RAILS,
        ),
        Invalid(
            "class Migration(migrations.Migration):\n    operations = [\n        migrations.AddConstraint(\n"
            "            model_name='note', constraint=models.CheckConstraint(check=Q(a__gt=0), "
            "name='c')\n        ),\n    ]\n",
            line=3,
            column=9,
            path="notes/migrations/0002_check.py",
        ),
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
