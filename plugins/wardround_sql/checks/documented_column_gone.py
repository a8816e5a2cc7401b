"""SQ050: the documentation of a dbt model still tells of a column that a change took out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.dbt import model_change, span

_PATH = "models/orders.sql"
_DOCS = {
    "models/schema.yml": "models:\n  - name: orders\n    columns:\n      - name: id\n      - name: Total\n"
    "        description: in cents\n"
}
_FROM = "from {{ ref('raw') }}\n"


def _valid(now: str, before: str, docs: dict[str, str] = _DOCS) -> Valid:
    return Valid(now, path=_PATH, base=before, others=docs)


def _invalid(now: str, before: str, line: int, column: int) -> Invalid:
    return Invalid(now, line, column, path=_PATH, base=before, others=_DOCS)


class DocumentedColumnGone(SqlCheck):
    """A change took a column out of a dbt model, and its properties file still documents it.

    Who reads the documentation asks for a column that is not there, and tests of it fail. Change the properties
    file in the same commit.
    """

    ID = "SQ050"
    NAME = "documented-column-gone"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    WORDS = ("{{",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        _valid(f"select id {_FROM}", f"select id, note {_FROM}"),
        _valid(f"select id, * {_FROM}", f"select id, total {_FROM}"),
        _valid(f"select id, {{{{ star() }}}} {_FROM}", f"select id, total {_FROM}"),
        _valid(f"select id, {{% if x %}} total, {{% endif %}} a {_FROM}", f"select id, total, a {_FROM}"),
        _valid(f"select id, sum(x) as TOTAL {_FROM}", f"select id, total {_FROM}"),
        _valid(f"select id {_FROM}", f"select id, total {_FROM}", {}),
        _valid(f"select id {_FROM}", f"select id {_FROM}"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid(f"select id {_FROM}", f"select id, total {_FROM}", 1, 1),
        _invalid(
            f"with raw as (\n  select * {_FROM}), final as (\n  -- one, total\n"
            "  select r.id, coalesce(r.a, r.b) as amount from raw r\n)\nselect * from final\n",
            f"with raw as (\n  select * {_FROM}), final as (\n"
            "  select r.id, coalesce(r.a, r.b) as total from raw r\n)\nselect * from final\n",
            5,
            3,
        ),
        _invalid(
            f"select id, {{{{ cents('x') }}}} as amount {_FROM}union all select 1, 2 from b\n",
            f"select id, {{{{ cents('x') }}}} as total {_FROM}union all select 1, 2 from b\n",
            1,
            1,
        ),
    ]

    def run(self) -> None:
        change = model_change(self.source)
        if change is None:
            return
        for name, now in change.gone():
            became = f'renamed it to "{now}"' if now else "took it out of the select list"
            self.report(
                span(self.source.text, change.new.select, change.new.select + len("select")),
                f'{change.documented.path} documents "{name}", but this change {became}',
            )
