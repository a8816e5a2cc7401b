"""A statement about several columns is read by its clauses about the named ones."""

from __future__ import annotations

import pytest

from wardround.analyses.criterion.added_code import AddedCode, AddedLine, ChangedSource, read_added_code
from wardround.analyses.criterion.sql_statements import about_columns, statements_of


def code(text: str) -> AddedCode:
    lines = tuple(AddedLine(number, line) for number, line in enumerate(text.splitlines(), 1))
    return read_added_code(ChangedSource("db/1.sql", lines))


def about(text: str, *names: str) -> str:
    (statement,) = statements_of(code(text))
    return about_columns(statement, names).text


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE users (\n  email text NOT NULL,\n  age int\n);",
        "ALTER TABLE users ADD COLUMN email text NOT NULL, ADD COLUMN age int;",
    ],
)
def test_clauses_of_other_columns_are_excluded(text: str) -> None:
    assert "not null" not in about(text, "users", "age")
    assert "not null" in about(text, "users", "email")


def test_a_constraint_of_the_table_belongs_to_each_of_its_columns() -> None:
    text = "CREATE TABLE seats (\n  room int,\n  number int,\n  UNIQUE (room, number)\n);"

    assert "unique (room, number)" in about(text, "seats", "number")


def test_a_comma_in_a_string_or_in_parentheses_splits_nothing() -> None:
    text = "ALTER TABLE a ADD COLUMN b numeric(10, 2) DEFAULT '1,5', ADD COLUMN c text UNIQUE;"

    assert "numeric(10, 2) default '1,5'" in about(text, "a", "b")
    assert "unique" not in about(text, "a", "b")


def test_other_statements_and_unknown_columns_keep_everything() -> None:
    index = "CREATE UNIQUE INDEX ix ON users (email, age);"

    assert about(index, "users", "email") == index.lower()
    assert "email" in about("CREATE TABLE users (email text);", "users", "phone")


def test_statements_after_the_mark_of_the_way_back_are_excluded() -> None:
    text = "-- migrate:up\nCREATE TABLE a (b int);\n-- migrate:down\nDROP TABLE a;"

    assert [item.text for item in statements_of(code(text))] == ["create table a (b int);"]
