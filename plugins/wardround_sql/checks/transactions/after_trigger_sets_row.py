from __future__ import annotations

from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.schema.triggers import AFTER, bodies, triggers_of


class AfterTriggerSetsRow(SqlCheck):
    """Function that sets values of NEW, called by an AFTER trigger.

    The row is already written when the trigger fires, so the values are discarded. Make it a BEFORE trigger.
    """

    ID = "SQ202"
    NAME = "after-trigger-sets-row"
    WORDS = ("trigger",)

    VALID = [
        code("""
            create function f() returns trigger language plpgsql as $$
            begin
              new.b := now();
              return new;
            end
            $$;
            create trigger t0 before update on a for each row execute function f();
        """),
        code("""
            create function f() returns trigger language plpgsql as $$
            begin
              new.b := now();
              return new;
            end
            $$;
        """),
    ]
    INVALID = [
        code("""
            create function f() returns trigger language plpgsql as $$
            begin
              «new.b» := now();
              return new;
            end
            $$;
            create trigger t0 after update on a for each row execute function f();
        """),
        code("""
            create function f() returns trigger language plpgsql as $$
            begin
              «NEW»."b" = now();
              return new;
            end
            $$;
            create trigger t0 after insert or update on a for each row execute function f();
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production or not self.script.is_postgres:
            return
        changed = [body for body in bodies(self.script) if not body.tests_operation and body.changes()]
        called = triggers_of(self.script, {body.name for body in changed})
        for body in changed:
            if {trigger.timing for trigger in called.get(body.name, [])} == {AFTER}:
                location = len(body.statement.text[: body.start + body.changes()[0]].encode())
                message = (
                    "AFTER trigger sets NEW after the row is written, so the value is discarded; "
                    "use a BEFORE trigger"
                )
                self.report_at(body.statement, message, location)
