"""What each check is for. Not to be edited: ``wardround.check_table`` writes it."""

from __future__ import annotations

from wardround.late import Row

TABLE: tuple[Row, ...] = (
    (
        "SQ090",
        "merged_migration_edited:MergedMigrationEdited",
        ("__", "alembic", "flyway", "migrat", "versions/"),
        (),
        "",
    ),
)
