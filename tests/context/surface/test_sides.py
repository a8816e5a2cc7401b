"""Base and head of a change as the comparisons read them."""

from __future__ import annotations

from tests.conftest import GitRepository
from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.surface.sides import MOST_BYTES, Sides, sides_of, sides_of_texts


def between(repository: Repository, base: str, head: str) -> Sides:
    change: Change = repository.between(base, head)
    return sides_of(GitChangeSource(repository, change), change)


def test_each_side_has_its_own_files_and_texts(repo: GitRepository) -> None:
    base = repo.commit({"a.py": "one\n", "b.txt": "b\n"})
    repo.git("rm", "-q", "b.txt")
    head = repo.commit({"a.py": "two\n"})
    with Repository(repo.root) as repository:
        sides = between(repository, base, head)
        assert (list(sides.base.paths), list(sides.head.paths)) == (["a.py", "b.txt"], ["a.py"])
        assert (sides.base.read("a.py"), sides.head.read("a.py"), sides.head.read("b.txt")) == (
            "one\n",
            "two\n",
            None,
        )
        assert list(sides.files) == [("a.py", "a.py"), ("b.txt", None)]


def test_files_that_are_too_large_or_not_text_are_missing(repo: GitRepository) -> None:
    base = repo.commit({"a.py": "one\n"})
    head = repo.commit({"large.py": b"x" * (MOST_BYTES + 1), "latin.py": b"caf\xe9\n"})
    with Repository(repo.root) as repository:
        sides = between(repository, base, head)
        assert (sides.head.read("large.py"), sides.head.read("latin.py")) == (None, None)


def test_the_uncommitted_side_has_the_staged_files(repo: GitRepository) -> None:
    repo.commit({"a.py": "one\n"})
    repo.stage({"a.py": "two\n", "new.py": "new\n"})
    with Repository(repo.root) as repository:
        change = repository.staged_change()
        sides = sides_of(GitChangeSource(repository, change), change)
        assert [sides.head.read(path) for path in sides.head.paths] == ["two\n", "new\n"]


def test_a_file_that_cannot_be_read_at_the_head_is_not_removed(repo: GitRepository) -> None:
    base = repo.commit({"action.yml": "inputs:\n  a: {}\n"})
    head = repo.commit({"action.yml": b"inputs: \xe9\n"})
    with Repository(repo.root) as repository:
        assert list(between(repository, base, head).text_pairs(lambda path: True)) == []


def test_a_file_renamed_to_another_kind_counts_as_removed() -> None:
    sides = sides_of_texts({"a.yml": "a"}, {"a.txt": "a"})
    assert list(sides.pairs(lambda path: path.endswith(".yml"))) == [("a.yml", None)]
    (pair,) = sides.text_pairs(lambda path: path.endswith(".yml"))
    assert (pair.base, pair.head, pair.head_path) == ("a", None, "a.yml")
