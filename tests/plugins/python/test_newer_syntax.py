"""Our own checks in files whose syntax is newer than the Python that runs them."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository

NEWER = """\
import asyncio
import time
from flask import request


type Names = dict[str, str]


def first[T: (int, str) = int](items: list[T]) -> T:
    return items[0]


def shown(d: Names) -> str:
    return f"{d["name"]}: {", ".join(
        sorted(d)  # by name
    )}"


def removed(rows: list[int]) -> None:
    try:
        rows.sort()
    except TypeError, ValueError:
        raise
    for row in rows:
        rows.remove(row)


def run() -> None:
    eval(f"{request.args["code"]}")


def greeting(name: str):
    return t"Hello {name!r}"


async def wait() -> None:
    time.sleep(1)


asyncio.run(wait())
"""
EXPECTED = {("python/PY304", 29, 10), ("python/PY025", 24, 16), ("python/PY005", 37, 5)}


@pytest.mark.parametrize("profile", ["commit", "ci"])
def test_defects_are_reported_at_their_positions_and_nothing_else(repo: GitRepository, profile: str) -> None:
    repo.commit({"README": ""})
    repo.stage({"app.py": NEWER})
    report = repo.report("--staged", "--profile", profile)
    assert report["unreviewed"] == []
    found = {(finding["rule"], finding["line"], finding["column"]) for finding in report["findings"]}
    assert found >= EXPECTED
    assert not [finding for finding in report["findings"] if finding["defect_class"] == "syntax-error"]


def test_a_file_without_defects_passes(repo: GitRepository) -> None:
    repo.commit({"README": ""})
    repo.stage({"app.py": 'def name[T](d: dict[str, T]) -> str:\n    return f"{d["name"]}"\n'})
    report = repo.report("--staged", "--profile", "ci")
    assert (report["gate"]["outcome"], report["findings"], report["unreviewed"]) == ("pass", [], [])


def test_a_test_module_is_reviewed_too(repo: GitRepository) -> None:
    repo.commit({"README": ""})
    text = (
        'def test_name() -> None:\n    d = {"a": "b"}\n    print(f"{d["a"]}")\n    assert (d, "is empty")\n'
    )
    repo.stage({"tests/test_app.py": text})
    report = repo.report("--staged")
    assert report["unreviewed"] == []
    assert 4 in {finding["line"] for finding in report["findings"]}


def test_sql_in_such_an_f_string_is_read(repo: GitRepository) -> None:
    repo.commit({"README": ""})
    text = (
        "def drop(cursor, t: dict[str, str]) -> None:\n"
        '    cursor.execute(f"SELECT a FROM {t["name"]} WHERE b = NULL")\n'
    )
    repo.stage({"app.py": text})
    report = repo.report("--staged")
    assert report["unreviewed"] == []
    assert {finding["line"] for finding in report["findings"] if finding["specialist"] == "sql"} == {2}


def test_a_real_syntax_error_is_reported_at_its_position(repo: GitRepository) -> None:
    repo.commit({"README": ""})
    repo.stage({"app.py": 'def f[T](d: T) -> str:\n    return f"{d["a"]}"\n\n\nx = d e\n'})
    report = repo.report("--staged")
    [found] = [finding for finding in report["findings"] if finding["defect_class"] == "syntax-error"]
    assert (found["rule"], found["severity"], found["line"], found["column"]) == (
        "ruff/invalid-syntax",
        "error",
        5,
        7,
    )


def test_a_suppression_after_such_a_string_counts(repo: GitRepository) -> None:
    repo.commit({"README": ""})
    text = 'x = f"{dict(a=1)["a"]}"\nprint(undefined)  # wardround: ignore[ruff/F821] defined by the host\n'
    repo.stage({"app.py": text})
    assert [f["rule"] for f in repo.report("--staged")["findings"] if f["status"] != "suppressed"] == []
