"""The review covers exactly the content that would be committed or pushed, independent of the work tree."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import GitRepository

GOOD = 'def greet(name):\n    return "hello %s" % (name,)\n'
BAD = 'def greet(name):\n    return "hello %s %s" % (name,)\n'
BAD_PLACE = ("greet.py", 2, 12, "ruff/F507", "new")


def places(report: dict[str, object]) -> list[tuple[object, ...]]:
    findings = report["findings"]
    assert isinstance(findings, list)
    return [(f["file"], f["line"], f["column"], f["rule"], f["status"]) for f in findings]


def head(repo: GitRepository) -> str:
    return repo.git("rev-parse", "HEAD").strip()


@pytest.fixture
def guarded(repo: GitRepository) -> GitRepository:
    """A repository with a good file in it and wardround as its pre-commit git hook."""
    repo.commit({"greet.py": GOOD, "other.py": "LIMIT = 1\n"})
    repo.git_hook("pre-commit", "exec wardround hook")
    return repo


class TestReview:
    def test_a_bad_staged_file_blocks_though_its_work_tree_file_is_good(self, repo: GitRepository) -> None:
        repo.stage({"greet.py": BAD})
        repo.write("greet.py", GOOD)
        before = repo.fingerprint()
        done = repo.wardround("review")
        assert done.returncode == 1
        assert "  2:12 error  `%`-format string has 2 placeholder(s)" in done.stdout
        assert places(repo.report()) == [BAD_PLACE]
        assert repo.fingerprint() == before

    def test_a_good_staged_file_passes_though_its_work_tree_file_is_bad(self, repo: GitRepository) -> None:
        repo.stage({"greet.py": GOOD})
        repo.write("greet.py", BAD)
        before = repo.fingerprint()
        done = repo.wardround("review")
        assert done.returncode == 0, done.stdout
        assert places(repo.report()) == []
        assert repo.fingerprint() == before

    def test_a_bad_untracked_file_is_not_a_part_of_the_staged_change(self, repo: GitRepository) -> None:
        repo.stage({"greet.py": GOOD})
        repo.write("draft.py", BAD)
        assert repo.wardround("review").returncode == 0

    def test_an_import_of_what_only_the_index_has_is_resolved(self, repo: GitRepository) -> None:
        repo.stage({"shop/__init__.py": "", "shop/price.py": "def net(x: int) -> int:\n    return x\n"})
        repo.stage({"shop/order.py": "from shop.price import net\n\nTOTAL = net(3)\n"})
        (repo.root / "shop/price.py").unlink()
        assert places(repo.report()) == []

    def test_a_folder_below_the_root_reviews_the_complete_change(self, repo: GitRepository) -> None:
        repo.stage({"greet.py": BAD, "docs/note.txt": "x\n"})
        done = repo.wardround("review", cwd=repo.root / "docs")
        assert done.returncode == 1
        assert done.stdout.startswith("greet.py\n")

    def test_nothing_staged_passes(self, repo: GitRepository) -> None:
        done = repo.wardround("review")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("wardround: pass - nothing to review, 0 files, ")


class TestCommit:
    def test_a_bad_commit_is_stopped_and_shows_the_finding(self, guarded: GitRepository) -> None:
        first = head(guarded)
        guarded.stage({"greet.py": BAD})
        staged = guarded.git("ls-files", "--stage")
        done = guarded.run("git", "commit", "-m", "bad")
        assert done.returncode == 1
        assert "[ruff/F507]" in done.stdout + done.stderr
        assert "wardround: blocked - 1 error, 1 file, " in done.stdout + done.stderr
        assert head(guarded) == first
        assert guarded.git("ls-files", "--stage") == staged
        assert guarded.read("greet.py") == BAD.encode()

    def test_a_good_commit_goes_through(self, guarded: GitRepository) -> None:
        guarded.stage({"greet.py": GOOD + "\n\nLIMIT = 2\n"})
        done = guarded.run("git", "commit", "-m", "good")
        assert done.returncode == 0, done.stderr
        assert "wardround: pass - no findings, 1 file, " in done.stdout + done.stderr

    def test_commit_all_reviews_what_it_is_about_to_stage(self, guarded: GitRepository) -> None:
        guarded.write("greet.py", BAD)
        done = guarded.run("git", "commit", "-a", "-m", "bad")
        assert done.returncode == 1
        assert "[ruff/F507]" in done.stdout + done.stderr
        assert guarded.git("diff", "--cached", "--name-only") == ""

    def test_commit_all_replaces_a_bad_staged_version(self, guarded: GitRepository) -> None:
        guarded.stage({"greet.py": BAD})
        guarded.write("greet.py", GOOD + "\n")
        done = guarded.run("git", "commit", "-a", "-m", "good")
        assert done.returncode == 0, done.stdout + done.stderr

    def test_commit_of_a_path_excludes_what_else_is_staged(self, guarded: GitRepository) -> None:
        guarded.stage({"greet.py": BAD})
        guarded.write("other.py", "LIMIT = 2\n")
        done = guarded.run("git", "commit", "-m", "good", "other.py")
        assert done.returncode == 0, done.stdout + done.stderr
        assert guarded.git("diff", "--cached", "--name-only") == "greet.py\n"

    def test_commit_of_a_bad_path_is_stopped_though_what_is_staged_is_good(
        self, guarded: GitRepository
    ) -> None:
        guarded.stage({"other.py": "LIMIT = 2\n"})
        guarded.write("greet.py", BAD)
        done = guarded.run("git", "commit", "-m", "bad", "greet.py")
        assert done.returncode == 1
        assert "[ruff/F507]" in done.stdout + done.stderr
        assert guarded.git("diff", "--cached", "--name-only") == "other.py\n"

    def test_commit_from_a_folder_below_the_root_is_stopped(self, guarded: GitRepository) -> None:
        guarded.write("pkg/greet.py", BAD)
        guarded.git("add", "pkg/greet.py")
        done = guarded.run("git", "commit", "-m", "bad", cwd=guarded.root / "pkg")
        assert done.returncode == 1
        assert "pkg/greet.py\n" in done.stdout + done.stderr

    def test_the_first_commit_is_reviewed(self, repo: GitRepository) -> None:
        repo.git_hook("pre-commit", "exec wardround hook")
        repo.stage({"greet.py": BAD})
        assert repo.run("git", "commit", "-m", "first").returncode == 1
        repo.stage({"greet.py": GOOD})
        assert repo.run("git", "commit", "-m", "first").returncode == 0

    def test_an_empty_commit_goes_through(self, guarded: GitRepository) -> None:
        assert guarded.run("git", "commit", "--allow-empty", "-m", "empty").returncode == 0

    def test_amending_a_commit_reviews_what_is_added_to_it(self, guarded: GitRepository) -> None:
        guarded.stage({"greet.py": BAD})
        assert guarded.run("git", "commit", "--amend", "--no-edit").returncode == 1
        guarded.stage({"greet.py": GOOD + "\n"})
        assert guarded.run("git", "commit", "--amend", "--no-edit").returncode == 0

    def test_core_hookspath_is_followed(self, repo: GitRepository, tmp_path: Path) -> None:
        repo.commit({"greet.py": GOOD})
        repo.git("config", "core.hooksPath", tmp_path / "shared-hooks")
        repo.git_hook("pre-commit", "exec wardround hook")
        assert (tmp_path / "shared-hooks/pre-commit").is_file()
        repo.stage({"greet.py": BAD})
        assert repo.run("git", "commit", "-m", "bad").returncode == 1

    def test_a_named_git_folder_and_work_tree_are_reviewed(self, repo: GitRepository, tmp_path: Path) -> None:
        repo.commit({"greet.py": GOOD})
        repo.git_hook("pre-commit", "exec wardround hook")
        repo.write("greet.py", BAD)
        locations = (f"--git-dir={repo.root}/.git", f"--work-tree={repo.root}")
        done = repo.run("git", *locations, "commit", "-a", "-m", "bad", cwd=tmp_path)
        assert done.returncode == 1
        assert "[ruff/F507]" in done.stdout + done.stderr

    def test_a_merge_commit_with_a_bad_resolution_is_stopped(self, guarded: GitRepository) -> None:
        guarded.git("checkout", "-q", "-b", "side")
        guarded.commit({"greet.py": GOOD.replace("hello", "hi")})
        guarded.git("checkout", "-q", "main")
        guarded.commit({"greet.py": GOOD.replace("hello", "dear")})
        assert guarded.run("git", "merge", "side").returncode == 1
        guarded.stage({"greet.py": BAD})
        assert guarded.run("git", "commit", "-m", "merged").returncode == 1
        guarded.stage({"greet.py": GOOD})
        assert guarded.run("git", "commit", "-m", "merged").returncode == 0
        assert guarded.git("rev-list", "--parents", "-n1", "HEAD").count(" ") == 2

    def test_a_rebase_stopped_at_a_commit_is_reviewed(self, guarded: GitRepository) -> None:
        guarded.commit({"other.py": "LIMIT = 5\n"})
        env = {"GIT_SEQUENCE_EDITOR": "sed -i.bak s/^pick/edit/"}
        guarded.git("rebase", "-q", "-i", "HEAD~1", env=env)
        guarded.stage({"greet.py": BAD})
        assert guarded.run("git", "commit", "-m", "bad").returncode == 1
        guarded.stage({"greet.py": GOOD + "\n"})
        assert guarded.run("git", "commit", "-m", "good").returncode == 0

    def test_a_linked_work_tree_is_reviewed_by_its_own_index(
        self, guarded: GitRepository, tmp_path: Path
    ) -> None:
        guarded.stage({"greet.py": BAD})
        guarded.git("worktree", "add", "-q", tmp_path / "linked")
        linked = type(guarded)(tmp_path / "linked")
        linked.stage({"other.py": "LIMIT = 3\n"})
        assert linked.run("git", "commit", "-m", "good").returncode == 0
        linked.stage({"greet.py": BAD})
        done = linked.run("git", "commit", "-m", "bad")
        assert done.returncode == 1
        assert "[ruff/F507]" in done.stdout + done.stderr

    def test_two_commits_at_once_share_one_cache(self, guarded: GitRepository, tmp_path: Path) -> None:
        trees = []
        for name in ("one", "two"):
            guarded.git("worktree", "add", "-q", tmp_path / name)
            tree = type(guarded)(tmp_path / name)
            tree.stage({f"m{n}.py": f"VALUE_{n} = {n}\n" for n in range(30)})
            trees.append(tree)
        trees[1].stage({"greet.py": BAD})

        def commit(tree: GitRepository) -> subprocess.CompletedProcess[str]:
            return tree.run("git", "commit", "-m", "both")

        with ThreadPoolExecutor() as pool:
            first, second = pool.map(commit, trees)
        assert first.returncode == 0, first.stdout + first.stderr
        assert second.returncode == 1, second.stdout + second.stderr
        assert "not reviewed" not in first.stdout + first.stderr + second.stdout + second.stderr


class TestPush:
    @pytest.fixture
    def pushing(self, repo: GitRepository, tmp_path: Path) -> GitRepository:
        """A repository whose pushes to a bare one on disk are reviewed."""
        repo.git("init", "-q", "--bare", tmp_path / "remote.git")
        repo.git("remote", "add", "origin", tmp_path / "remote.git")
        repo.git_hook("pre-push", 'exec wardround hook --stage pre-push "$@"')
        return repo

    def test_a_bad_first_push_of_everything_is_stopped(self, pushing: GitRepository) -> None:
        pushing.commit({"other.py": "LIMIT = 1\n"})
        pushing.commit({"greet.py": BAD})
        done = pushing.run("git", "push", "origin", "main")
        assert done.returncode == 1
        assert "[ruff/F507]" in done.stdout + done.stderr
        assert "2 files" in done.stdout + done.stderr
        assert pushing.git("ls-remote", "origin") == ""

    def test_a_good_push_goes_through(self, pushing: GitRepository) -> None:
        pushing.commit({"greet.py": GOOD})
        done = pushing.run("git", "push", "origin", "main")
        assert done.returncode == 0, done.stderr
        assert "wardround: pass - no findings, 1 file, " in done.stdout + done.stderr

    def test_what_the_remote_has_already_is_not_reviewed_again(self, pushing: GitRepository) -> None:
        pushing.commit({"greet.py": BAD})
        pushing.git("push", "-q", "--no-verify", "origin", "main")
        pushing.commit({"other.py": "LIMIT = 1\n"})
        done = pushing.run("git", "push", "origin", "main")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "1 file" in done.stdout + done.stderr

    def test_a_new_branch_is_reviewed_from_where_it_left_the_remote(self, pushing: GitRepository) -> None:
        pushing.commit({"old.py": BAD})
        pushing.git("push", "-q", "--no-verify", "origin", "main")
        pushing.git("checkout", "-q", "-b", "topic")
        pushing.commit({"other.py": "LIMIT = 1\n"})
        pushing.commit({"more.py": "LIMIT = 2\n"})
        done = pushing.run("git", "push", "origin", "topic")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "2 files" in done.stdout + done.stderr
        pushing.commit({"greet.py": BAD})
        assert pushing.run("git", "push", "origin", "topic").returncode == 1

    def test_deleting_a_branch_reviews_nothing(self, pushing: GitRepository) -> None:
        pushing.commit({"greet.py": BAD})
        pushing.git("push", "-q", "--no-verify", "origin", "main", "main:topic")
        done = pushing.run("git", "push", "origin", ":topic")
        assert done.returncode == 0, done.stdout + done.stderr

    def test_a_bad_branch_among_several_stops_the_push(self, pushing: GitRepository) -> None:
        pushing.commit({"greet.py": GOOD})
        pushing.git("branch", "good")
        pushing.git("checkout", "-q", "-b", "bad")
        pushing.commit({"greet.py": BAD})
        pushing.git("checkout", "-q", "-b", "good-too", "main")
        pushing.commit({"other.py": "LIMIT = 2\n"})
        done = pushing.run("git", "push", "origin", "good", "bad", "good-too")
        assert done.returncode == 1
        assert "[ruff/F507]" in done.stdout + done.stderr

    def test_what_is_staged_is_not_a_part_of_a_push(self, pushing: GitRepository) -> None:
        pushing.commit({"other.py": "LIMIT = 1\n"})
        pushing.stage({"greet.py": BAD})
        assert pushing.run("git", "push", "origin", "main").returncode == 0

    def test_a_bad_commit_is_stopped_though_it_is_repaired_in_the_work_tree(
        self, pushing: GitRepository
    ) -> None:
        pushing.commit({"greet.py": BAD})
        pushing.write("greet.py", GOOD)
        assert pushing.run("git", "push", "origin", "main").returncode == 1

    def test_a_rewritten_branch_is_reviewed_from_the_common_ancestor(self, pushing: GitRepository) -> None:
        pushing.commit({"other.py": "LIMIT = 1\n"})
        pushing.commit({"old.py": "LIMIT = 1\n"})
        pushing.git("push", "-q", "--no-verify", "origin", "main")
        pushing.git("reset", "-q", "--hard", "HEAD~1")
        pushing.commit({"greet.py": BAD})
        done = pushing.run("git", "push", "--force", "origin", "main")
        assert done.returncode == 1
        assert "[ruff/F507]" in done.stdout + done.stderr
