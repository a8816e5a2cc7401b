"""squawk reviews only PostgreSQL migrations, and its findings keep their locations."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from wardround_sql.options import SqlOptions
from wardround_sql.tools.squawk import SQUAWK

from wardround.change.repository_view import InMemoryRepository
from wardround.errors import ToolOutputError
from wardround.tools.tool import Invocation

SQL = "create index concurrently i on t (a);\n"


def run(folder: Path, text: str = SQL) -> Invocation:
    (folder / "a.sql").write_text(text, encoding="utf-8")
    return Invocation(Path("squawk"), folder, ("a.sql",), None, folder)


def result(rule: str, file: str = "a.sql") -> bytes:
    item = {"file": file, "line": 0, "column": 13, "line_end": 0, "column_end": 20, "level": "Warning",
           "message": "Do `this`.", "help": "Or  that.", "rule_name": rule}  # fmt: skip
    return json.dumps([item]).encode()


def test_places_are_made_one_based(tmp_path: Path) -> None:
    (found,) = SQUAWK.parse(result("adding-required-field"), run(tmp_path))
    assert (found.code, found.span.start, found.span.end) == ("adding-required-field", (1, 14), (1, 21))
    assert found.message == "Do this. Or that."


def test_concurrently_is_reported_only_inside_a_transaction_of_the_file(tmp_path: Path) -> None:
    reported_items = result("ban-concurrent-index-creation-in-transaction")
    assert SQUAWK.parse(reported_items, run(tmp_path)) == []
    assert len(SQUAWK.parse(reported_items, run(tmp_path, "begin;\n" + SQL))) == 1


def test_dropping_a_table_that_the_file_creates_is_not_reported(tmp_path: Path) -> None:
    reported_items = json.loads(result("ban-drop-table"))
    reported_items[0] |= {"line": 1, "line_end": 1, "column": 0}
    created_items = run(tmp_path, "create temp table t (a int);\ndrop table t;\n")
    assert SQUAWK.parse(json.dumps(reported_items).encode(), created_items) == []
    assert (
        len(SQUAWK.parse(json.dumps(reported_items).encode(), run(tmp_path, "select 1;\ndrop table t;\n")))
        == 1
    )


_INDEX = "require-concurrent-index-creation"


@pytest.mark.parametrize(
    ("rule", "text", "line", "column", "kept"),
    [
        ("renaming-table", 'create table "T" (a int);\nalter table\n public.t rename to u;\n', 2, 10, False),
        ("renaming-table", "create table t2 (a int);\nalter table t rename to u;\n", 1, 14, True),
        ("renaming-table", "alter table t rename to u;\ncreate table t (a int);\n", 0, 14, True),
        ("renaming-table", "create table a.t (a int);\nalter table b.t rename to u;\n", 1, 16, True),
        (_INDEX, "create materialized view m as\nselect 1 as ä;\ncreate index i\non m (ä);\n", 2, 0, False),
        (_INDEX, "create unlogged table t (a int);\ncreate unique index on t (a);\n", 1, 0, False),
        (_INDEX, "-- create table t (a int);\ncreate index i on t (a);\n", 1, 0, True),
        (_INDEX, "create table t (a int);\ncreate index i on s (a);\ncreate index on t (a);\n", 1, 0, True),
        (_INDEX, "", 7, 3, True),
    ],
)
def test_objects_that_the_file_creates_are_not_in_use(
    tmp_path: Path, rule: str, text: str, line: int, column: int, kept: bool
) -> None:
    reported_items = json.loads(result(rule))
    reported_items[0] |= {"line": line, "line_end": line + 1, "column": column}
    assert len(SQUAWK.parse(json.dumps(reported_items).encode(), run(tmp_path, text))) == kept


_CHECK = "alter table t add constraint a_set check (a is not null)"
_SET = "alter table t alter column a set not null;\n"


@pytest.mark.parametrize(
    ("text", "earlier", "kept"),
    [
        (f"{_CHECK};\n{_SET}", "", False),
        (f"{_CHECK} not valid;\n{_SET}", "", True),
        (f"{_CHECK} not valid;\nalter table t validate constraint a_set;\n{_SET}", "", False),
        (f"{_CHECK} not valid;\nalter table t validate constraint b_set;\n{_SET}", "", True),
        (f"{_CHECK} not valid;\n{_SET}alter table t validate constraint a_set;\n", "", True),
        (f"alter table t validate constraint a_set;\n{_SET}", f"{_CHECK} not valid;\n", False),
        (_SET, f"{_CHECK} not valid;\nalter table t validate constraint A_set;\n", False),
        (_SET, f"{_CHECK} not valid;\n", True),
        (_SET, "alter table t add check (a is not null) not valid;\n", False),
    ],
)
def test_only_a_validated_check_excludes_null(tmp_path: Path, text: str, earlier: str, kept: bool) -> None:
    (tmp_path / "0.sql").write_text(earlier, encoding="utf-8")
    line = text.split("\n").index(_SET.strip())
    reported_items = json.loads(result("adding-not-nullable-field"))
    reported_items[0] |= {"line": line, "line_end": line, "column": 14}
    assert len(SQUAWK.parse(json.dumps(reported_items).encode(), run(tmp_path, text))) == kept


def test_what_it_states_only_on_request_is_requested(tmp_path: Path) -> None:
    assert "--include=require-table-schema" in SQUAWK.command(run(tmp_path))


@pytest.mark.parametrize("output", [b"", b"{}", b"[{}]", b"Configuration error"])
def test_other_output_is_never_clean(tmp_path: Path, output: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        SQUAWK.parse(output, run(tmp_path))


def test_a_file_that_was_not_an_input_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolOutputError):
        SQUAWK.parse(result("ban-char-field", "b.sql"), run(tmp_path))


@pytest.mark.parametrize(
    ("path", "text", "taken"),
    [
        ("db/migrations/1_a.sql", SQL, True),
        ("supabase/migrations/1_a.sql", SQL, True),
        ("db/migrations/1_a.down.sql", SQL, False),
        ("queries/report.sql", SQL, False),
        ("tests/migrations/1_a.sql", SQL, False),
    ],
)
def test_only_forward_migrations_are_reviewed(path: str, text: str, taken: bool) -> None:
    assert SQUAWK.is_enabled(None, path, text) is taken


def test_a_template_is_declined() -> None:
    assert SQUAWK.declines("db/migrations/1_a.sql", "create index on {{ schema }}.t (a);")
    assert not SQUAWK.declines("db/migrations/1_a.sql", "-- {{ schema }}\nselect '{{ x }}';\n")


def test_the_options_choose_migrations_and_dialect() -> None:
    assert SQUAWK.is_enabled(SqlOptions(migrations=("changes/*.sql",)), "changes/1.sql", "select 1;")
    project = InMemoryRepository()
    assert SQUAWK.suits(None, "db/migrations/1_a.sql", "select 1;", project)
    assert not SQUAWK.suits(SqlOptions(dialect="mysql"), "db/migrations/1_a.sql", "select 1;", project)


@pytest.mark.parametrize("text", ["alter table t add `a` int;", "create table t (a int) engine=InnoDB;"])
def test_migrations_of_other_databases_are_not_reviewed(text: str) -> None:
    assert not SQUAWK.suits(None, "db/migrations/1_a.sql", text, InMemoryRepository())


def test_a_migration_of_a_project_with_another_database_is_not_reviewed() -> None:
    project = InMemoryRepository({"store/Cargo.toml": 'sqlx = { version = "0.8", features = ["sqlite"] }\n'})
    assert not SQUAWK.suits(None, "store/migrations/1_a.sql", "drop index if exists i;", project)
    assert SQUAWK.suits(None, "store/migrations/1_a.sql", "alter table t add a jsonb;", project)


@pytest.mark.parametrize(
    ("text", "line", "kept"),
    [
        ("-- +goose Up\nselect 1;\n-- +goose Down\nalter table t drop column a;\n", 3, False),
        ("-- +goose Down\nselect 1;\n-- +goose Up\nalter table t drop column a;\n", 3, True),
        ("-- migrate:up\nselect 1;\n-- migrate:down\nalter table t drop column a;\n", 3, False),
        ("-- +migrate Up\nselect 1;\n-- +migrate Down\nalter table t drop column a;\n", 3, False),
        ("-- +goose Up\nalter table t drop column a;\n-- +goose Down\nselect 1;\n", 1, True),
        ("select '-- +goose Down';\nalter table t drop column a;\n", 1, True),
    ],
    ids=["goose", "goose-up-last", "dbmate", "sql-migrate", "up-half", "in-a-string"],
)
def test_the_rollback_section_of_a_migration_is_not_reviewed(
    tmp_path: Path, text: str, line: int, kept: bool
) -> None:
    reported_items = json.loads(result("ban-drop-column"))
    reported_items[0] |= {"line": line, "line_end": line, "column": 14}

    assert bool(SQUAWK.parse(json.dumps(reported_items).encode(), run(tmp_path, text))) is kept


def at(line: int, rule: str) -> bytes:
    item = json.loads(result(rule))[0]
    return json.dumps([item | {"line": line, "line_end": line, "column": 5, "column_end": 10}]).encode()


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        (
            "adding-field-with-default",
            "alter table t add column b text generated always as (a || '') stored;",
        ),
        ("constraint-missing-not-valid", "alter table t add constraint c check (a > 0);"),
        (
            "adding-foreign-key-constraint",
            "alter table t add constraint c foreign key (a) references u (id);",
        ),
        ("require-concurrent-reindex", "reindex table t;"),
    ],
)
def test_a_table_that_the_same_migration_creates_is_not_in_use(
    tmp_path: Path, rule: str, change: str
) -> None:
    created = f"create table t as select a from s;\n{change}\n"
    assert SQUAWK.parse(at(1, rule), run(tmp_path, created)) == []
    assert len(SQUAWK.parse(at(0, rule), run(tmp_path, f"{change}\n"))) == 1


@pytest.mark.parametrize(
    ("constraint", "kept"),
    [
        ("constraint c unique (a)", False),
        ('constraint "c" primary key (a)', False),
        ("primary key (a)", False),
        ("constraint c check (a > 0)", True),
        ("constraint c foreign key (a) references u (id)", True),
    ],
)
def test_constraints_by_an_index_have_no_not_valid(tmp_path: Path, constraint: str, kept: bool) -> None:
    text = f"alter table t add {constraint};\n"
    assert bool(SQUAWK.parse(at(0, "constraint-missing-not-valid"), run(tmp_path, text))) is kept


@pytest.mark.parametrize(
    ("default", "kept"),
    [("current_date", False), ("(localtimestamp)", False), ("gen_random_uuid()", True)],
)
def test_only_a_volatile_default_rewrites_a_table(tmp_path: Path, default: str, kept: bool) -> None:
    text = f"alter table t add column b date default {default};\n"
    found = SQUAWK.parse(at(0, "adding-field-with-default"), run(tmp_path, text))
    assert [item.message for item in found] == (
        ["A volatile default requires a table rewrite with an ACCESS EXCLUSIVE lock. Or that."]
        if kept
        else []
    )


def test_a_table_that_is_replaced_under_its_old_name_breaks_no_client(tmp_path: Path) -> None:
    text = "alter table t rename to t_old;\ncreate table t (a int);\n"
    assert SQUAWK.parse(at(0, "renaming-table"), run(tmp_path, text)) == []
    assert (
        len(SQUAWK.parse(at(0, "renaming-table"), run(tmp_path, text.replace("table t (", "table u (")))) == 1
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("alter table t add column b int references u (id);\n", False),
        ("alter table t add column b int default 1 references u (id);\n", True),
        ("alter table t add constraint c foreign key (b) references u (id);\n", True),
        ("truncate t;\nalter table t add constraint c foreign key (b) references u (id);\n", False),
    ],
)
def test_a_foreign_key_of_an_empty_column_or_table_scans_nothing(
    tmp_path: Path, text: str, kept: bool
) -> None:
    line = text.count("\n") - 1
    assert bool(SQUAWK.parse(at(line, "adding-foreign-key-constraint"), run(tmp_path, text))) is kept


def test_an_index_is_removed_with_its_constraint(tmp_path: Path) -> None:
    text = "alter table t drop constraint k;\ndrop index if exists k;\n"
    assert SQUAWK.parse(at(1, "require-concurrent-index-deletion"), run(tmp_path, text)) == []
    assert SQUAWK.parse(
        at(1, "require-concurrent-index-deletion"), run(tmp_path, text.replace(" k;", " l;", 1))
    )


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("constraint-missing-not-valid", "VALIDATE CONSTRAINT in the same transaction"),
        ("ban-concurrent-index-creation-in-transaction", "not allowed"),
    ],
)
def test_a_migration_outside_of_a_transaction_is_in_none(tmp_path: Path, rule: str, message: str) -> None:
    output = json.dumps([json.loads(at(2, rule))[0] | {"message": message}]).encode()
    text = "-- +goose Up\n-- +goose NO TRANSACTION\nalter table t validate constraint c;\n"
    assert SQUAWK.parse(output, run(tmp_path, text)) == []


def test_the_begin_of_a_block_is_not_a_transaction(tmp_path: Path) -> None:
    text = "do $$\nbegin\n  perform 1;\nend $$;\n" + SQL
    assert SQUAWK.parse(at(4, "ban-concurrent-index-creation-in-transaction"), run(tmp_path, text)) == []


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("create table saved as select * from t;\n", "create table t (a int);\n", False),
        ("", "create table t (a int);\n", True),
        ("create table saved as select * from t;\n", "", True),
        ("alter table u rename to t;\n", "", False),
    ],
)
def test_a_table_whose_rows_are_saved_is_rebuilt(tmp_path: Path, before: str, after: str, kept: bool) -> None:
    output = at(before.count("\n"), "ban-drop-table")
    assert bool(SQUAWK.parse(output, run(tmp_path, f"{before}drop table t;\n{after}"))) is kept


@pytest.mark.parametrize(
    ("text", "column", "kept"),
    [
        ("select format('%s', :'release');\n", 20, False),
        ("select format('%s', :'release');\n", 21, False),
        ('alter table notes owner to :"owner";\n', 28, False),
        ("select :id;\n", 7, False),
        ("select a::'release';\n", 9, True),
        ("select :'release' frm notes;\n", 22, True),
    ],
)
def test_variables_of_psql_are_no_syntax_errors(tmp_path: Path, text: str, column: int, kept: bool) -> None:
    reported = json.loads(result("syntax-error"))
    reported[0] |= {"column": column, "column_end": column}

    assert len(SQUAWK.parse(json.dumps(reported).encode(), run(tmp_path, text))) == kept
