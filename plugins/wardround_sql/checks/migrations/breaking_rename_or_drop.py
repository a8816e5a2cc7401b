from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import items, texts
from wardround_sql.project import migration_files
from wardround_sql.queries.fact_types import RemovedObject
from wardround_sql.queries.facts import foreign_facts
from wardround_sql.schema.model import name_of_parts


class BreakingRenameOrDrop(SqlCheck):
    """Column or table renamed or dropped by a migration.

    Code of the previous release is still running during the migration and fails when it uses the old name;
    dropped data is lost. Add the new column, write to both and move readers over; drop the old column one
    release after its last use. squawk reports the same for migrations in SQL.
    """

    ID = "SQ027"
    NAME = "breaking-rename-or-drop"
    DEFECT_CLASS = "renamed-or-dropped-in-code"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    WORDS = ("drop", "rename", "change ")

    CASE_PATH = "migrations/versions/1a2b_add.py"
    VALID = [
        code("""
            def upgrade():
                pass
            def downgrade():
                op.drop_column('notes', 'a')
        """),
        code("""
            def upgrade():
                op.create_table('tmp', sa.Column('a', sa.Integer))
                op.drop_table('tmp')
        """),
    ]
    INVALID = [
        code(
            """
            ALTER TABLE `notes`
              DROP COLUMN «`»a`;
            """,
            path="db/migrations/1.sql",
        ),
        code(
            """
            EXEC «sp_rename» 'dbo.Notes.A', 'B', 'COLUMN';
            GO
            """,
            path="db/migrations/1.sql",
        ),
    ]

    def run(self) -> None:
        self._other_dialects()
        if self.script.is_sql:
            return
        self._columns()
        self._renames()

    def _other_dialects(self) -> None:
        """Report migrations for other databases, which squawk does not read."""
        if not migration_files.is_migration(
            self.source.path, self.script.options.migrations
        ) or migration_files.is_down(self.source.path):
            return
        for fact in foreign_facts(self.script, RemovedObject):
            if fact.renamed and self._creates_table(fact.name):
                continue
            if fact.renamed:
                text = (
                    f"code that still uses the name {fact.name} fails after this rename; "
                    f"add the new name first{fact.note}"
                )
                self.report(fact.span, text, severity=Severity.WARN)
            else:
                self.report(
                    fact.span,
                    f"code that still uses {fact.name} fails, and its data is lost; "
                    f"drop it after its last use{fact.note}",
                )

    def _creates_table(self, table: str) -> bool:
        """Return True for a table that the file itself creates: SQLite changes a table by copying it."""
        name = table.rpartition(".")[2]
        created = rf"\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(?:\w+\.)?[\"`\[]?{re.escape(name)}\b"
        return re.search(created, self.source.text, re.IGNORECASE) is not None

    def _columns(self) -> None:
        for statement, command in self.script.commands("AT_DropColumn"):
            table = self.script.name_of(statement.node.get("relation", {}))
            if self._is_ignored(str(command.get("name"))):
                continue
            if self.script.migrates(statement) and not self.script.is_new(table):
                text = (
                    f"code that still uses {command.get('name')} of {table} fails, "
                    "and its data is lost; drop it after its last use"
                )
                self.report_at(statement, text)
        for statement in self.script.of("DropStmt"):
            if statement.node.get("removeType") != "OBJECT_TABLE" or not self.script.migrates(statement):
                continue
            for object in statement.node.get("objects", []):
                name = name_of_parts(texts(items(object)))
                if not self.script.is_new(name):
                    self.report_at(
                        statement,
                        f"code that still uses {name} fails, and its data is lost; "
                        "drop it after its last use",
                    )
                    break

    def _is_ignored(self, column: str) -> bool:
        """Return True if a Rails model already ignores a column."""
        project = self.source.project
        if not self.source.path.endswith(".rb"):
            return False
        models = project.files_with_word(("ignored_columns",), ("*.rb",))
        text = re.compile(rf"ignored_columns\b[^\n]*\b{re.escape(column)}\b")
        return any(text.search(project.read(path) or "") for path in models)

    def _renames(self) -> None:
        for statement in self.script.of("RenameStmt"):
            node = statement.node
            table = self.script.name_of(node.get("relation", {}))
            if not self.script.migrates(statement) or self.script.is_new(table):
                continue
            if node.get("renameType") in ("OBJECT_COLUMN", "OBJECT_TABLE"):
                old = node.get("subname") or table
                self.report_at(
                    statement,
                    f"code that still uses the name {old} fails after this rename; add the new name first",
                    None,
                    Severity.WARN,
                )
