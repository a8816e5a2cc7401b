"""sqlfluff runs only if enabled, loads no code of the project, and is never clean by accident."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import msgspec
import pytest
from wardround_sql.options import SqlOptions
from wardround_sql.tools.sqlfluff import LINES, SQLFLUFF

from wardround.errors import ToolFailed, ToolOutputError
from wardround.tools.process import find_program
from wardround.tools.tool import Invocation, install_line


def run(folder: Path, **files: str) -> Invocation:
    root, scratch = folder / "root", folder / "scratch"
    scratch.mkdir(parents=True)
    for name, text in files.items():
        target = root / name.replace("__", "/").replace("_dot_", ".")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    named = tuple(sorted(p.relative_to(root).as_posix() for p in root.rglob("*.sql")))
    return Invocation(find_program("sqlfluff") or Path("sqlfluff"), root, named, None, scratch)


def said(run: Invocation, *violations: dict[str, object]) -> bytes:
    targets = SQLFLUFF.command(run)[list(SQLFLUFF.command(run)).index("--") + 1 :]
    return json.dumps([{"filepath": target, "violations": list(violations)} for target in targets]).encode()


def violation(code: str = "CV05", **more: object) -> dict[str, object]:
    return {
        "start_line_no": 1,
        "start_line_pos": 3,
        "code": code,
        "description": "Is\n so.",
        "fixes": [],
    } | more


def settings(run: Invocation, file: str) -> str:
    target = next(Path(word) for word in SQLFLUFF.command(run) if word.endswith("/" + file))
    return (target.parents[file.count("/")] / ".sqlfluff").read_text("utf-8")


def test_it_runs_only_where_it_is_requested() -> None:
    assert not SQLFLUFF.is_enabled(None, "a.sql", "select 1;")
    assert not SQLFLUFF.is_enabled(SqlOptions(), "a.sql", "select 1;")
    assert SQLFLUFF.is_enabled(SqlOptions(sqlfluff=True), "a.sql", "select 1;")
    assert not SQLFLUFF.is_enabled(SqlOptions(sqlfluff=True), "a.py", "execute('select 1')")
    assert SQLFLUFF.opt_in
    assert SQLFLUFF.install == install_line("sql")


def test_findings_have_their_location_and_fix(tmp_path: Path) -> None:
    item = run(tmp_path, a_dot_sql="select a from t where b = null;\n", b_dot_sql="select 1;\n")
    done = subprocess.run(SQLFLUFF.command(item), cwd=item.root, capture_output=True, check=False)
    assert done.returncode in SQLFLUFF.success_codes
    (found,) = SQLFLUFF.parse(done.stdout, item)
    assert (found.code, found.file, found.span.start, found.span.end) == ("CV05", "a.sql", (1, 25), (1, 26))
    assert found.fix is not None
    assert not found.fix.safe
    assert [(e.span.start, e.replacement) for e in found.fix.edits] == [((1, 25), "is")]


def test_code_in_the_project_is_never_loaded(tmp_path: Path) -> None:
    """Neither its configuration nor a comment in a file under review makes sqlfluff import a module."""
    mark = tmp_path / "loaded"
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "__init__.py").write_text(f"open({str(mark)!r}, 'w')\n")
    text = f"-- sqlfluff:templater:jinja:library_path:{evil}\n-- sqlfluff:templater:python\nselect 1;\n"
    item = run(tmp_path, a_dot_sql=text)
    (item.root / ".sqlfluff").write_text(
        SQLFLUFF.config_overlay("", {".sqlfluff": f"[sqlfluff]\nlibrary_path = {evil}\n"})[".sqlfluff"]
    )
    done = subprocess.run(SQLFLUFF.command(item), cwd=item.root, capture_output=True, check=False)
    assert SQLFLUFF.parse(done.stdout, item) == []
    assert not mark.exists()


@pytest.mark.parametrize(
    ("written", "gone"),
    [
        ("[sqlfluff]\nlibrary_path = x\n", "library_path"),
        ("[sqlfluff:templater:jinja]\nlibrary_path = x\n", "library_path"),
        ("[sqlfluff:templater:jinja]\nload_macros_from_path = x\n", "load_macros"),
        ("[sqlfluff:templater:jinja]\nloader_search_path = x\n", "loader_search"),
        ("[sqlfluff]\ntemplater = dbt\n[sqlfluff:templater:dbt]\nproject_dir = x\n", "dbt"),
        ("[sqlfluff]\ntemplater = python\n", "python"),
        ("[sqlfluff]\nlarge_file_skip_byte_limit = 1\n", "large_file"),
        ("[sqlfluff]\nignore = parsing\n", "parsing"),
    ],
)
def test_what_loads_code_or_hides_files_is_taken_out(written: str, gone: str) -> None:
    retained = SQLFLUFF.config_overlay("", {".sqlfluff": written})[".sqlfluff"]
    assert gone not in retained


def test_settings_in_pyproject_are_filtered_too() -> None:
    core = '[tool.sqlfluff.core]\ndialect = "tsql"\ntemplater = "dbt"\n'
    table = core + '[tool.sqlfluff.templater.jinja]\nlibrary_path = "x"\n'
    retained = SQLFLUFF.config_overlay("a", {"a/pyproject.toml": table})
    assert "tsql" in retained["a/.sqlfluff"]
    assert "templater = jinja" in retained["a/.sqlfluff"]
    assert "library" not in "".join(retained.values())


def test_the_rules_and_dialect_of_the_project_apply(tmp_path: Path) -> None:
    item = run(
        tmp_path, q__a_dot_sql="select 1;\n", _dot_sqlfluff="[sqlfluff]\ndialect = tsql\nrules = LT01\n"
    )
    (item.root / "q/.sqlfluff").write_text("[sqlfluff]\nexclude_rules = LT02\n")
    written = settings(item, "q/a.sql")
    assert all(line in written for line in ("dialect = tsql", "rules = LT01", "exclude_rules = LT02"))


@pytest.mark.parametrize("name", ["pyproject.toml", ".wardround.toml"])
def test_otherwise_the_file_or_the_options_determine_the_dialect(tmp_path: Path, name: str) -> None:
    own = '[sql]\ndialect = "bigquery"\n'
    text = own if name.startswith(".") else "[tool.wardround.sql]\n" + own.partition("\n")[2]
    item = run(
        tmp_path, a_dot_sql="select 1;\n", b_dot_sql="create table `t` (a int) engine=InnoDB;\n"
    )  # fmt: skip
    (item.root / name).write_text(SQLFLUFF.config_overlay("", {name: text})[name])
    assert "dialect = bigquery" in settings(item, "a.sql")
    assert "dialect = mysql" in settings(item, "b.sql")


def test_files_over_the_limit_are_recorded_as_unreviewed(tmp_path: Path) -> None:
    item = run(tmp_path, a_dot_sql="select 1;\n" * LINES, b_dot_sql="select 1;\n")
    assert [Path(word).name for word in SQLFLUFF.command(item) if word.endswith(".sql")] == ["b.sql"]
    assert list(SQLFLUFF.skipped_files(b"", item)) == ["a.sql"]
    only = run(tmp_path / "2", a_dot_sql="select 1;\n" * LINES)
    assert SQLFLUFF.command(only)[1:] == ["--version"]


def test_a_file_it_cannot_parse_is_reported_once(tmp_path: Path) -> None:
    item = run(tmp_path, a_dot_sql="selec\n")
    bad = violation(
        "PRS", description="Line 1, Position 3: Found unparsable section: 'x'. Expected: Nothing."
    )
    (found,) = SQLFLUFF.parse(said(item, bad, bad), item)
    assert (found.code, found.message) == ("PRS", "Found unparsable section: 'x'.")


def test_fixes_in_templates_are_discarded(tmp_path: Path) -> None:
    item = run(tmp_path, a_dot_sql="select {{ a }} from b\n")
    edit = {"edit": "is", "start_line_no": 1, "start_line_pos": 1, "end_line_no": 1, "end_line_pos": 2}
    (found,) = SQLFLUFF.parse(said(item, violation(fixes=[edit])), item)
    assert found.fix is None


@pytest.mark.parametrize("output", [b"", b"{}", b"[{}]", b"User Error: no"])
def test_other_output_is_never_clean(tmp_path: Path, output: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        SQLFLUFF.parse(output, run(tmp_path, a_dot_sql="select 1;\n"))


def test_a_file_missing_from_the_output_is_not_clean(tmp_path: Path) -> None:
    with pytest.raises(ToolOutputError, match=r"output lacks a\.sql"):
        SQLFLUFF.parse(b"[]", run(tmp_path, a_dot_sql="select 1;\n"))


def test_a_file_that_was_not_an_input_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolOutputError):
        SQLFLUFF.parse(b'[{"filepath": "b.sql", "violations": []}]', run(tmp_path, a_dot_sql="select 1;\n"))


def test_an_unreadable_configuration_fails_the_run(tmp_path: Path) -> None:
    item = run(tmp_path, a_dot_sql="select 1;\n")
    (item.root / ".sqlfluff").write_text(
        SQLFLUFF.config_overlay("", {".sqlfluff": "dialect = mysql\n"})[".sqlfluff"]
    )
    with pytest.raises(ToolFailed, match="does not support the dialect"):
        SQLFLUFF.command(item)
