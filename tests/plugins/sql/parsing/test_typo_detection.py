"""A statement that no database accepts is a finding; one that another database accepts is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.statements import Unparsed
from wardround_sql.parsing.typo_detection import is_read_elsewhere, slip_of

from wardround.checks.source import SourceFile

if TYPE_CHECKING:
    from tests.conftest import GitRepository


def unparsed(text: str) -> Unparsed:
    (bad,) = SqlDocument(SourceFile("db/migrations/1.sql", text)).unparsed
    return bad


@pytest.mark.parametrize(
    ("text", "point", "meant"),
    [
        ("selec 1", 0, "SELECT"),
        ("alter tabel users add x int", 6, "TABLE"),
        ("select a frm b", 9, "FROM"),
        ("select * form b where c = :id", 9, "FROM"),
        ("insert inot t values (1)", 7, "INTO"),
        ("create table t (a int not nul)", 26, "NULL"),
        ("update t sett a = 1", 9, "SET"),
    ],
)
def test_a_typo_is_corrected(text: str, point: int, meant: str) -> None:
    slip = slip_of(unparsed(text))
    assert slip is not None
    assert (slip.point, slip.meant) == (point, meant)


@pytest.mark.parametrize(
    "text",
    [
        "select top 3 a from b",
        "exec sp_who",
        "select a from b where",
        "deny select on t to u",
        "use warehouse x",
    ],
)
def test_other_errors_are_not_typos(text: str) -> None:
    assert slip_of(unparsed(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "select top 3 a from b",
        "select a from t qualify row_number() over (order by a) = 1",
        "alter table t add constraint a_not_null not null a",
        "select a from ${table} where",
        "select a from b where [c] = 1",
        "select * from t where a = :'a' and",
        "create table t (a " + "int" * 10_000 + " b)",
    ],
)
def test_other_dialects_and_templates_are_accepted(text: str) -> None:
    assert is_read_elsewhere(unparsed(text))


@pytest.mark.parametrize(
    "text", ["select a from b where", "create table t (a int b int)", "drop tables a, b c"]
)
def test_a_statement_that_no_database_accepts(text: str) -> None:
    assert not is_read_elsewhere(unparsed(text))


def test_a_statement_that_does_not_parse_is_a_warning_even_if_a_tool_reports_it(repo: GitRepository) -> None:
    repo.stage({
        "db/migrations/1.sql": "alter tabel users add x int;\ndrop table foo;\n",
        "q.sql": "<<<<<<< HEAD\nselect 1;\n=======\nselect 2;\n>>>>>>> x\n",
    })  # fmt: skip
    found = {finding["file"]: finding for finding in repo.report()["findings"]}
    assert found["db/migrations/1.sql"]["severity"] == "warn"
    assert found["db/migrations/1.sql"]["rule"] == "sql/SQ040"
    assert found["q.sql"]["severity"] == "error"
    assert found["q.sql"]["rule"] == "secrets/SE015"
