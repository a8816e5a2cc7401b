"""A template is unreviewed only if none of its renderings is valid SQL."""

from __future__ import annotations

import pytest
from wardround_sql.check import run_sql_checks
from wardround_sql.parsing.rendered_templates import has_parsable_rendering

from wardround.checks.source import SourceFile
from wardround.errors import CannotReview

_FROM = "from {{ ref('orders') }}\n"
READ = {
    "config": "{{ config(materialized='table') }}\nselect id, amount\n" + _FROM,
    "macro alone": "{{ dbt_utils.union_relations(relations=[ref('a')]) }}\n",
    "macro with a condition": "{{ config(a=1) }}\n{{ latest_record(source('a', 'b')) }}\nwhere not deleted\n",
    "loop with commas": (
        "select id,\n{% for m in methods %}\n  sum(a) as {{ m }}_a{% if not loop.last %},{% endif %}\n"
        "{% endfor %}\n" + _FROM
    ),
    "loop with a comma behind": "select\n{% for m in methods %}\n  {{ m }}_a,\n{% endfor %}\n  id\n" + _FROM,
    "branches": "select a\n{% if x %}\n" + _FROM + "{% else %}\nfrom b\n{% endif %}\n",
    "branch of its own": "select a\n" + _FROM + "{% if is_incremental() %} where a > 1 {% endif %}\n",
    "clause": "select a\n" + _FROM + "where a = 1\n{{ group_by(1) }}\n",
    "type": "select cast(a as {{ dbt.type_string() }}) as b, c::{{ t }}\n" + _FROM,
    "assigned query": "{% set q %}\nselect select\n{% endset %}\nselect a\n" + _FROM,
    "another dialect": "select a:b.c::varchar as x, [1, 2] as y,\n"
    + _FROM
    + "qualify row_number() over (order by a) = 1\n",
}
UNREAD = {
    "missing comma": "select\n  id\n  amount\n  created\n" + _FROM,
    "missing comma in a loop": (
        "select id,\n{% for m in ms %}\n  sum(a) as {{ m }}_a\n  sum(b) as b\n{% endfor %}\n" + _FROM
    ),
    "missing bracket": "with o as (select a " + _FROM + "select a from o\n",
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_templates_are_read_as_one_of_their_renderings(name: str) -> None:
    assert has_parsable_rendering(READ[name])
    assert list(run_sql_checks([], SourceFile("models/a.sql", READ[name]))) == []


@pytest.mark.parametrize("name", UNREAD)
def test_templates_that_cannot_be_parsed_are_not_reviewed(name: str) -> None:
    with pytest.raises(CannotReview, match="its SQL cannot be parsed with any values of its templates: line"):
        list(run_sql_checks([], SourceFile("models/a.sql", UNREAD[name])))
