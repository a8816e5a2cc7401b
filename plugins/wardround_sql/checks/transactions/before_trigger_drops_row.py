from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from wardround.rules.cases import code
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
        own = {body.name: body for body in bodies(self.script)}
        triggers = triggers_of(self.script, own.keys())
        for body in own.values():
            defect = next(_defects(body, triggers.get(body.name, [])), None)
            if defect is not None:
                offset, message = defect
                text = body.statement.text
                location = None if offset is None else len(text[: body.start + offset].encode())
                self.report_at(body.statement, message, location)
        self._functions_elsewhere(own)

    def _functions_elsewhere(self, own: Collection[str]) -> None:
        """Report the triggers of this file whose function is in another file."""
        triggers = [trigger for trigger in map(trigger_of, self.script.of("CreateTrigStmt")) if trigger]
        others = [trigger for trigger in triggers if trigger.function not in own]
        functions = functions_of(self.script, {trigger.function for trigger in others})
        for trigger in others:
            body = functions.get(trigger.function)
            defect = next(_defects(body, [trigger]), None) if body is not None else None
            if defect is not None:
                self.report_at(trigger.statement, f"{trigger.function}: {defect[1]}")


def _defects(body: TriggerBody, triggers: list[Trigger]) -> Iterator[tuple[int | None, str]]:
    """Yield the defects of a function's return values, and their locations in its body."""
    if triggers:
        yield from _missing_return(body)
    before = [trigger for trigger in triggers if trigger.timing == BEFORE]
    last = body.last_return() if before else None
    if last is None:
        return
    deletes = any(trigger.events & DELETE for trigger in before)
    message = _return_defect(body, last, deletes=deletes)
    if message:
        yield last.start(), message


def _missing_return(body: TriggerBody) -> Iterator[tuple[int | None, str]]:
    message = _WITHOUT_RETURN.format(name=body.name)
    if body.lacks_return():
        yield body.changes()[-1], message
    elif not body.returned and not body.raises():
        yield None, message


_WITHOUT_RETURN = "{name} ends without RETURN, so the write that fires it fails; add RETURN NEW"


def _return_defect(body: TriggerBody, last: re.Match[str], *, deletes: bool) -> str:
    """Return the defect of a BEFORE trigger's last RETURN; empty if there is none."""
    value = last["what"].lower()
    if value == "null":
        return _null_defect(body, last)
    if body.tests_operation:
        return ""
    if value == "old" and not deletes and body.loses_changes(last.start()):
        return "BEFORE trigger returns OLD, which discards the values set in NEW; RETURN NEW"
    if value == "new" and deletes and body.returned == {"new"}:
        return "NEW is NULL for DELETE, which skips the delete; RETURN OLD"
    return ""


def _null_defect(body: TriggerBody, last: re.Match[str]) -> str:
    if body.loses_changes(last.start()) or body.only_notifies():
        return "BEFORE trigger returns NULL, which skips the write; RETURN NEW"
    return ""
