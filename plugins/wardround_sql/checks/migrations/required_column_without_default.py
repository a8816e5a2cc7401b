"""SQ021: a required column without a default, on a table that has rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import content, kinds, type_name
from wardround_sql.project import migration_files
from wardround_sql.queries.facts import Added, foreign_facts

_SELF_FILLED = frozenset({"serial", "bigserial", "smallserial", "serial4", "serial8", "serial2"})
_FILLS = frozenset({"CONSTR_DEFAULT", "CONSTR_IDENTITY", "CONSTR_GENERATED"})


_OWN_FIELD = (
    "import app.fields\nfrom django.db import migrations, models\nclass Migration(migrations.Migration):\n"
    "    operations = [\n        migrations.AddField('note', 'a', {}),\n    ]\n"
)


class RequiredColumnWithoutDefault(SqlCheck):
    """A NOT NULL column without a default is added to a table that exists.

    On a table with rows the statement fails, since they have no value for it; and code that is still running
    fails at its next INSERT. Give a default, or add the column nullable, fill it, then set it NOT NULL.
    """

    ID = "SQ021"
    NAME = "required-column-without-default"
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "required-column-added"
    WORDS = ("column", "add")
    TRIED_ON = "langfuse, formbricks: 6 read, all right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("alter table notes add column a int not null default 0;\n"),
        valid("alter table notes add column a int;\n"),
        valid("ALTER TABLE dbo.Notes ADD Region NVARCHAR(20) NOT NULL DEFAULT 'x';\nGO\n"),
        valid("ALTER TABLE `notes` ADD COLUMN `a` INT NOT NULL;\n"),
        valid("create table notes (id int);\nalter table notes add column a int not null;\n"),
        valid("alter table notes add column a bigint not null generated always as identity;\n"),
        valid("alter table notes add column a bigserial not null;\n"),
        valid("truncate notes;\nalter table notes add column a int not null;\n"),
        valid("alter table notes add column a int not null;\n", path="db/migrations/0002_change.down.sql"),
        Valid(
            _OWN_FIELD.format("app.fields.OptionalTextField(max_length=9)"), path="app/migrations/0002_add.py"
        ),
        Valid(_OWN_FIELD.format("CreatedField()"), path="app/migrations/0002_add.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("alter table notes add column a int not null;\n", 1, 30),
        invalid('ALTER TABLE "Notes"\n  ADD COLUMN "é" TEXT NOT NULL UNIQUE,\n  ADD COLUMN b INT;\n', 2, 14),
        invalid("alter table notes add column a uuid primary key;\n", 1, 30),
        invalid("ALTER TABLE dbo.Notes ADD Region NVARCHAR(20) NOT NULL;\nGO\n", 1, 27),
        Invalid(
            _OWN_FIELD.format("models.CharField(max_length=9)"),
            line=5,
            column=9,
            path="app/migrations/0002_add.py",
        ),
        Invalid(
            _OWN_FIELD.format("app.fields.TextField(null=False)"),
            line=5,
            column=9,
            path="app/migrations/0002_add.py",
        ),
        Invalid(
            "def upgrade():\n    op.add_column('notes', sa.Column('a', sa.Integer(), nullable=False))\n"
            "def downgrade():\n    op.drop_column('notes', 'a')\n",
            line=2,
            column=5,
            path="migrations/versions/1a2b_add.py",
        ),
    ]

    def run(self) -> None:
        if migration_files.is_migration(
            self.source.path, self.script.options.migrations
        ) and not migration_files.is_down(self.source.path):
            for found in foreign_facts(self.script, Added):
                text = (
                    f"column {found.column} is NOT NULL without a default: this "
                    f"fails if {found.table} has rows"
                )
                self.report(found.span, f"{text}{found.note}")
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
            constraints = {one.get("contype") for one in kinds(column.get("constraints", []), "Constraint")}
            required = constraints & {"CONSTR_NOTNULL", "CONSTR_PRIMARY"}
            if (
                required
                and not constraints & _FILLS
                and type_name(column.get("typeName", {})) not in _SELF_FILLED
            ):
                text = (
                    f"column {column.get('colname')} is NOT NULL without a default: this fails "
                    f"if {table} has rows"
                )
                self.say(statement, text, column.get("location"))
