"""The numbered migrations of the store's tables; applied in order, each once, never edited.

SQLite and PostgreSQL have migrations of the same numbers: types and triggers are written differently.
"""

from __future__ import annotations

from wardround.databases.append_only import (
    postgresql_function,
    postgresql_guard,
    postgresql_trigger,
    sqlite_trigger,
)
from wardround.databases.migrations import Migrations, Schema

_APPLIED = "schema_migrations"
_FUNCTION = "wardround_append_only"
_GUARD = "wardround_pruned_only"
_IS_PRUNED = "EXISTS (SELECT 1 FROM pruned_records WHERE sequence = OLD.sequence)"
"""True for a row whose record is listed as deleted: only such a row can be deleted."""

_SQLITE: Migrations = (
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
            sqlite_trigger(table, event)
            for table in ("records", "record_rules")
            for event in ("UPDATE", "DELETE")
        ),
        sqlite_trigger("chain_head", "DELETE"),
        sqlite_trigger("chain_head", "UPDATE", "WHEN NEW.sequence IS NOT OLD.sequence + 1"),
    ),
    (
        """
        CREATE TABLE pruned_records (
            sequence INTEGER PRIMARY KEY,
            digest TEXT NOT NULL,
            created TEXT NOT NULL,
            chain TEXT NOT NULL
        )
        """,
        "DROP TRIGGER records_DELETE",
        "DROP TRIGGER record_rules_DELETE",
        sqlite_trigger("records", "DELETE", f"WHEN NOT {_IS_PRUNED}"),
        sqlite_trigger("record_rules", "DELETE", f"WHEN NOT {_IS_PRUNED}"),
        sqlite_trigger("pruned_records", "UPDATE"),
        sqlite_trigger("pruned_records", "DELETE"),
    ),
)


_TABLES = ("records", "record_rules", "chain_head")
_REJECTED = {
    **{(table, "DELETE"): "FOR EACH ROW" for table in _TABLES},
    **{(table, "TRUNCATE"): "FOR EACH STATEMENT" for table in _TABLES},
    ("records", "UPDATE"): "FOR EACH ROW",
    ("record_rules", "UPDATE"): "FOR EACH ROW",
    ("chain_head", "UPDATE"): "FOR EACH ROW WHEN (NEW.sequence IS DISTINCT FROM OLD.sequence + 1)",
}
_REJECTED_OF_PRUNED = {
    "DELETE": "FOR EACH ROW", "TRUNCATE": "FOR EACH STATEMENT", "UPDATE": "FOR EACH ROW",
}  # fmt: skip
_TEXT = 'TEXT COLLATE "C" NOT NULL'
"""Text in the order of its bytes, as in SQLite: the chain covers the rules in their order."""

_POSTGRESQL: Migrations = (
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
        postgresql_function(_FUNCTION),
        *(
            statement
            for (table, event), scope in _REJECTED.items()
            for statement in postgresql_trigger(_FUNCTION, table, event, scope)
        ),
    ),
    (
        f"""
        CREATE TABLE pruned_records (
            sequence BIGINT PRIMARY KEY,
            digest {_TEXT},
            created {_TEXT},
            chain {_TEXT}
        )
        """,
        "DROP TRIGGER records_DELETE ON records",
        "DROP TRIGGER record_rules_DELETE ON record_rules",
        postgresql_guard(_GUARD, _IS_PRUNED),
        *postgresql_trigger(_GUARD, "records", "DELETE", "FOR EACH ROW"),
        *postgresql_trigger(_GUARD, "record_rules", "DELETE", "FOR EACH ROW"),
        *(
            statement
            for event, scope in _REJECTED_OF_PRUNED.items()
            for statement in postgresql_trigger(_FUNCTION, "pruned_records", event, scope)
        ),
    ),
)

SQLITE = Schema(_APPLIED, _SQLITE)
POSTGRESQL = Schema(_APPLIED, _POSTGRESQL)
