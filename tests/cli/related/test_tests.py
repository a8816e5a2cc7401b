"""``wardround related --tests`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import GitRepository

ROWS = """\
def parse_row(line):
    return line.split("|")


def read_rows(file):
    return list(map(parse_row, file))
"""
SHOP = {
    "src/shop/rows.py": ROWS,
    "src/shop/mail.py": "def send(address):\n    smtp.send(address)\n",
    "tests/test_rows.py": "from shop.rows import parse_row\n\n\ndef test_a_row_is_split():\n"
    '    assert parse_row("a|b") == ["a", "b"]\n',
    "tests/test_files.py": "from shop import rows\n\n\nclass TestFiles:\n    def test_all_rows(self):\n"
    '        assert rows.read_rows(["a"]) == [["a"]]\n',
    "tests/test_mail.py": "from shop.mail import send\n\n\ndef test_mail():\n    send('a')\n",
    "web/rows.test.ts": "it('parse_row', () => {\n  parse_row();\n});\n",
}


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit(SHOP)
    return repo


def _out(repo: GitRepository, *arguments: str | Path, cwd: Path | None = None) -> str:
    before = repo.fingerprint()
    done = repo.wardround("related", "--tests", *arguments, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    assert repo.fingerprint() == before
    return done.stdout


def _ids(repo: GitRepository, *arguments: str) -> list[str]:
    return [result["test"] for result in json.loads(_out(repo, "--format", "json", *arguments))["results"]]


def test_the_tests_of_a_function_as_text(shop: GitRepository) -> None:
    reported = _out(shop, "src/shop/rows.py::parse_row")
    assert reported.startswith('  1  tests/test_rows.py::test_a_row_is_split\n       calls "parse_row"; ')
    assert (
        '  2  tests/test_files.py::TestFiles::test_all_rows\n       uses "read_rows", which uses "parse_row"'
        in reported
    )
    assert reported.endswith("\nmost likely among the tests of 4 files; nothing was run\n")
    assert "web/rows.test.ts" not in reported


def test_the_same_as_json(shop: GitRepository) -> None:
    found = json.loads(_out(shop, "--format", "json", "--limit", "1", "src/shop/rows.py::parse_row"))
    assert (found["schema"], found["scope"]) == ("wardround.related/1", "tests")
    assert (found["functions"], found["of"], found["candidates"]) == (["src/shop/rows.py::parse_row"], 1, 4)
    (first,) = found["results"]
    assert (first["test"], first["line"], first["end_line"]) == (
        "tests/test_rows.py::test_a_row_is_split",
        4,
        5,
    )
    assert first["why"][0] == 'calls "parse_row"'


def test_a_second_run_and_a_run_from_a_folder_state_the_same(shop: GitRepository) -> None:
    reported = _out(shop, "src/shop/rows.py::parse_row")
    assert _out(shop, "src/shop/rows.py::parse_row") == reported
    assert _out(shop, "shop/rows.py::parse_row", cwd=shop.root / "src") == reported


def test_the_tests_of_what_is_staged(shop: GitRepository) -> None:
    shop.stage({"src/shop/rows.py": ROWS.replace('"|"', '";"')})
    assert _ids(shop, "--staged")[0] == "tests/test_rows.py::test_a_row_is_split"
    shop.git("commit", "--quiet", "--no-verify", "--message", "other")
    assert _ids(shop, "--base", "HEAD~1")[0] == "tests/test_rows.py::test_a_row_is_split"
    assert _out(shop, "--staged") == "the change touches no function\n"


def test_several_functions_share_one_order(shop: GitRepository) -> None:
    shop.stage(
        {
            "src/shop/rows.py": ROWS.replace('"|"', '";"'),
            "src/shop/mail.py": SHOP["src/shop/mail.py"] + "    log(address)\n",
        }
    )
    reported = _out(shop, "--staged")
    assert '       send: calls "send"' in reported
    assert '       parse_row: calls "parse_row"' in reported


def test_a_test_that_is_only_on_disk_counts_for_what_is_on_disk(shop: GitRepository) -> None:
    shop.write("src/shop/rows.py", ROWS.replace('"|"', '";"'))
    shop.write(
        "tests/test_new.py", "from shop.rows import parse_row\n\n\ndef test_parse_row():\n    parse_row('')\n"
    )
    assert "tests/test_new.py::test_parse_row" in _ids(shop, "--worktree")
    assert "tests/test_new.py::test_parse_row" not in _ids(shop, "src/shop/rows.py::parse_row")


def test_another_commit_and_a_bare_repository(shop: GitRepository, tmp_path: Path) -> None:
    shop.commit({"tests/test_rows.py": "def test_nothing():\n    pass\n"})
    assert _ids(shop, "--at", "HEAD~1", "src/shop/rows.py::parse_row")[0].endswith("test_a_row_is_split")
    bare = tmp_path / "bare"
    shop.git("clone", "--quiet", "--bare", shop.root, bare)
    reported = shop.wardround(
        "related", "--tests", "--repo", bare, "src/shop/rows.py::read_rows", cwd=tmp_path
    )
    assert reported.stdout.startswith("  1  tests/test_files.py::TestFiles::test_all_rows\n")


def test_many_files_of_tests_are_narrowed_down_first(shop: GitRepository) -> None:
    shop.commit(
        {f"tests/test_m{n}.py": f"def test_m{n}():\n    assert total({n}) == basket\n" for n in range(70)}
    )
    assert _ids(shop, "--limit", "1", "src/shop/rows.py::parse_row") == [
        "tests/test_rows.py::test_a_row_is_split"
    ]


def test_nothing_in_common_is_reported(repo: GitRepository) -> None:
    repo.commit({"zig.py": "def zag():\n    return 1\n", "README.md": ""})
    assert _out(repo, "zig.py::zag") == "no test in 0 files is related to zig.py::zag\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["src/shop/rows.py"], "--tests requires a function, as in src/rows.py::parse_row"),
        (["nowhere.py::a"], "nowhere.py: no such text file in what is staged"),
        (["src/shop/rows.py::parse"], "has no function 'parse'; it has parse_row, read_rows"),
        (["README::x"], "README: no such text file"),
        ([], "--tests needs FILE::FUNCTION, or one of --staged"),
        (["a.py::b", "--staged"], "--tests needs FILE::FUNCTION, or one of --staged"),
        (["a.py::b", "--at", "nowhere"], "'nowhere' names no commit"),
    ],
)
def test_wrong_input_is_rejected_with_one_sentence(
    shop: GitRepository, arguments: list[str], told: str
) -> None:
    done = shop.wardround("related", "--tests", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
