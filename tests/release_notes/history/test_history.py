"""Which commits a merge represents, and which the base already has."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.release_notes.histories import merge, notes_of, texts
from wardround.change.repository import Repository
from wardround.release_notes.history.history import History, read_history
from wardround.release_notes.history.revisions import revisions_of_range
from wardround.release_notes.model import NoteKind


def _history(repo: GitRepository, text: str = "v1..HEAD") -> History:
    with Repository(repo.root) as repository:
        return read_history(repository, revisions_of_range(repository, text))


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit({"shop.py": "x = 0\n"}, "Initial commit")
    repo.git("tag", "v1")
    return repo


def test_parents_come_before_their_children(shop: GitRepository) -> None:
    ids = [shop.commit({"shop.py": f"x = {number}\n"}, f"Change {number}") for number in (1, 2, 3)]
    assert [commit.id for commit in _history(shop).commits] == ids


def test_a_branch_of_another_release_is_read_commit_by_commit(shop: GitRepository) -> None:
    shop.git("switch", "--quiet", "--create", "1.x")
    merge_of = shop.commit({"a.py": "x = 1\n"}, "Fix the total (#3)")
    shop.git("switch", "--quiet", "main")
    shop.commit({"b.py": "x = 1\n"}, "Add a limit (#4)")
    shop.git("merge", "--quiet", "--no-ff", "--message", "Merge branch '1.x'", "1.x")
    history = _history(shop)
    assert not any(commit.merged for commit in history.commits)
    assert history.by_id[merge_of].pull_request == "#3"


def test_a_pull_request_with_those_of_others_is_a_branch(shop: GitRepository) -> None:
    parts = {"Fix the total (#3)": {"a.py": "x = 1\n"}, "Add a limit (#4)": {"b.py": "x = 1\n"}}
    merge(shop, parts, "Merge pull request #5 from ann/release\n\nRelease 1.1")
    history = _history(shop)
    assert not any(commit.merged for commit in history.commits)
    assert not any(commit.is_merged for commit in history.commits)


def test_an_octopus_merge_represents_all_its_branches(shop: GitRepository) -> None:
    for name in ("one", "two"):
        shop.git("switch", "--quiet", "--create", name, "v1")
        shop.commit({f"{name}.py": "x = 1\n"}, f"Add {name}")
    shop.git("switch", "--quiet", "main")
    message = "Merge pull request #6 from ann/both\n\nAdd both"
    shop.git("merge", "--quiet", "--no-ff", "--message", message, "one", "two")
    last = _history(shop).commits[-1]
    assert (last.message.title, len(last.merged), last.paths) == ("Add both", 2, ("one.py", "two.py"))


def test_a_change_that_the_base_picked_is_not_new(shop: GitRepository) -> None:
    fix = shop.commit({"shop.py": "x = 1\n"}, "Fix the total")
    shop.commit({"other.py": "x = 1\n"}, "Add a limit")
    shop.git("switch", "--quiet", "--create", "1.x", "v1")
    shop.commit({"own.py": "x = 1\n"}, "Fix only the branch")
    shop.git("cherry-pick", fix)
    notes = notes_of(shop.root, "1.x..main")
    assert texts(notes, NoteKind.FIX) == []
    assert texts(notes, NoteKind.FEATURE) == ["Add a limit"]
    assert [(item.text, item.reason, item.commits) for item in notes.unattributed] == [
        ("Fix the total", "the base has the same change", (fix,))
    ]


def test_a_picked_change_that_had_to_be_adapted_is_known_by_its_message(shop: GitRepository) -> None:
    fix = shop.commit({"shop.py": "x = 1\n"}, "Fix the total")
    shop.git("switch", "--quiet", "--create", "1.x", "v1")
    shop.commit({"shop.py": "x = 2\n"}, f"Fix the total\n\n(cherry picked from commit {fix})")
    assert [commit.id for commit in _history(shop, "1.x..main").in_base] == [fix]


def test_renamed_files_count_with_both_names(shop: GitRepository) -> None:
    shop.git("mv", "shop.py", "store.py")
    shop.commit(None, "Rename shop to store")
    assert _history(shop).commits[0].paths == ("shop.py", "store.py")


def test_a_bare_clone_has_the_same_history(shop: GitRepository) -> None:
    merge(shop, {"Add x": {"shop.py": "x = 1\n"}}, "Merge pull request #7 from ann/x\n\nAdd x")
    bare = GitRepository(shop.root.parent / "bare.git")
    shop.git("clone", "--quiet", "--bare", str(shop.root), str(bare.root))
    assert _history(bare) == _history(shop)
