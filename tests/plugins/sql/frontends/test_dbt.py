"""Certain columns of a dbt model, and reviews of models with a properties file."""

from __future__ import annotations

from typing import Any

import pytest
from wardround_sql.frontends.dbt import documented_columns, join_names, select_list

from tests.conftest import GitRepository


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("select a, b.c, d as e, f(g, 'h, i') as j from k", ["a", "c", "e", "j"]),
        ('SELECT DISTINCT a, "B c" FROM d', ["a", "b c"]),
        ("select a, case when b then c else d end as e", ["a", "e"]),
        ("select {{ money('a') }} as b, {{ this }}.c from {{ ref('d') }}", ["b", "c"]),
        ("-- select z from y\nselect a /* , b */ from c {# , d #}", ["a"]),
        ("select a from b union all select c from d", ["a"]),
        ("with b as (select a, c from d), e as (select * from b) select * from e where x", ["a", "c"]),
        ("with b as (select a from c)\nselect * from b\n{% if x %} where y {% endif %}", ["a"]),
        ("{{ config(x='y') }}\nselect a from b;\n", ["a"]),
        (r"{{ config(a='it\'s {{ this }}') }} select a, 'b' as c from d", ["a", "c"]),
        ("{{ config(after='grant (x) on {{ this }} to y') }}\nselect a, 'b' as c from d\n", ["a", "c"]),
        ("{% set days %}\nselect a from b\n{% endset %}\nselect c, d from e", ["c", "d"]),
        (
            "{%- call statement('f', fetch_result=True) -%} select a from b {%- endcall -%} select c from e",
            ["c"],
        ),
        ("{% set x = 1 %} select a from b {% set y %} 2 {% endset %}", ["a"]),
        ("select extract(year from a) as b, c[1] as d from e", ["b", "d"]),
    ],
)
def test_the_columns_of_a_model_are_read(text: str, columns: list[str]) -> None:
    found = select_list(text)
    assert found is not None
    assert list(found.names) == columns
    assert all(text[c.start : c.end].strip('"`').lower() == c.name for c in found.columns)


@pytest.mark.parametrize(
    "text",
    [
        "select * from a",
        "select a.*, b from a",
        "select a, {{ star(b) }} from c",
        "select a, {% for b in c %} {{ b }} as x, {% endfor %} d from e",
        "select max(a) from b",
        "{% if a %} select b from c {% else %} select d from e {% endif %}",
        "with b as (select a from c) select * from b join d using (e)",
        "with b as (select * from b) select * from b",
        "{% macro a() %} b {% endmacro %}",
        "select",
        "select (a from b",
        "",
    ],
)
def test_columns_that_are_not_certain_are_none(text: str) -> None:
    assert select_list(text) is None


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("models:\n- name: a\n  columns:\n  - name: B\n  - {name: c, description: d}\n", {"b": "", "c": "d"}),
        ("models:\n- name: a\n  versions: [{v: 1}]\n  columns: [{name: b}]\n", None),
        ("models:\n- name: a\n  columns: [{name: b}]\n- name: a\n  columns: [{name: c}]\n", None),
        ("sources:\n- name: a\n  columns: [{name: b}]\n", None),
        ("models: {a: [}", None),
        ("models: 3\n", None),
        ("[1]", None),
        ("models:\n- a\n- name: a\n  columns: b\n", None),
    ],
)
def test_the_documented_columns_of_a_model_are_read(text: str, columns: dict[str, str] | None) -> None:
    assert documented_columns(text, "a") == columns


def test_long_lists_of_names_are_abbreviated() -> None:
    assert join_names(["a"]) == '"a"'
    assert join_names(["a", "b"]) == '"a" and "b"'
    assert join_names(["a", "b", "c", "d", "e"]) == '"a", "b", "c" and 2 more'


DOCS = (
    "models:\n  - name: orders\n    columns:\n      - name: id\n        description: of the order\n"
    "      - name: total\n        description: in cents\n"
)
MODEL = "select\n    id,\n    total\nfrom {{ ref('raw_orders') }}\n"


def found_in(repo: GitRepository, after: str, **others: str) -> list[dict[str, Any]]:
    repo.commit({"models/orders.sql": MODEL, "models/schema.yml": DOCS})
    repo.stage({"models/orders.sql": after, **{f"models/{name}.yml": text for name, text in others.items()}})
    report = repo.report("--staged", "--only", "sql", "--exit-zero")
    return [found for found in report["findings"] if found["rule"] in ("sql/SQ050", "sql/SQ051")]


def test_a_removed_column_is_reported_though_another_file_documents_it(repo: GitRepository) -> None:
    (found,) = found_in(repo, MODEL.replace(",\n    total", ""))
    assert (found["rule"], found["line"], found["column"]) == ("sql/SQ050", 1, 1)
    assert found["status"] == "caused"
    assert found["message"] == 'models/schema.yml documents "total", but this change removes it'


def test_a_column_removed_with_its_documentation_is_not_reported(repo: GitRepository) -> None:
    without = DOCS.replace("      - name: total\n        description: in cents\n", "")
    assert found_in(repo, MODEL.replace(",\n    total", ""), schema=without) == []


def test_a_new_column_is_reported_at_its_location(repo: GitRepository) -> None:
    (found,) = found_in(repo, MODEL.replace("total", "total,\n    note"))
    assert (found["rule"], found["line"], found["column"]) == ("sql/SQ051", 4, 5)
    assert found["status"] == "new"


def test_a_model_documented_by_two_files_is_not_reported(repo: GitRepository) -> None:
    assert found_in(repo, MODEL.replace(",\n    total", ""), again=DOCS) == []
