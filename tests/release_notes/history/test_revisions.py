"""Ranges that the user names, and the last tag of a version."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.errors import GitError, UsageError
from wardround.release_notes.history.revisions import revisions_of_range, revisions_since_last_tag


def _range(repo: GitRepository, text: str) -> tuple[str, str]:
    with Repository(repo.root) as repository:
        found = revisions_of_range(repository, text)
    return found.base, found.head


def _last_tag(repo: GitRepository, head: str = "HEAD") -> str:
    with Repository(repo.root) as repository:
        return revisions_since_last_tag(repository, head).base


@pytest.fixture
def tagged(repo: GitRepository) -> GitRepository:
    for number in range(3):
        repo.commit({"a.txt": f"{number}\n"}, f"change {number}")
        repo.git("tag", f"v1.{number}")
    repo.commit({"a.txt": "x\n"}, "change")
    return repo


def test_a_range_has_a_base_and_by_default_the_head_of_the_branch(tagged: GitRepository) -> None:
    assert _range(tagged, "v1.0..v1.1") == ("v1.0", "v1.1")
    assert _range(tagged, "v1.0") == ("v1.0", "HEAD")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("v1.0...v1.1", "three dots are a symmetric difference"),
        ("..v1.1", "is not a range"),
        ("v1.0..", "is not a range"),
        ("v1.0..v1.1..v1.2", "is not a range"),
    ],
)
def test_another_text_is_refused(tagged: GitRepository, text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        _range(tagged, text)


def test_an_unknown_revision_is_named(tagged: GitRepository) -> None:
    with pytest.raises(GitError, match="'v9' names no commit"):
        _range(tagged, "v9..HEAD")
    with pytest.raises(GitError, match="is not a revision"):
        _range(tagged, "--all..HEAD")


def test_histories_without_a_common_commit_are_refused(tagged: GitRepository) -> None:
    tagged.git("switch", "--quiet", "--orphan", "other")
    tagged.commit({"b.txt": "x\n"}, "other")
    with pytest.raises(GitError, match="share no commit"):
        _range(tagged, "v1.0..other")


def test_the_head_must_not_be_behind_the_base(tagged: GitRepository) -> None:
    with pytest.raises(GitError, match=r"v1.0 is an ancestor of v1.2; give v1.0..v1.2"):
        _range(tagged, "v1.2..v1.0")


def test_a_shallow_clone_without_the_range_is_refused(tagged: GitRepository) -> None:
    shallow = GitRepository(tagged.root.parent / "shallow")
    tagged.git("clone", "--quiet", "--depth=2", "--branch=main", f"file://{tagged.root}", str(shallow.root))
    with pytest.raises(GitError, match="this clone is shallow"):
        _range(shallow, "v1.0..HEAD")
    shallow.git("fetch", "--quiet", "--depth=1", "origin", "refs/tags/v1.0:refs/tags/v1.0")
    with pytest.raises(GitError, match=r"this clone is shallow and lacks commits between v1.0 and HEAD"):
        _range(shallow, "v1.0..HEAD")


def test_a_shallow_clone_with_the_range_is_enough(tagged: GitRepository) -> None:
    shallow = GitRepository(tagged.root.parent / "shallow")
    tagged.git("clone", "--quiet", "--depth=3", "--branch=main", f"file://{tagged.root}", str(shallow.root))
    assert _range(shallow, "HEAD~1..HEAD") == ("HEAD~1", "HEAD")


def test_the_last_tag_is_the_nearest_one_that_names_a_version(tagged: GitRepository) -> None:
    tagged.git("tag", "nightly", "HEAD")
    assert _last_tag(tagged) == "v1.2"


def test_tags_of_the_head_itself_do_not_count(tagged: GitRepository) -> None:
    assert _last_tag(tagged, "v1.2") == "v1.1"


def test_the_notes_of_a_final_release_begin_at_the_final_release_before_it(tagged: GitRepository) -> None:
    tagged.git("tag", "v1.3rc1", "HEAD")
    tagged.commit({"a.txt": "y\n"}, "change")
    assert _last_tag(tagged) == "v1.3rc1"
    tagged.git("tag", "v1.3")
    assert _last_tag(tagged) == "v1.2"


def test_a_tagged_package_is_compared_with_its_own_last_release(tagged: GitRepository) -> None:
    tagged.git("tag", "cart@1.0.0", "v1.1")
    tagged.git("tag", "cart@1.1.0", "HEAD")
    assert _last_tag(tagged) == "cart@1.0.0"


def test_without_a_tag_the_message_names_the_remedy(repo: GitRepository) -> None:
    repo.commit({"a.txt": "x\n"}, "change")
    with pytest.raises(GitError, match="no tag before HEAD names a version"):
        _last_tag(repo)
