"""Detection of paths of the work tree under version control, at base or head of a change."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.change.trees import paths_overlap


@pytest.mark.parametrize(
    ("path", "held"),
    [
        ("tools/made/bin/run", True),
        ("tools/made", True),
        ("tools", True),
        ("tools/made/bin/run/deeper", True),
        ("tools/made/lib", False),
        ("link", True),
        ("link/bin/run", True),
        ("module/bin/run", True),
        ("added/by", True),
        ("ADDED", True),
        ("gone/before", True),
        ("ignored", False),
        ("tool", False),
    ],
)
@pytest.mark.parametrize("is_staged", [True, False])
def test_a_place_is_held_by_files_links_and_submodules_of_either_side(
    repo: GitRepository, path: str, held: bool, is_staged: bool
) -> None:
    inner = GitRepository(repo.root / "module")
    inner.write("bin/run", "")
    inner.git("init", "--quiet")
    inner.commit()
    (repo.root / "link").symlink_to("ignored")
    files = {".gitignore": "ignored/\n", "ignored/bin/run": "", "tools/made/bin/run": "", "gone/before": ""}
    first = repo.commit(files)
    (repo.root / "gone/before").unlink()
    repo.stage({"added/by/change": ""})
    second = first if is_staged else repo.commit()
    with Repository(repo.root) as repository:
        change = repository.staged_change() if is_staged else repository.between(first, second)
        assert GitChangeSource(repository, change).has_tracked(path) is held


def test_what_is_checked_out_counts_where_it_is_neither_side(repo: GitRepository) -> None:
    first = repo.commit({"a": "1"})
    second = repo.commit({"a": "2"})
    repo.commit({".venv/pyvenv.cfg": ""})
    with Repository(repo.root) as repository:
        origin = GitChangeSource(repository, repository.between(first, second))
        assert (origin.has_tracked(".venv"), origin.has_tracked("venv")) == (True, False)


def test_of_a_work_tree_what_git_ignores_is_not_held(repo: GitRepository) -> None:
    repo.commit({".gitignore": ".venv/\n", ".venv/pyvenv.cfg": "", "tools/run": ""})
    repo.write("new/run", "")
    with Repository(repo.root) as repository:
        origin = GitChangeSource(repository, repository.worktree())
        assert [origin.has_tracked(path) for path in (".venv", "tools/run", "new")] == [False, True, True]


def test_paths_meet_where_one_is_above_the_other() -> None:
    assert paths_overlap("a/b", "a")
    assert paths_overlap("A", "a/b")
    assert not paths_overlap("a/b", "a/bc")
