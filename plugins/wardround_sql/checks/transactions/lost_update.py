from __future__ import annotations

import ast

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.python_code import parsed_module
from wardround_sql.parsing.masking import masked_fragments, span_in
from wardround_sql.queries.lost_updates import (
    django_lost_updates,
    python_lost_updates,
    routine_lost_updates,
    script_lost_updates,
)

_SETS = LazyPattern(r"(?i)\bupdate\s+[\w.]+\s+set\s")


class LostUpdate(SqlCheck):
    """Read-modify-write of a value without a lock.

    Two concurrent callers read the same value, and one of the two changes is lost. Let the database compute
    (``SET n = n - 1 WHERE n > 0``, Django's ``F()``), or lock the row when it is read: ``FOR UPDATE``,
    ``select_for_update()``.
    """

    ID = "SQ082"
    NAME = "lost-update"
    DEFECT_CLASS = "read-then-written-back"
    READS = "code"
    WORDS = ("into", "select @", ".save(", ".asave(", "update")

    VALID = [
        code("""
            create function f(p int) returns void language plpgsql as $$
            declare v int;
            begin
            select n into v from a where id = p for update;
            update a set n = v - 1 where id = p;
            end $$;
        """),
        code("""
            create function f(p int) returns void language plpgsql as $$
            declare v int;
            begin
            select n into v from a where id = p;
            update a set n = v - 1 where id = p and n = v;
            end $$;
        """),
    ]
    INVALID = [
        code("""
            create function f(p int) returns void language plpgsql as $$
            declare v int;
            begin
            «select» n into v from a where id = p;
            v := v - 1;
            update a set n = v where id = p;
            end $$;
        """),
        code("""
            create function f(p int) returns void language plpgsql as $$
            declare v int;
            begin
              «select» a.n into v from public.a where id = p;
            if v < 1 then raise exception 'x'; end if;
            update a set n = n - 1 where id = p;
            end $$;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        if self.source.path.endswith(".py"):
            self._check_python()
        elif not self.script.is_sql and not self.source.path.endswith((".rb", ".sh")):
            for start, end, name in script_lost_updates(self.source.text):
                self._note(
                    start,
                    end,
                    f"{name} is computed from an earlier read, "
                    "so concurrent requests lose a change; lock the row",
                )
        for fragment, masked in masked_fragments(self.script) if self.script.is_sql else ():
            for start, end, column, _name in routine_lost_updates(masked):
                span = span_in(self.script, fragment, start, end)
                self.report(
                    span,
                    f"{column} is read here and written back below, "
                    "so concurrent callers lose a change; add FOR UPDATE",
                )

    def _check_python(self) -> None:
        module = parsed_module(self.source.text)
        if module is None:
            return
        for call, column in python_lost_updates(module.tree) if _SETS.search(self.source.text) else ():
            start = module.place(call)[0]
            message = (
                f"{column} is computed from an earlier read, so concurrent callers lose a change; "
                "compute it in SQL"
            )
            self._note(
                start, start + len(call.func.attr if isinstance(call.func, ast.Attribute) else ""), message
            )
        if ".objects" in self.source.text and any(name.startswith("django") for name in module.imports):
            for item, name in django_lost_updates(module.tree):
                message = (
                    f"{name} is computed from an earlier read, so concurrent requests lose a change; "
                    "use F() or select_for_update()"
                )
                self._note(*module.place(item), message)

    def _note(self, start: int, end: int, message: str) -> None:
        self.report(
            self.script.locations.span_of(start, max(end, start + 1)), message, severity=Severity.INFO
        )
