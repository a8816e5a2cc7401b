"""Findings about SQL text whose values are numbers are refuted."""

from __future__ import annotations

import pytest
from wardround_typescript.false_positives import refutes

from wardround.findings import Span


@pytest.mark.parametrize(
    ("query", "is_refuted"),
    [
        ("`delete from a where id = ${id}`", True),
        ("`update ${schema}.a set at = ${time.valueOf() / 1000} where id = ${id}`", True),
        ("`delete from ${db.sqlsanitize(kind)} where id = ${id}`", True),
        ("`delete from a where name = '${name}'`", False),
        ("`delete from a where id = ${other.id}`", False),
        ("`delete from a where id = ${id} or name = ${a + b}`", False),
    ],
)
def test_value_of_a_query(query: str, is_refuted: bool) -> None:
    text = f"async function remove(id: number, name: string, time: Date) {{\n  await db.query({query});\n}}\n"
    end = len(f"  await db.query({query})") + 1
    refuted = refutes("src/a.ts", text, "sql-injection", Span(2, 9, 2, end), lambda path: None)
    assert refuted is is_refuted
