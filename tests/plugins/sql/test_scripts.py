"""An invalid statement hides no other; templates and placeholders keep their locations; nothing crashes."""

from __future__ import annotations

import pytest
from wardround_sql.check import run_sql_checks
from wardround_sql.specialist import SqlSpecialist

from wardround.change.repository_view import InMemoryRepository
from wardround.checks.source import SourceFile

MIGRATION = "db/migrations/0002_change.sql"


def said(
    text: str, path: str = MIGRATION, others: dict[str, str] | None = None
) -> list[tuple[str, int, int]]:
    source = SourceFile(path, text, project=InMemoryRepository(others or {}))
    return [(result.code, *result.span.start) for result in run_sql_checks(SqlSpecialist().checks, source)]


def test_a_bad_statement_hides_no_other() -> None:
    assert said("delete from a;\nselec 1;\ndelete from b;\nselect 1::int;\n") == [
        ("SQ020", 1, 1),
        ("SQ020", 3, 1),
        ("SQ040", 2, 1),
    ]


def test_columns_count_code_points() -> None:
    assert said("select 'ü𝄞'; alter table t alter column a type bigint;\n") == [("SQ023", 1, 48)]


def test_rollbacks_are_not_reviewed() -> None:
    text = "-- +goose Up\nselect 1;\n-- +goose Down\ndelete from a;\n"
    assert said(text) == []
    assert said("delete from a;\n", "db/migrations/0002_change.down.sql") == []


def test_a_dbt_model_is_not_a_syntax_error() -> None:
    text = "{{ config(materialized='table') }}\nselect a.x from {{ ref('a') }} a, {{ ref('b') }} b\n"
    assert [code for code, *_ in said(text, "models/a.sql")] == ["SQ031"]


def test_the_message_names_another_dialect() -> None:
    source = SourceFile(MIGRATION, "DELETE FROM `t`;\nINSERT INTO `x` VALUES (1);\n")
    (result,) = run_sql_checks(SqlSpecialist().checks, source)
    assert result.message == "DELETE without WHERE changes every row of t (read as mysql)"


def test_the_lock_file_of_prisma_determines_the_database() -> None:
    path = "prisma/migrations/20240101000000_a/migration.sql"
    lock = {"prisma/migrations/migration_lock.toml": 'provider = "mysql"\n'}
    assert said("create index i on t (a);\n", path, lock) == []
    assert [code for code, *_ in said("create index i on t (a);\n", path)] == ["SQ022"]


@pytest.mark.parametrize(
    "text",
    ["", ";", "\ufeff", "'", "$$", "/*", "{{", "create table", "select " + "(" * 5000, "\x00", "-- ü",
     "a" * 100_000, "create policy p on t using (" + "not " * 3000 + "true)", "do $$ begin",
     "copy t from stdin;"],
)  # fmt: skip
def test_nothing_crashes(text: str) -> None:
    for path in (MIGRATION, "supabase/migrations/1.sql", "a.py", "a.ts", "a.rb", "db/mysql/1.sql"):
        said(text, path)


def test_statements_after_a_nul_byte_are_not_reviewed() -> None:
    assert said("select 1::int;\nselect 2::int;\ndelete from a;\nselect 1 \0 from x;\n") == [
        ("SQ020", 3, 1),
        ("SQ040", 4, 10),
    ]


def test_a_table_of_many_policies_names_the_first_that_overlaps() -> None:
    roles = "".join(f"create policy p{n} on notes for select to r{n} using (a = {n});\n" for n in range(40))
    last = "create policy late on notes to r7, service_role using (b = 1);\n"
    text = f"create table notes (a int);\n{roles}{last}"
    source = SourceFile("supabase/migrations/0001_a.sql", text, project=InMemoryRepository({}))
    found = [item for item in run_sql_checks(SqlSpecialist().checks, source) if item.code == "SQ011"]
    assert [(item.span.line, '"p7"' in item.message) for item in found] == [(42, True)]
