"""SQ059: a condition that is built and thrown away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.check import SqlCheck

_PATH = "app/store.py"


class DiscardedQueryFilter(SqlCheck):
    """where(), filter() or order_by() is called and its result is not kept.

    Statements of SQLAlchemy and querysets of Django are not changed by these calls: they give back a new one.
    What runs is the old statement, of every row. Write ``stmt = stmt.where(...)``.
    """

    ID = "SQ059"
    NAME = "discarded-query-filter"
    DEFECT_CLASS = "narrowed-statement-not-kept"
    WORDS = ()
    TRIED_ON = "13 trees with SQLAlchemy or Django: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("q = delete(Note)\nq = q.where(Note.id == 1)\nsession.execute(q)\n", path=_PATH),
        Valid("q = Note.objects.all()\nq.filter(a=1).delete()\n", path=_PATH),
        Valid("pipeline = Pipeline()\npipeline.filter(a)\nx = 'delete'\n", path=_PATH),
        Valid("q = select(Note)\nreturn_value = q.where(Note.id == 1)\n", path=_PATH),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "q = delete(Note)\nq.where(Note.id == 1)\nsession.execute(q)\n", line=2, column=1, path=_PATH
        ),
        Invalid(
            "def f(s):\n    q = select(Note)\n    if s:\n        q.order_by(Note.id)\n    return "
            "s.scalars(q)\n",
            line=4,
            column=9,
            path=_PATH,
        ),
        Invalid("q = Note.objects.filter(a=1)\nq.filter(b=2)\nq.update(c=1)\n", line=2, column=1, path=_PATH),
        Invalid("q = session.query(Note)\nq.filter(Note.b == 2)\nq.delete()\n", line=2, column=1, path=_PATH),
    ]

    def run(self) -> None:
        for one in () if self.script.is_spare else self.script.discarded:
            text = f"the result of {one.call}() is not kept, so {one.name} is as it was before"
            self.report(self.script.span_of(one.start, one.end), text)
