"""SQ051: a change brought a column to a dbt model whose documentation tells of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.dbt import model_change, span

_PATH = "models/orders.sql"
_DOCS = {
    "models/schema.yml": "models:\n  - name: orders\n    columns:\n      - name: id\n      - name: total\n"
    "  - name: others\n    columns:\n      - name: note\n"
}
_FROM = "from {{ ref('raw') }}\n"


def _valid(now: str, before: str) -> Valid:
    return Valid(now, path=_PATH, base=before, others=_DOCS)


def _invalid(now: str, before: str, line: int, column: int) -> Invalid:
    return Invalid(now, line, column, path=_PATH, base=before, others=_DOCS)


class ColumnUndocumented(SqlCheck):
    """A change brought a column to a dbt model whose properties file documents the others, and not this one.

    The properties file looks complete, so nobody looks for the new column in the model. Document it in the same
    commit.
    """

    ID = "SQ051"
    NAME = "column-undocumented"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    WORDS = ("{{",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        _valid(f"select id, total {_FROM}", f"select id {_FROM}"),
        _valid(f"select id, amount {_FROM}", f"select id, total {_FROM}"),
        _valid(f"select id, total, note, * {_FROM}", f"select id, total {_FROM}"),
        _valid(f"select id, total, a, b, c, note {_FROM}", f"select id, total, a, b, c {_FROM}"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid(f"select id, total, note {_FROM}", f"select id, total {_FROM}", 1, 19),
        _invalid(f'select id, total,\n  max(a, b) as "Note"\n{_FROM}', f"select id, total {_FROM}", 2, 16),
        _invalid(
            f"with final as (select id, r.total, case when a then 1 end as note {_FROM}) select * from final\n",
            f"with final as (select id, r.total {_FROM}) select * from final\n",
            1,
            62,
        ),
    ]

    def run(self) -> None:
        change = model_change(self.source)
        for column in change.undocumented() if change else ():
            self.report(
                span(self.source.text, column.start, column.end),
                f'this change brought "{column.name}", and {change.documented.path} documents the others'
                if change
                else "",
            )
