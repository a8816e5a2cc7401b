"""SQ090: edited migration that was already merged."""

from __future__ import annotations

import ast
import re

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import change
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Span
from wardround.languages.python.tree import parse
from wardround_sql.project.migration_files import SUFFIXES, is_migration

_PYTHON_MIGRATION = LazyPattern(r"^class Migration\(|^down_revision\b", re.MULTILINE)
_COMMENTS = LazyPattern(r"--[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/|^[ \t]*(?://|#)[^\n]*", re.MULTILINE)
_SWEEP = 4
"""Number of edited migrations in one change that indicates an upgrade of the framework, not of the schema."""


class MergedMigrationEdited(ChangeCheck):
    """Edit of a migration that was already merged.

    Databases that ran it keep the old schema, new databases get a different one, and tools that verify
    checksums stop. Restore the migration and add a new one.
    """

    ID = "SQ090"
    NAME = "merged-migration-edited"
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
        edited = [file for file in self.change.files if _is_edited(file)]
        for file in edited if len(edited) < _SWEEP else ():
            lines = (file.text or "").split("\n")
            line = next((n for n in range(1, len(lines) + 1) if file.is_added(n)), 1)
            text = (
                "merged migration is edited, and databases that ran it do not receive the edit; "
                "add a new migration"
            )
            self.report(file.path, Span(line, 1, line, len(lines[line - 1]) + 1), text)


def _is_edited(file: ChangedFileView) -> bool:
    """Return True if the change alters the effect of a migration of the base."""
    if file.base_path != file.path or not is_migration(file.path):
        return False
    before, after = file.base_text, file.text
    if before is None or after is None or before == after:
        return False
    if file.path.endswith(".py"):
        return _PYTHON_MIGRATION.search(before) is not None and _tree(before) != _tree(after)
    return file.path.endswith(SUFFIXES) and _statements(before) != _statements(after)


def _tree(text: str) -> str:
    try:
        return ast.dump(parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _statements(text: str) -> list[str]:
    return _COMMENTS.sub(" ", text).split()
