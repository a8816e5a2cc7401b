"""The past of a repository: merges, renames, odd names and contents, damage, limits; processes end."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.lab.corpora.conftest import DAY, START, commit_at, numbered
from wardround.errors import GitError
from wardround.training_tasks import Changed, Commit, History
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory

PYTHON = ("*.py",)


def _read(folder: Path, limits: HistoryLimits | None = None) -> list[Commit]:
    with RepositoryHistory(folder, limits=limits) as history:
        return list(history.commits(PYTHON))


def _lose(repo: GitRepository, name: str) -> str:
    """Take an object out of the object database."""
    found = repo.git("rev-parse", name).strip()
    (repo.root / ".git" / "objects" / found[:2] / found[2:]).unlink()
    return found


def test_commits_are_newest_first_with_their_changes(repo: GitRepository) -> None:
    commit_at(repo, 1, {"a.py": "x = 1\n", "notes.txt": "n\n"}, "First\n\nWhy it is\nso.")
    commit_at(repo, 2, {"notes.txt": "m\n"}, "Only notes")
    last = commit_at(repo, 3, {"a.py": "x = 2\n"}, "Second")
    with RepositoryHistory(repo.root) as history:
        as_miners_see_it: History = history
        second, first = as_miners_see_it.commits(PYTHON)
        assert (second.id, second.subject, second.body, second.time) == (last, "Second", "", START + 3 * DAY)
        assert (first.subject, first.body, first.parent) == ("First", "Why it is\nso.", None)
        (added,) = first.changes
        assert (added.path, added.base_path, added.base_blob) == ("a.py", None, None)
        (changed,) = second.changes
        assert (history.text(changed.base_blob), history.text(changed.blob)) == ("x = 1\n", "x = 2\n")
        assert [path for path, _ in history.tree(last, ("*.py", "*.txt"))] == ["a.py", "notes.txt"]
        assert history.repository == repo.root.parent.name


def test_merges_are_excluded_and_both_parents_included(repo: GitRepository) -> None:
    commit_at(repo, 1, {"a.py": "a = 1\n", "b.py": "b = 1\n"}, "base")
    repo.git("checkout", "--quiet", "-b", "side")
    commit_at(repo, 2, {"a.py": "a = 2\n"}, "on the side")
    repo.git("checkout", "--quiet", "main")
    commit_at(repo, 3, {"b.py": "b = 2\n"}, "on main")
    repo.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    assert {item.subject for item in _read(repo.root)} == {"base", "on the side", "on main"}


def test_moved_files_are_one_change_whether_or_not_they_were_edited(repo: GitRepository) -> None:
    commit_at(repo, 1, {"a.py": numbered(1, 30), "b.py": numbered(100, 130), "c.py": numbered(200, 220)})
    files = {
        "new/a.py": numbered(1, 30),
        "new/b2.py": numbered(100, 128) + "other\n",
        "d.py": numbered(300, 320),
    }
    repo.git("rm", "--quiet", "a.py", "b.py")
    commit_at(repo, 2, files, gone="c.py")
    (moved, _) = _read(repo.root)
    pairs = [(item.base_path, item.path, item.blob is None) for item in moved.changes]
    assert pairs == [
        ("c.py", "c.py", True),
        (None, "d.py", False),
        ("a.py", "new/a.py", False),
        ("b.py", "new/b2.py", False),
    ]


def test_paths_and_messages_that_are_not_utf_8_are_escaped(repo: GitRepository) -> None:
    folder = os.fsencode(repo.root)
    with open(folder + b"/caf\xe9 \n.py", "wb") as file:
        file.write(b"x = 1\n")
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "-F", "-", stdin=b"na\xefve\n")
    (commit,) = _read(repo.root)
    assert commit.changes[0].path == "caf\\xe9 \n.py"
    assert commit.subject == "naïve"


def test_unusable_content_is_none(repo: GitRepository) -> None:
    texts = {
        "latin.py": b"# \xe9t\xe9\n",
        "nul.py": b"a\0b",
        "marked.py": b"\xef\xbb\xbfx = 1\n",
        "huge.py": b"y\n" * 600_000,
        "empty.py": b"",
    }
    commit_at(repo, 1, texts)
    with RepositoryHistory(repo.root) as history:
        (commit,) = history.commits(PYTHON)
        found = {item.path: history.text(item.blob) for item in commit.changes}
        assert found == {
            "latin.py": None,
            "nul.py": None,
            "marked.py": "x = 1\n",
            "huge.py": None,
            "empty.py": "",
        }
        assert (history.trouble.large, history.trouble.undecodable, history.trouble.missing) == (1, 1, 0)
        assert history.text(None) is None


def test_links_submodules_and_mode_changes_are_not_text_changes(repo: GitRepository) -> None:
    commit_at(repo, 1, {"a.py": "x = 1\n"})
    (repo.root / "link.py").symlink_to("a.py")
    (repo.root / "a.py").chmod(0o755)
    head = repo.git("rev-parse", "HEAD").strip()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},module.py")
    commit_at(repo, 2, {"b.py": "y = 1\n"})
    assert [item.path for item in _read(repo.root)[0].changes] == ["b.py"]


def test_missing_blobs_cost_only_themselves(repo: GitRepository) -> None:
    for day in range(1, 5):
        commit_at(repo, day, {"a.py": f"x = {day}\n", "b.py": f"y = {day}\n"})
    _lose(repo, "HEAD~1:a.py")
    with RepositoryHistory(repo.root) as history:
        commits = list(history.commits(PYTHON))
        texts = [history.text(change.blob) for item in commits for change in item.changes]
        assert texts == ["x = 4\n", "y = 4\n", None, "y = 3\n", "x = 2\n", "y = 2\n", "x = 1\n", "y = 1\n"]
        assert history.trouble.describe() == "1 reads of missing files were skipped"


def test_a_partial_clone_is_read_without_fetching(repo: GitRepository, tmp_path: Path) -> None:
    commit_at(repo, 1, {"a.py": "x = 1\n"})
    commit_at(repo, 2, {"a.py": "x = 2\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "acme+shop" / "repo"
    repo.git("clone", "--quiet", "--bare", "--filter=blob:none", f"file://{repo.root}", partial)
    with RepositoryHistory(partial) as history:
        assert history.repository == "acme/shop"
        assert len(list(history.commits(PYTHON))) == 2
        assert all(
            history.text(change.blob) is None for item in history.commits(PYTHON) for change in item.changes
        )


def test_a_damaged_tree_costs_the_commits_that_have_it(repo: GitRepository) -> None:
    for day in range(1, 7):
        commit_at(repo, day, {"a.py": f"x = {day}\n"}, f"day {day}")
    _lose(repo, "HEAD~2^{tree}")
    with RepositoryHistory(repo.root) as history:
        assert [item.subject for item in history.commits(PYTHON)] == ["day 6", "day 3", "day 2", "day 1"]
        assert history.trouble.describe() == "2 commits cannot be compared"


def test_a_missing_commit_ends_the_history_and_is_reported(repo: GitRepository) -> None:
    for day in range(1, 5):
        commit_at(repo, day, {"a.py": f"x = {day}\n"}, f"day {day}")
    _lose(repo, "HEAD~2")
    with RepositoryHistory(repo.root) as history:
        assert [item.subject for item in history.commits(PYTHON)][:1] == ["day 4"]
        assert history.trouble.describe().startswith("its list of commits is truncated")


def test_limits_hold_by_time_by_number_and_by_path(repo: GitRepository) -> None:
    for day in range(1, 7):
        commit_at(repo, day, {"a.py": f"x = {day}\n", "ee/b.py": f"y = {day}\n"}, f"day {day}")
    limits = HistoryLimits(since=START + 2 * DAY, until=START + 5 * DAY, commits=2, exclude=("ee/*",))
    found = _read(repo.root, limits)
    assert [item.subject for item in found] == ["day 4", "day 3"]
    assert {change.path for item in found for change in item.changes} == {"a.py"}
    with pytest.raises(ValueError, match="must be positive"):
        HistoryLimits(commits=-1)


def test_blame_names_the_commits_that_wrote_lines(repo: GitRepository) -> None:
    first = commit_at(repo, 1, {"a.py": "one\ntwo\n"})
    second = commit_at(repo, 2, {"a.py": "one\n  two\nthree\n"})
    with RepositoryHistory(repo.root) as history:
        assert history.blame(second, "a.py", [1, 2, 3]) == [(1, first), (2, first), (3, second)]
        assert history.blame(second, "absent.py", [1]) == []


def test_git_processes_end_with_the_history(repo: GitRepository) -> None:
    commit_at(repo, 1, {"a.py": "x = 1\n"})
    with RepositoryHistory(repo.root) as history:
        (commit,) = history.commits(PYTHON)
        history.text(commit.changes[0].blob)
    children = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "git"], capture_output=True, text=True, check=False
    )
    assert children.stdout == ""


def test_a_missing_repository_or_commit_is_reported(repo: GitRepository, tmp_path: Path) -> None:
    with pytest.raises(GitError, match="is not a folder"):
        RepositoryHistory(tmp_path / "absent")
    (tmp_path / "plain").mkdir()
    with pytest.raises(GitError, match="is not in a git repository"):
        RepositoryHistory(tmp_path / "plain")
    with pytest.raises(GitError, match="'HEAD' is not a commit"):
        RepositoryHistory(repo.root)
    commit_at(repo, 1, {"a.py": "x = 1\n"})
    with pytest.raises(GitError, match="'--all' is not a revision"):
        RepositoryHistory(repo.root, limits=HistoryLimits(head="--all"))


def test_a_renamed_file_has_its_base_path() -> None:
    assert Changed("b", "a", "1", "1").base_path == "a"
