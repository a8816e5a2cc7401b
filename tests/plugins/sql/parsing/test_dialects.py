"""A file for another database is not reported as invalid PostgreSQL."""

from __future__ import annotations

import pytest
from wardround_sql.parsing.dialects import dialect_of


@pytest.mark.parametrize(
    ("path", "text", "dialect"),
    [
        ("a.sql", "create table t (a int);", "postgres"),
        ("a.sql", "CREATE TABLE `t` (a INT) ENGINE=InnoDB;", "mysql"),
        ("a.sql", "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT);", "sqlite"),
        ("a.sql", "CREATE TABLE t (a INT IDENTITY(1,1));\nGO\n", "tsql"),
        ("a.sql", "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a;", "clickhouse"),
        ("a.sql", "create table t (a jsonb default '{}'::jsonb); -- no ENGINE=InnoDB", "postgres"),
        ("db/mysql/1.sql", "create table t (a int);", "mysql"),
        ("db/mysql/postgres/1.sql", "create table t (a int);", "postgres"),
    ],
)
def test_dialects_are_detected_by_syntax_and_path(path: str, text: str, dialect: str) -> None:
    assert dialect_of(path, text) == dialect


def test_the_configured_dialect_applies_to_files_without_a_sign() -> None:
    assert dialect_of("a.sql", "create table t (a int);", "mysql") == "mysql"
