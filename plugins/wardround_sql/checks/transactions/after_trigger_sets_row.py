"""SQ202: a trigger that fires after a row was written sets values of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.schema.triggers import AFTER, bodies, triggers_of

_LATER = "db/migrations/0003_later.sql"
_STAMP = "  new.b := now();"


def _case(line: str, *triggers: str) -> str:
    """A function and its triggers."""
    calls = "on a for each row execute function f();"
    made = (f"create trigger t{number} {when} {calls}" for number, when in enumerate(triggers))
    head = "create function f() returns trigger language plpgsql as $$"
    return "\n".join((head, "begin", line, "  return new;", "end", "$$;", *made, ""))


class AfterTriggerSetsRow(SqlCheck):
    """A function sets values of NEW, and the trigger that calls it fires AFTER the row was written.

    The row is in the table by then, and the values go nowhere. Make it a BEFORE trigger.
    """

    ID = "SQ202"
    NAME = "after-trigger-sets-row"
    WORDS = ("trigger",)
    TRIED_ON = "24 trees, 148 files of them with functions of triggers: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid(_case(_STAMP, "before update")),
        valid(_case(_STAMP)),
        valid(_case(_STAMP, "before update", "after insert")),
        valid(_case("  perform g(new.b);", "after update")),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(_case(_STAMP, "after update"), 3, 3),
        invalid(_case('  NEW."b" = now();', "after insert or update"), 3, 3),
        invalid(
            _case(_STAMP),
            3,
            3,
            others={_LATER: "create trigger t after update on a for each row execute procedure f();\n"},
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare or not self.script.is_postgres:
            return
        found = [(body, body.changes()) for body in bodies(self.script) if not body.asks_what]
        called = triggers_of(self.script, {body.name for body, changes in found if changes})
        for body, changes in found:
            triggers = called.get(body.name, [])
            if changes and triggers and all(one.timing == AFTER for one in triggers):
                place = len(body.statement.text[: body.start + changes[0]].encode())
                says = "the row was written before this trigger fires, so what is set here goes nowhere"
                self.say(body.statement, says, place)
