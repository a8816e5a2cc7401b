"""Triggers that reject changes of the rows of a table."""

from __future__ import annotations

_SQLITE_TRIGGER = """
CREATE TRIGGER {table}_{event} BEFORE {event} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""
_FUNCTION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$
"""
_GUARD = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
IF NOT {condition} THEN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END IF;
RETURN OLD;
END $$
"""
_TRIGGER = "CREATE TRIGGER {table}_{event} BEFORE {event} ON {table} {scope} EXECUTE FUNCTION {function}()"
_ALWAYS = "ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_{event}"
"""Without it, a session in the replica role would not run the trigger."""


def sqlite_trigger(table: str, event: str, condition: str = "") -> str:
    """Return the statement that makes SQLite reject an event, ``UPDATE`` or ``DELETE``.

    Args:
        condition: a WHEN clause; empty for all rows.
    """
    return _SQLITE_TRIGGER.format(table=table, event=event, condition=condition)


def postgresql_function(name: str) -> str:
    """Return the statement that creates the function of the triggers."""
    return _FUNCTION.format(name=name)


def postgresql_guard(name: str, condition: str) -> str:
    """Return the statement that creates a function for triggers against ``DELETE`` of some rows.

    Args:
        condition: true for a row, ``OLD``, that can be deleted.
    """
    return _GUARD.format(name=name, condition=condition)


def postgresql_trigger(function: str, table: str, event: str, scope: str) -> tuple[str, str]:
    """Return the statements that make PostgreSQL reject an event, also ``TRUNCATE``.

    Args:
        scope: ``FOR EACH ROW`` or ``FOR EACH STATEMENT``, with a WHEN clause to select rows.
    """
    return (
        _TRIGGER.format(table=table, event=event, scope=scope, function=function),
        _ALWAYS.format(table=table, event=event),
    )
