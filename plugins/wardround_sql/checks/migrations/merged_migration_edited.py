from __future__ import annotations

import re

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround_sql.parsing.dialects import POSTGRES, detected_dialect
from wardround_sql.parsing.jinja import is_template
from wardround_sql.parsing.statements import SqlFragment, parse_fragment
from wardround_sql.project.migration_edits import has_same_effect, tables_in
from wardround_sql.project.migration_files import SUFFIXES, is_down, is_migration, set_root

_PYTHON_MIGRATION = LazyPattern(r"^class Migration\(|^down_revision\b", re.MULTILINE)
_SWEEP = 4
"""Number of edited migrations in one change that indicates an upgrade of the framework, not of the schema."""


class MergedMigrationEdited(ChangeCheck):
    """Edit of a migration that an earlier commit added.

    Databases that ran it keep the old schema, new databases get a different one, and tools that verify
    checksums stop. Restore the migration and add a new one. Not reported are rollbacks, edits with the same
    schema (spaces, quotes, ``IF NOT EXISTS``), repairs of statements that PostgreSQL cannot parse, and edits
    whose tables a new migration of the same change alters.
    """

    ID = "SQ090"
    NAME = "merged-migration-edited"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "merged-migration-edited"
    PATHS = ("migrat", "versions/", "flyway", "alembic", "__")
    VALID = [
        change(
            {
                "shop/migrations/0002_b.py": (
                    None,
                    """
                    from django.db import migrations, models
                    class Migration(migrations.Migration):
                        operations = [migrations.AddField('a', 'b', models.TextField())]
                    """,
                ),
            },
            message="Add b",
        ),
        change(
            {
                "shop/migrations/0002_b.py": (
                    """
                    from django.db import migrations, models
                    class Migration(migrations.Migration):
                        operations = [migrations.AddField('a', 'b', models.IntegerField())]
                    """,
                    r"""
                    from django.db import migrations, models
                    class Migration(migrations.Migration):
                        operations = [\
                     migrations.AddField('a', 'b', models.IntegerField())]
                    """,
                ),
            },
            message="Fold",
        ),
    ]
    INVALID = [
        change(
            {
                "shop/migrations/0002_b.py": (
                    """
                    from django.db import migrations, models
                    class Migration(migrations.Migration):
                        operations = [migrations.AddField('a', 'b', models.IntegerField())]
                    """,
                    """
                    from django.db import migrations, models
                    class Migration(migrations.Migration):
                    «    operations = [migrations.AddField('a', 'b', models.TextField())]»
                    """,
                ),
            },
            message="Make b a text",
        ),
        change(
            {
                "db/migrations/V2__b.sql": (
                    """
                    CREATE TABLE b (n int);
                    """,
                    """
                    «CREATE TABLE b (n text);»
                    """,
                ),
            },
            message="Make n a text",
        ),
    ]

    def run(self) -> None:
        if not self.change.messages:  # before it is committed, a branch may still edit its own migrations
            return
        edited = [file for file in self.change.files if _is_edited(file) and not self._is_followed(file)]
        for file in edited if len(edited) < _SWEEP else ():
            lines = (file.text or "").split("\n")
            line = next((n for n in range(1, len(lines) + 1) if file.is_added(n)), 1)
            text = (
                "migration of an earlier commit is edited; databases that ran it do not receive the edit, "
                "so add a new migration"
            )
            self.report(file.path, Span(line, 1, line, len(lines[line - 1]) + 1), text)

    def _is_followed(self, file: ChangedFileView) -> bool:
        """Return True if the change adds a migration of the same set for a table of the edited one."""
        added = (
            other
            for other in self.change.files
            if other.base_path is None
            and is_migration(other.path)
            and set_root(other.path) == set_root(file.path)
        )
        tables = tables_in(file.text or "")
        return any(not tables.isdisjoint(tables_in(migration.text or "")) for migration in added)


def _is_edited(file: ChangedFileView) -> bool:
    """Return True if the change alters the effect of a migration of the base."""
    if file.base_path != file.path or not is_migration(file.path) or is_down(file.path):
        return False
    before, after = file.base_text, file.text
    if before is None or after is None or before == after:
        return False
    if not _contains_migration(file.path, before):
        return False
    return not has_same_effect(file.path, before, after)


def _contains_migration(path: str, text: str) -> bool:
    """Return True if a file has a migration that could run."""
    if path.endswith(".py"):
        return _PYTHON_MIGRATION.search(text) is not None
    return path.endswith(SUFFIXES) and not _is_broken(path, text)


def _is_broken(path: str, text: str) -> bool:
    """Return True if a migration for PostgreSQL has a statement that PostgreSQL cannot parse, so that it
    never ran.
    """
    if detected_dialect(path, text) not in ("", POSTGRES) or is_template(text):
        return False
    return bool(parse_fragment(SqlFragment(text, migrates=True), path).unparsed)
