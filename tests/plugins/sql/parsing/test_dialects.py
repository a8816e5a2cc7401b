"""A file for another database is not reported as invalid PostgreSQL."""

from __future__ import annotations

import pytest
from wardround_sql.parsing.dialects import detected_dialect


@pytest.mark.parametrize(
    ("path", "text", "dialect"),
    [
        ("a.sql", "create table t (a int);", ""),
        ("a.sql", "CREATE TABLE `t` (a INT) ENGINE=InnoDB;", "mysql"),
        ("a.sql", "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT);", "sqlite"),
        ("a.sql", "CREATE TABLE t (a INT IDENTITY(1,1));\nGO\n", "tsql"),
        ("a.sql", "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a;", "clickhouse"),
        ("a.sql", "create table t (a jsonb default '{}'::jsonb); -- no ENGINE=InnoDB", "postgres"),
        ("a.sql", "alter table t add `a` boolean;", "mysql"),
        ("a.sql", "-- see `t`\nselect '`a`', $$ `b` $$;", "postgres"),
        ("a.sql", "select `a` from {{ ref('t') }};", ""),
        ("sqlite/1.sql", "create table t (a integer autoincrement, b timestamp with time zone);", "sqlite"),
        ("db/mysql/1.sql", "create table t (a int);", "mysql"),
        ("db/mysql/postgres/1.sql", "create table t (a int);", "postgres"),
    ],
)
def test_dialects_are_detected_by_syntax_and_path(path: str, text: str, dialect: str) -> None:
    assert detected_dialect(path, text) == dialect


def test_syntax_of_postgres_does_not_decide_in_a_project_of_another_dialect() -> None:
    assert detected_dialect("a.sql", "select a::int from t;", "snowflake") == ""
