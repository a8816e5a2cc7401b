"""HTML of the pages: values are text."""

from __future__ import annotations

import pytest

from tests.installed import require_installed

require_installed("jinja2")

from markupsafe import Markup  # noqa: E402

from wardround_lab.dashboard import markup  # noqa: E402
from wardround_lab.dashboard.markup import (  # noqa: E402
    Cell,
    Column,
    Download,
    Field,
    Form,
    Link,
    Pager,
    Table,
)

HOSTILE = '"><script>alert(1)</script>'


def test_every_kind_of_part_escapes_its_values() -> None:
    columns = [Column(HOSTILE, kind) for kind in ("text", "code", "number", "time", "tag")]
    link = Link(HOSTILE, {"tab": "rules", "rule": HOSTILE})
    rows: list[list[Cell]] = [[HOSTILE] * 5, [link, 1, 0.5, None, ""]]
    parts = [
        markup.table(Table(HOSTILE, columns, rows)),
        markup.hint(HOSTILE, HOSTILE),
        markup.facts([(HOSTILE, HOSTILE), (HOSTILE, link)]),
        markup.tag(HOSTILE),
        markup.code(HOSTILE),
        markup.note(HOSTILE),
        markup.problem(HOSTILE),
        markup.items([HOSTILE]),
        markup.actions(link, Download(HOSTILE, f"/wardround/{HOSTILE}")),
        markup.fold(HOSTILE, markup.note(HOSTILE)),
        markup.section(HOSTILE),
        markup.form(Form(HOSTILE, HOSTILE, [Field("a", HOSTILE, HOSTILE, [(HOSTILE, HOSTILE)])])),
        markup.form(Form(HOSTILE, HOSTILE, [Field("b", "B", HOSTILE)])),
        markup.pager(Pager(1, 2, link, link)),
    ]  # fmt: skip
    for part in parts:
        assert "alert" in part
        assert "<script" not in part


def test_numbers_times_and_absent_values_are_set_as_people_read_them() -> None:
    columns = [Column("a", "number"), Column("b", "number"), Column("c", "time"), Column("d")]
    table = markup.table(Table("", columns, [[0.25, 1.0, "2030-01-31T12:00:05Z", None]]))
    shown = table.replace("<", Markup(" <")).striptags()
    assert shown.split() == [
        "a",
        "b",
        "c",
        "d",
        "0.25",
        "1",
        "2030-01-31",
        "12:00",
        "\N{EN DASH}",
    ]


def test_a_list_of_one_page_has_no_pager() -> None:
    assert markup.pager(Pager(1, 1, None, None)) == ""


@pytest.mark.parametrize(("value", "text"), [(3, "3"), (3.0, "3"), (0.12345, "0.1235"), (0.5, "0.5")])
def test_a_number_has_no_zeros_at_its_end(value: float, text: str) -> None:
    assert markup.number(value) == text
