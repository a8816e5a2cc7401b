"""SQ051: a change brought a column to a dbt model whose documentation tells of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.dbt import listed, model_change, span

_PATH = "models/orders.sql"
_SCHEMA = (
    "models:\n  - name: orders\n    columns:\n      - {name: id, description: of the order}\n"
    "      - {name: total, description: in cents}\n"
    "  - name: others\n    columns:\n      - {name: note, description: as typed}\n"
)
_DOCS = {"models/schema.yml": _SCHEMA}
_LISTED = {"models/schema.yml": _SCHEMA.replace("description: in cents", "tests: [not_null]")}


def _model(text: str) -> str:
    return text.replace("RAW", "from {{ ref('raw') }}")


def _valid(now: str, before: str, docs: dict[str, str] = _DOCS) -> Valid:
    return Valid(_model(now), path=_PATH, base=_model(before), others=docs)


def _invalid(now: str, before: str, line: int, column: int) -> Invalid:
    return Invalid(_model(now), line, column, path=_PATH, base=_model(before), others=_DOCS)


class ColumnUndocumented(SqlCheck):
    """A change brought a column to a dbt model whose properties file describes the others, and not this one.

    The properties file looks complete, so nobody looks for the new column in the model. Describe it in the
    same commit. Silent where more than one in ten of the others has no description.
    """

    ID = "SQ051"
    NAME = "column-undocumented"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    WORDS = ("{{",)
    TRIED_ON = (
        "history of 65 dbt projects, 35,945 commits with SQL: 1,807 hits, of which the author documented "
        "the column in 1,270; of the 537 left, 52 were read: 21 right, 16 wrong, 15 in doubt; in the 11 "
        "projects that nobody had read before it was 17, 9 and 12 of 38. All are true, but many authors "
        "never describe the column, so it is a note"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        _valid("select id, total RAW\n", "select id RAW\n"),
        _valid("select id, amount RAW\n", "select id, total RAW\n"),
        _valid("select id, total, note, * RAW\n", "select id, total RAW\n"),
        _valid("select id, total, a, note RAW\n", "select id, total, a RAW\n"),
        _valid("select id, total, note RAW\n", "select id, total RAW\n", _LISTED),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid("select id, total, note RAW\n", "select id, total RAW\n", 1, 19),
        _invalid('select id, total,\n  max(a, b) as "Note"\nRAW\n', "select id, total RAW\n", 2, 16),
        _invalid(
            "with final as (select id, r.total, case when a then 1 end as note RAW\n) select * from final\n",
            "with final as (select id, r.total RAW\n) select * from final\n",
            1,
            62,
        ),
    ]

    def run(self) -> None:
        change = model_change(self.source)
        columns = change.undocumented() if change else []
        if change is None or not columns:
            return
        place = span(self.source.text, columns[0].start, columns[0].end)
        said = listed([column.name for column in columns])
        where = change.documented.path
        self.report(place, f"this change brought {said}, and {where} describes the other columns")
