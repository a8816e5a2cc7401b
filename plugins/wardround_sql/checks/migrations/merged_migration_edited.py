"""SQ090."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import ChangeCase
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Span
from wardround.languages.python.tree import parse
from wardround_sql.project.migration_files import SUFFIXES, is_migration

_DJANGO = "from django.db import migrations, models\nclass Migration(migrations.Migration):\n"
_BEFORE = f"{_DJANGO}    operations = [migrations.AddField('a', 'b', models.IntegerField())]\n"
_AFTER = f"{_DJANGO}    operations = [migrations.AddField('a', 'b', models.TextField())]\n"
_PATH = "shop/migrations/0002_b.py"
_PYTHON_MIGRATION = LazyPattern(r"^class Migration\(|^down_revision\b", re.MULTILINE)
_COMMENTS = LazyPattern(r"--[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/|^[ \t]*(?://|#)[^\n]*", re.MULTILINE)
_SWEEP = 4
"""So many migrations in one change are edited for an upgrade of the framework, not for the schema."""


class MergedMigrationEdited(ChangeCheck):
    """A migration that was merged before is edited.

    Databases that ran it keep the old schema and never see the edit, new ones get another schema, and tools
    that keep checksums refuse to go on. Leave it as it is and write a further migration.
    """

    ID = "SQ090"
    NAME = "merged-migration-edited"
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "merged-migration-edited"
    TRIED_ON = "only its cases"
    PATHS = ("migrat", "versions/", "flyway", "alembic", "__")
    VALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase({_PATH: (None, _AFTER)}, message="Add b"),
        ChangeCase(
            {_PATH: (_BEFORE, _BEFORE.replace("migrations.Add", "\\\n migrations.Add"))}, message="Fold"
        ),
        ChangeCase({_PATH: (_BEFORE, _AFTER)}),
        ChangeCase(
            {f"shop/migrations/000{n}_b.py": (_BEFORE, _AFTER) for n in range(2, 7)}, message="Upgrade Django"
        ),
        ChangeCase(
            {"db/migrations/V2__b.sql": ("CREATE TABLE b ();\n", "-- b\nCREATE TABLE b ();\n")},
            message="Explain",
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase({_PATH: (_BEFORE, _AFTER)}, (_PATH, 3, 1), message="Make b a text"),
        ChangeCase(
            {"db/migrations/V2__b.sql": ("CREATE TABLE b (n int);\n", "CREATE TABLE b (n text);\n")},
            ("db/migrations/V2__b.sql", 1, 1),
            message="Make n a text",
        ),
        ChangeCase(
            {"supabase/migrations/20240101_b.sql": ("CREATE TABLE b ();\n", "CREATE TABLE c ();\n")},
            ("supabase/migrations/20240101_b.sql", 1, 1),
            message="Rename b",
        ),
    ]

    def run(self) -> None:
        if not self.change.messages:  # before it is committed, a branch may still edit migrations of its own
            return
        edited = [file for file in self.change.files if _is_edited(file)]
        for file in edited if len(edited) < _SWEEP else ():
            lines = (file.text or "").split("\n")
            line = next((n for n in range(1, len(lines) + 1) if file.is_added(n)), 1)
            text = (
                "this migration was merged before; databases that ran it never see the edit: add another one"
            )
            self.report(file.path, Span(line, 1, line, len(lines[line - 1]) + 1), text)


def _is_edited(file: ChangedFileView) -> bool:
    """Return True if a migration of the base does something else after the change."""
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
