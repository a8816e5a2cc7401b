"""The numbered migrations of the tables of sequences; applied in order, each once, never edited.

SQLite and PostgreSQL have migrations of the same numbers. All names begin with ``lab_``: a record store may
be in the same database.

Rewards and outcomes are entries, too; their tables are what queries need of them. Contents are stored once.
"""

from __future__ import annotations

from wardround.databases.append_only import postgresql_function, postgresql_trigger, sqlite_trigger
from wardround.databases.migrations import Migrations, Schema

_APPLIED = "lab_migrations"
_FUNCTION = "wardround_lab_append_only"
_TABLES = (
    "lab_runs",
    "lab_sequences",
    "lab_configurations",
    "lab_contents",
    "lab_entries",
    "lab_rewards",
    "lab_outcomes",
)


def _tables(text: str, content: str, number: str, options: str = "") -> tuple[str, ...]:
    """Return the statements that create tables and indexes, for the types of a database.

    Args:
        options: of the tables whose rows have no large values.
    """
    return (
        f"CREATE TABLE lab_runs (id {text} PRIMARY KEY, created {text}, run {content})",
        f"""
        CREATE TABLE lab_sequences (
            id {text} PRIMARY KEY,
            run {text},
            experiment {text},
            instance {text},
            repository {text},
            created {text},
            header {content}
        )
        """,
        f"""
        CREATE TABLE lab_configurations (
            sequence {text} REFERENCES lab_sequences (id),
            name {text},
            value {text},
            PRIMARY KEY (sequence, name)
        ) {options}
        """,
        f"CREATE TABLE lab_contents (digest {text} PRIMARY KEY, content {content})",
        f"""
        CREATE TABLE lab_entries (
            sequence {text} REFERENCES lab_sequences (id),
            position INTEGER NOT NULL,
            kind {text},
            name {text},
            request {text},
            digest {text} REFERENCES lab_contents (digest),
            PRIMARY KEY (sequence, position)
        ) {options}
        """,
        f"""
        CREATE TABLE lab_rewards (
            sequence {text} REFERENCES lab_sequences (id),
            name {text},
            position INTEGER NOT NULL,
            value {number},
            PRIMARY KEY (sequence, name, position)
        ) {options}
        """,
        f"""
        CREATE TABLE lab_outcomes (
            sequence {text} PRIMARY KEY REFERENCES lab_sequences (id),
            outcome {text}
        ) {options}
        """,
        "CREATE INDEX lab_sequences_time ON lab_sequences (created, id)",
        "CREATE INDEX lab_sequences_run ON lab_sequences (run, created, id)",
        "CREATE INDEX lab_sequences_instance ON lab_sequences (instance)",
    )


_SQLITE: Migrations = (
    (
        *_tables("TEXT NOT NULL", "BLOB NOT NULL", "REAL NOT NULL", "WITHOUT ROWID"),
        *(sqlite_trigger(table, event) for table in _TABLES for event in ("UPDATE", "DELETE")),
    ),
)
_SCOPES = {"UPDATE": "FOR EACH ROW", "DELETE": "FOR EACH ROW", "TRUNCATE": "FOR EACH STATEMENT"}
_POSTGRESQL: Migrations = (
    (
        *_tables('TEXT COLLATE "C" NOT NULL', "BYTEA NOT NULL", "DOUBLE PRECISION NOT NULL"),
        postgresql_function(_FUNCTION),
        *(
            statement
            for table in _TABLES
            for event, scope in _SCOPES.items()
            for statement in postgresql_trigger(_FUNCTION, table, event, scope)
        ),
    ),
)

SQLITE = Schema(_APPLIED, _SQLITE)
POSTGRESQL = Schema(_APPLIED, _POSTGRESQL)
