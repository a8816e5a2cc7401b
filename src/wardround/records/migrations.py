"""The numbered migrations of the store's tables; applied in order, each once, never edited."""

from __future__ import annotations

from wardround.records.database import Database

_TRIGGER = """
CREATE TRIGGER {table}_{event} BEFORE {event} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE records (
            sequence INTEGER PRIMARY KEY,
            previous TEXT NOT NULL,
            chain TEXT NOT NULL UNIQUE,
            digest TEXT NOT NULL UNIQUE,
            created TEXT NOT NULL,
            repository TEXT NOT NULL,
            base TEXT NOT NULL,
            head TEXT NOT NULL,
            context TEXT NOT NULL,
            verdict TEXT NOT NULL,
            tier TEXT NOT NULL,
            policy TEXT NOT NULL,
            author TEXT NOT NULL,
            bundle TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE record_rules (
            sequence INTEGER NOT NULL REFERENCES records (sequence),
            rule TEXT NOT NULL,
            PRIMARY KEY (sequence, rule)
        )
        """,
        "CREATE TABLE chain_head (id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER, chain TEXT)",
        "CREATE INDEX records_created ON records (created)",
        "CREATE INDEX records_context ON records (context)",
        "CREATE INDEX record_rules_rule ON record_rules (rule)",
        *(
            _TRIGGER.format(table=table, event=event, condition="")
            for table in ("records", "record_rules")
            for event in ("UPDATE", "DELETE")
        ),
        _TRIGGER.format(table="chain_head", event="DELETE", condition=""),
        _TRIGGER.format(
            table="chain_head", event="UPDATE", condition="WHEN NEW.sequence IS NOT OLD.sequence + 1"
        ),
    ),
)


class NewerSchema(Exception):
    """The tables were made by a newer version of wardround."""


def migrate(database: Database) -> None:
    """Bring the tables to the current version; a database that has it is not written.

    Raises:
        NewerSchema: it has migrations that this version does not know.
    """
    if _applied(database) == len(MIGRATIONS):
        return
    with database.transaction():
        database.execute("CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY)")
        first = _applied(database)  # another process may have migrated before this one got the lock
        if first > len(MIGRATIONS):
            raise NewerSchema(f"its tables have version {first}; this wardround knows {len(MIGRATIONS)}")
        for number, statements in enumerate(MIGRATIONS[first:], first + 1):
            for statement in statements:
                database.execute(statement)
            database.execute("INSERT INTO schema_migrations (number) VALUES (:number)", {"number": number})


def _applied(database: Database) -> int:
    """Return the number of the last migration; 0 for an empty database."""
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'"):
        return 0
    ((number,),) = database.execute("SELECT coalesce(max(number), 0) FROM schema_migrations")
    return int(number)
