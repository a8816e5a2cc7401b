"""SQ201: BEFORE trigger that cancels the write."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.checks.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.schema.triggers import (
    BEFORE,
    DELETE,
    Trigger,
    TriggerBody,
    bodies,
    functions_of,
    trigger_of,
    triggers_of,
)


class BeforeTriggerDropsRow(SqlCheck):
    """BEFORE row trigger that returns NULL or the wrong row, which cancels the write.

    No error is raised: the statement reports 0 changed rows. A function that sets values of NEW must end with
    ``RETURN NEW``; one for DELETE with ``RETURN OLD``, since NEW is NULL then. ``RETURN NULL`` is for AFTER
    triggers, and for skipping a row deliberately. Without any RETURN every write fails.
    """

    ID = "SQ201"
    NAME = "before-trigger-drops-row"
    WORDS = ("trigger",)

    VALID = [
        code("""
            create function f() returns trigger language plpgsql as $$
            begin
              new.b := 1;
              return new;
            end
            $$;
            create trigger t before insert on a for each row execute function f();
        """),
        code("""
            create function f() returns trigger language plpgsql as $$
            begin
              insert into audit_log values (new.b);
              return null;
            end
            $$;
            create trigger t after insert on a for each row execute function f();
        """),
    ]
    INVALID = [
        code("""
            create function f() returns trigger language plpgsql as $$
            begin
              new.b := upper(new.b);
              «return» null;
            end
            $$;
            create trigger t before insert on a for each row execute function f();
        """),
        code("""
            create function f() returns trigger language plpgsql as $$
            begin
              perform pg_notify('a', new.b);
              «return» null;
            end
            $$;
            create trigger t before update on a for each row execute function f();
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production or not self.script.is_postgres:
            return
        mine = {body.name: body for body in bodies(self.script)}
        triggers = triggers_of(self.script, mine.keys())
        for body in mine.values():
            for offset, message in _defects(body, triggers.get(body.name, [])):
                location = (
                    None if offset is None else len(body.statement.text[: body.start + offset].encode())
                )
                self.report_at(body.statement, message, location)
                break
        own = [item for item in map(trigger_of, self.script.of("CreateTrigStmt")) if item is not None]
        others = [entry for entry in own if entry.function not in mine]
        elsewhere = functions_of(self.script, {other.function for other in others})
        for trigger in others:
            result = elsewhere.get(trigger.function)
            for _at, message in _defects(result, [trigger]) if result is not None else ():
                self.report_at(trigger.statement, f"{trigger.function}: {message}")
                break


def _defects(body: TriggerBody, triggers: list[Trigger]) -> Iterator[tuple[int | None, str]]:
    """Yield the defects of a function's return values, and their locations in its body."""
    if triggers and (body.lacks_return() or not (body.given or body.raises())):
        offset = body.changes()[-1] if body.lacks_return() else None
        yield offset, f"{body.name} ends without RETURN, so the write that fires it fails; add RETURN NEW"
    before = [item for item in triggers if item.timing == BEFORE]
    last = body.last_return() if before else None
    if last is None:
        return
    what = last["what"].lower()
    deletes = any(entry.events & DELETE for entry in before)
    if what == "null" and (body.loses_changes(last.start()) or body.only_notifies()):
        yield (
            last.start(),
            "BEFORE trigger returns NULL, which skips the write; RETURN NEW",
        )
    elif what == "old" and not deletes and not body.tests_operation and body.loses_changes(last.start()):
        yield last.start(), "BEFORE trigger returns OLD, which discards the values set in NEW; RETURN NEW"
    elif what == "new" and deletes and body.given == {"new"} and not body.tests_operation:
        yield last.start(), "NEW is NULL for DELETE, which skips the delete; RETURN OLD"
