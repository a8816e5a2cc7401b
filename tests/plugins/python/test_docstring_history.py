"""Examples from the history of a real repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from wardround_python.docdrift.history import docstring_rows

from tests.conftest import GitRepository
from wardround.semantics.docdrift.features import NAMES
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.docdrift_examples import DocExample


def module(code: str, words: str = "Send it by mail.", name: str = "send") -> str:
    return f'def {name}(to):\n    """{words}"""\n    {code}\n'


def rows_of(repo: GitRepository) -> list[DocExample]:
    with RepositoryHistory(Path(repo.root)) as history:
        return list(docstring_rows(history))


def test_each_changed_function_is_a_row_newest_first(repo: GitRepository) -> None:
    repo.commit({"a.py": module("mail(to)")})
    first = repo.commit({"a.py": module("post(to)")})
    second = repo.commit({"a.py": module("fax(to)", "Send it by fax.")})
    found = rows_of(repo)
    assert [(row.commit, row.path, row.told) for row in found] == [
        (second, "a.py", True),
        (first, "a.py", False),
    ]
    assert all(len(row.values) == len(NAMES) for row in found)
    assert [row.compared.words_before for row in found] == ["Send it by mail."] * 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (module("mail(to)"), module("mail( to )  # why")),
        (module("mail(to)", "It goes by the lettre."), module("post(to)", "It goes by letter.")),
        (module("mail(to)", "Send it."), module("post(to)", "Send it.")),
        (module("mail(to)"), module("post(to)").replace('"""Send it by mail."""', "pass")),
        (module("mail(to)"), module(f"post(to, {'1, ' * 5000})")),
    ],
    ids=["formatting", "words only mended", "too few words", "words deleted", "very long"],
)
def test_uninformative_changes_are_excluded(repo: GitRepository, before: str, after: str) -> None:
    repo.commit({"a.py": before})
    repo.commit({"a.py": after})
    assert rows_of(repo) == []


def test_new_deleted_and_test_files_are_excluded(repo: GitRepository) -> None:
    repo.commit({"gone.py": module("a"), "tests/test_a.py": module("a")})
    (repo.root / "gone.py").unlink()
    repo.commit({"new.py": module("a"), "tests/test_a.py": module("b")})
    assert rows_of(repo) == []


def test_the_same_change_counts_once(repo: GitRepository) -> None:
    repo.commit({"a.py": module("mail(to)"), "b.py": module("mail(to)")})
    repo.commit({"a.py": module("post(to)"), "b.py": module("post(to)")})
    assert len(rows_of(repo)) == 1


def test_a_function_has_six_rows_at_most(repo: GitRepository) -> None:
    for number in range(9):
        repo.commit({"a.py": module(f"mail({number})")})
    assert len(rows_of(repo)) == 6


def functions(count: int, code: str) -> str:
    return "".join(module(f"{code}({n})", f"Send number {n} of all.", f"send{n}") for n in range(count))


def files(count: int, code: str) -> dict[str, str | bytes]:
    return {f"m{n}.py": module(f"{code}({n})", f"Send number {n} of all.") for n in range(count)}


@pytest.mark.parametrize(
    ("make", "most"),
    [(lambda count, code: {"a.py": functions(count, code)}, 15), (files, 30)],
    ids=["functions", "files"],
)
def test_sweeps_are_excluded(
    repo: GitRepository, make: Callable[[int, str], dict[str, str | bytes]], most: int
) -> None:
    repo.commit(make(most, "a"))
    repo.commit(make(most, "b"))
    assert len(rows_of(repo)) == (15 if most == 15 else 0)  # thirty files have too many functions
    repo.commit(make(most + 1, "b"))
    repo.commit(make(most + 1, "c"))
    assert len(rows_of(repo)) == (15 if most == 15 else 0)


def test_missing_and_undecodable_files_are_skipped(repo: GitRepository) -> None:
    repo.commit({"a.py": module("a(to)"), "b.py": module("b(to)"), "c.py": b"'''\xff'''\n"})
    repo.commit({"a.py": module("aa(to)"), "b.py": module("bb(to)"), "c.py": b"'''\xfe'''\n"})
    blob = repo.git("rev-parse", "HEAD:a.py").strip()
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert [row.path for row in rows_of(repo)] == ["b.py"]
