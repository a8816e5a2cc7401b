"""SQ050: the documentation of a dbt model still tells of a column that a change took out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.dbt import listed, model_change, span

_PATH = "models/orders.sql"
_DOCS = {
    "models/schema.yml": "models:\n  - name: orders\n    columns:\n      - name: id\n      - name: Total\n"
    "        description: in cents\n"
}


def _model(text: str) -> str:
    return text.replace("RAW", "from {{ ref('raw') }}")


def _valid(now: str, before: str, docs: dict[str, str] = _DOCS) -> Valid:
    return Valid(_model(now), path=_PATH, base=_model(before), others=docs)


def _invalid(now: str, before: str, line: int, column: int) -> Invalid:
    return Invalid(_model(now), line, column, path=_PATH, base=_model(before), others=_DOCS)


class DocumentedColumnGone(SqlCheck):
    """A change took a column out of a dbt model, and its properties file still documents it.

    Who reads the documentation asks for a column that is not there, and tests of it fail. Change the
    properties file in the same commit.
    """

    ID = "SQ050"
    NAME = "documented-column-gone"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    WORDS = ("{{",)
    TRIED_ON = (
        "history of 10 dbt projects, 3,486 commits with SQL: 81 hits, of which the author changed the "
        "documentation in 45; 30 of the 36 left were read, and all are right"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        _valid("select id RAW\n", "select id, note RAW\n"),
        _valid("select id, * RAW\n", "select id, total RAW\n"),
        _valid("select id, {{ star() }} RAW\n", "select id, total RAW\n"),
        _valid("select id, {% if x %} total, {% endif %} a RAW\n", "select id, total, a RAW\n"),
        _valid("select id, sum(x) as TOTAL RAW\n", "select id, total RAW\n"),
        _valid("select id RAW\n", "select id, total RAW\n", {}),
        _valid("select id RAW\n", "select id RAW\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid("select id RAW\n", "select id, total RAW\n", 1, 1),
        _invalid(
            "with raw as (\n  select * RAW\n), final as (\n  -- one, total\n"
            "  select r.id, coalesce(r.a, r.b) as amount from raw r\n)\nselect * from final\n",
            "with raw as (\n  select * RAW\n), final as (\n"
            "  select r.id, coalesce(r.a, r.b) as total from raw r\n)\nselect * from final\n",
            5,
            3,
        ),
        _invalid(
            "select id, {{ cents('x') }} as amount RAW\nunion all select 1, 2 from b\n",
            "select id, {{ cents('x') }} as total RAW\nunion all select 1, 2 from b\n",
            1,
            1,
        ),
    ]

    def run(self) -> None:
        change = model_change(self.source)
        gone = change.gone() if change else []
        if change is None or not gone:
            return
        now = gone[0][1] if len(gone) == 1 else None
        became = f'renamed it to "{now}"' if now else f"took {'it' if len(gone) == 1 else 'them'} out"
        said = listed([name for name, _ in gone])
        place = span(self.source.text, change.new.select, change.new.select + len("select"))
        self.report(place, f"{change.documented.path} documents {said}, but this change {became}")
