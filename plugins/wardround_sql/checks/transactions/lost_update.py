"""SQ082: a value that is read, changed and written back, while others do the same."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.python_code import parsed_module
from wardround_sql.parsing.masking import masked_fragments, span_in
from wardround_sql.queries.lost_updates import of_django, of_python, of_routines, of_script

_HEAD = "create function f(p int) returns void language plpgsql as $$\ndeclare v int;\nbegin\n"


def _routine(body: str) -> str:
    return _HEAD + body + "end $$;\n"


_SETS = LazyPattern(r"(?i)\bupdate\s+[\w.]+\s+set\s")
_DJANGO = "from django.db import models\ndef f(pk):\n    {}\n    a.n -= 1\n    a.save()\n"


class LostUpdate(SqlCheck):
    """A value is read, a new one computed from it, and that written back.

    Two callers at the same time read the same value, and one of the two changes is lost. Let the database
    compute (``SET n = n - 1 WHERE n > 0``, Django's ``F()``), or lock the row when it is read: ``FOR
    UPDATE``, ``select_for_update()``.
    """

    ID = "SQ082"
    NAME = "lost-update"
    DEFECT_CLASS = "read-then-written-back"
    READS = "code"
    WORDS = ("into", "select @", ".save(", ".asave(", "update")
    TRIED_ON = "30 trees: 2 hits in hoppscotch, behind a lock of its own, wrong; mended: none"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid(
            _routine(
                "select n into v from a where id = p for update;\nupdate a set n = v - 1 where id = p;\n"
            )
        ),
        valid(
            _routine("select n into v from a where id = p;\nupdate a set n = v - 1 where id = p and n = v;\n")
        ),
        valid(_routine("select n into v from a where id = p;\nupdate b set n = v - 1 where id = p;\n")),
        valid(_routine("select n into v from a where id = p;\nupdate a set m = 1 where id = p;\n")),
        Valid(_DJANGO.format("a = A.objects.select_for_update().get(pk=pk)"), path="app/a.py"),
        Valid(_DJANGO.format("a = A(n=5)"), path="app/a.py"),
        Valid(
            "const a = await prisma.a.findUnique({ where });\n"
            "await prisma.a.update({ where, data: { n: { increment: a.step } } });\n",
            path="src/a.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(
            _routine("select n into v from a where id = p;\nv := v - 1;\nupdate a set n = v where id = p;\n"),
            4,
            1,
        ),
        invalid(
            _routine(
                "  select a.n into v from public.a where id = p;\n"
                "if v < 1 then raise exception 'x'; end if;\nupdate a set n = n - 1 where id = p;\n"
            ),
            4,
            3,
        ),
        invalid(
            "CREATE PROCEDURE dbo.p @id int AS\nBEGIN\nDECLARE @n int;\nSELECT @n = N FROM dbo.A WHERE "
            "Id = @id;\n"
            "UPDATE dbo.A SET N = @n - 1 WHERE Id = @id;\nEND;\nGO\n",
            4,
            1,
        ),
        Invalid(
            "const a = await prisma.a.findUnique({ where });\n"
            "await prisma.a.update({ where, data: { n: a.n - 1 } });\n",
            line=2,
            column=43,
            path="src/a.ts",
        ),
        Invalid(
            "import psycopg\ndef f(cur, pk):\n    cur.execute('SELECT n FROM a WHERE id = %s', (pk,))\n"
            "    (n,) = cur.fetchone()\n    cur.execute('UPDATE a SET n = %s WHERE id = %s', (n - 1, pk))\n",
            line=5,
            column=5,
            path="app/a.py",
        ),
        Invalid(_DJANGO.format("a = A.objects.get(pk=pk)"), line=4, column=5, path="app/a.py"),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        if self.source.path.endswith(".py"):
            self._of_python()
        elif not self.script.is_sql and not self.source.path.endswith((".rb", ".sh")):
            for start, end, name in of_script(self.source.text):
                self._note(start, end, f"{name} was read before; two requests at once lose one change")
        for fragment, code in masked_fragments(self.script) if self.script.is_sql else ():
            for start, end, column, _name in of_routines(code):
                span = span_in(self.script, fragment, start, end)
                self.report(
                    span, f"{column} is read here and written back below; two callers lose one change"
                )

    def _of_python(self) -> None:
        module = parsed_module(self.source.text)
        if module is None:
            return
        for call, column in of_python(module.tree) if _SETS.search(self.source.text) else ():
            start = module.place(call)[0]
            says = f"{column} is computed of what was read before; two callers lose one change"
            self._note(
                start, start + len(call.func.attr if isinstance(call.func, ast.Attribute) else ""), says
            )
        if ".objects" in self.source.text and any(name.startswith("django") for name in module.imports):
            for one, name in of_django(module.tree):
                says = f"{name} was read before; two requests lose one change: F() or select_for_update()"
                self._note(*module.place(one), says)

    def _note(self, start: int, end: int, says: str) -> None:
        self.report(self.script.span_of(start, max(end, start + 1)), says, severity=Severity.INFO)
