"""What each check is for. Not to be edited: ``wardround.checks.index`` writes it."""

from __future__ import annotations

from wardround.checks.registry import CheckEntry

TABLE: tuple[CheckEntry, ...] = (
    (
        "SQ090",
        "merged_migration_edited:MergedMigrationEdited",
        ("__", "alembic", "flyway", "migrat", "versions/"),
        (),
        "",
    ),
)
