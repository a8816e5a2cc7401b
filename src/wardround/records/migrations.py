"""The numbered migrations of the store's tables; applied in order, each once, never edited.

SQLite and PostgreSQL have migrations of the same numbers: types and triggers are written differently.
"""

from __future__ import annotations

from wardround.records.database import Database

Migrations = tuple[tuple[str, ...], ...]
"""The statements of each migration; the first has the number 1."""
_APPLIED = "schema_migrations"
_TRIGGER = """
CREATE TRIGGER {table}_{event} BEFORE {event} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

SQLITE: Migrations = (
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


_FUNCTION = """
CREATE FUNCTION wardround_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$
"""
_REJECT = """
CREATE TRIGGER {table}_{event} BEFORE {event} ON {table} {scope} EXECUTE FUNCTION wardround_append_only()
"""
_ALWAYS = "ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_{event}"
"""Without it, a session in the replica role would not run the trigger."""
_TABLES = ("records", "record_rules", "chain_head")
_REJECTED = {
    **{(table, "DELETE"): "FOR EACH ROW" for table in _TABLES},
    **{(table, "TRUNCATE"): "FOR EACH STATEMENT" for table in _TABLES},
    ("records", "UPDATE"): "FOR EACH ROW",
    ("record_rules", "UPDATE"): "FOR EACH ROW",
    ("chain_head", "UPDATE"): "FOR EACH ROW WHEN (NEW.sequence IS DISTINCT FROM OLD.sequence + 1)",
}
_TEXT = 'TEXT COLLATE "C" NOT NULL'
"""Text in the order of its bytes, as in SQLite: the chain covers the rules in their order."""

POSTGRESQL: Migrations = (
    (
        f"""
        CREATE TABLE records (
            sequence BIGINT PRIMARY KEY,
            previous {_TEXT},
            chain {_TEXT} UNIQUE,
            digest {_TEXT} UNIQUE,
            created {_TEXT},
            repository {_TEXT},
            base {_TEXT},
            head {_TEXT},
            context {_TEXT},
            verdict {_TEXT},
            tier {_TEXT},
            policy {_TEXT},
            author {_TEXT},
            bundle {_TEXT}
        )
        """,
        f"""
        CREATE TABLE record_rules (
            sequence BIGINT NOT NULL REFERENCES records (sequence),
            rule {_TEXT},
            PRIMARY KEY (sequence, rule)
        )
        """,
        "CREATE TABLE chain_head (id INTEGER PRIMARY KEY CHECK (id = 1), sequence BIGINT, chain TEXT)",
        "CREATE INDEX records_created ON records (created)",
        "CREATE INDEX records_context ON records (context)",
        "CREATE INDEX record_rules_rule ON record_rules (rule)",
        _FUNCTION,
        *(
            _REJECT.format(table=table, event=event, scope=scope)
            for (table, event), scope in _REJECTED.items()
        ),
        *(_ALWAYS.format(table=table, event=event) for table, event in _REJECTED),
    ),
)


class NewerSchema(Exception):
    """The tables were made by a newer version of wardround."""


def is_migrated(database: Database) -> bool:
    """Return True if the database has the tables of a store, of any version."""
    return database.has_table(_APPLIED)


def migrate(database: Database, migrations: Migrations) -> None:
    """Bring the tables to the current version; a database that has it is not written.

    Raises:
        NewerSchema: it has migrations that this version does not know.
    """
    if _last_migration(database) == len(migrations):
        return
    with database.transaction():
        database.execute(f"CREATE TABLE IF NOT EXISTS {_APPLIED} (number INTEGER PRIMARY KEY)")
        first = _last_migration(database)  # another process may have migrated before this one got the lock
        if first > len(migrations):
            raise NewerSchema(f"its tables have version {first}; this wardround knows {len(migrations)}")
        for number, statements in enumerate(migrations[first:], first + 1):
            for statement in statements:
                database.execute(statement)
            database.execute(f"INSERT INTO {_APPLIED} (number) VALUES (:number)", {"number": number})  # noqa: S608


def _last_migration(database: Database) -> int:
    """Return the number of the last migration; 0 for an empty database."""
    if not database.has_table(_APPLIED):
        return 0
    ((number,),) = database.execute(f"SELECT coalesce(max(number), 0) FROM {_APPLIED}")  # noqa: S608
    return int(number)
