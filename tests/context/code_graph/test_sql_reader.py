"""The tables, columns, views and functions of SQL."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.context.code_graph.shown import facts_of, symbols_of, uses_of
from wardround.change.repository import Repository
from wardround.context.code_graph import extraction
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at

SCHEMA = """\
create table public.users (
  id bigint primary key,
  "Name" text not null,
  team_id int references teams (id)
);
alter table users add column age int, drop column "Name";
alter table users rename column age to years;
create view active as select u.id from users u join teams t on t.id = u.team_id where t.open;
create function touch(who int) returns void language plpgsql as $$
begin
  perform audit_log(who);
  update users set team_id = null where id = who;
end;
$$;
create index by_team on users (team_id);
"""


def test_symbols_have_their_kinds_and_lines() -> None:
    assert symbols_of(facts_of("schema.sql", SCHEMA)) == [
        ("users", "table", 1, 5),
        ("users.id", "column", 2, 2),
        ("users.name", "column", 3, 3),
        ("users.team_id", "column", 4, 4),
        ("users.age", "column", 6, 6),
        ("users.years", "column", 7, 7),
        ("active", "view", 8, 8),
        ("touch", "function", 9, 14),
        ("by_team", "index", 15, 15),
    ]


def test_columns_have_the_table_of_their_alias() -> None:
    uses = uses_of(facts_of("schema.sql", SCHEMA))
    assert {
        ("users", "", "teams", "table"),
        ("", "users", "name", "column"),
        ("", "users", "age", "column"),
        ("active", "users", "id", "column"),
        ("active", "users", "team_id", "column"),
        ("active", "teams", "open", "column"),
        ("by_team", "users", "team_id", "column"),
    } <= uses


def test_the_body_of_a_function_is_searched() -> None:
    uses = uses_of(facts_of("schema.sql", SCHEMA))
    assert {("touch", "", "audit_log", "call"), ("touch", "", "users", "table")} <= uses


def test_templates_are_the_relations_that_they_refer_to() -> None:
    source = (
        "{{ config(materialized='x') }}\nselect id, {{ cents('price') }} as p from {{ ref('stg_orders') }}\n"
    )
    facts = facts_of("models/marts/orders.sql", source)
    assert [(symbol.name, symbol.kind) for symbol in facts.symbols[1:]] == [("orders", "view")]
    assert ("orders", "", "stg_orders", "table") in uses_of(facts)
    assert ("orders", "stg_orders", "id", "column") in uses_of(facts)


def test_without_the_grammar_tables_and_calls_are_found_by_their_keywords(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extraction, "has_sql_grammar", lambda: False)
    found = facts_of("schema.sql", SCHEMA)
    assert symbols_of(found) == []
    assert found.problem.endswith("the SQL grammar is missing: pip install 'wardround[sql]'")
    assert {("", "", "users", "table"), ("", "", "teams", "table"), ("", "", "audit_log", "call")} <= uses_of(
        found
    )
    assert facts_of("app.py", "def a(): ...\n").problem == ""


def test_a_grammar_that_is_installed_later_has_an_effect_on_stored_files(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repo.commit({"schema.sql": "create table teams (id int);\n", "app.py": "a = 1\n"})
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        with monkeypatch.context() as patched:
            patched.setattr(extraction, "has_sql_grammar", lambda: False)
            assert [path for path, _ in graph.update(tree_at(repository, commit)).unparsed] == ["schema.sql"]
        done = graph.update(tree_at(repository, commit))
        assert (done.read, done.unparsed) == (1, ())
        assert graph.files_defining("teams") == ["schema.sql"]
