"""Changes are read from real repositories in any state, as git reports them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wardround.change.diff import Change, FileStatus
from wardround.change.repository import INDEX, WORKTREE, Repository
from wardround.change.trees import MAX_FILE_BYTES
from wardround.errors import GitError

if TYPE_CHECKING:
    from tests.conftest import GitRepository

LINES = "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\n"
ADDED, MODIFIED, RENAMED = FileStatus.ADDED, FileStatus.MODIFIED, FileStatus.RENAMED
DELETED, RETYPED, UNMERGED = FileStatus.DELETED, FileStatus.RETYPED, FileStatus.UNMERGED

Place = tuple[int, int, int, int]
Row = tuple[str, str | None, FileStatus, list[Place]]


def rows(change: Change) -> list[Row]:
    """The files of a change: path, path before, status, hunks."""
    return [
        (
            file.path,
            file.base_path,
            file.status,
            [(h.base_start, h.base_length, h.head_start, h.head_length) for h in file.hunks],
        )
        for file in change.files
    ]


def staged(repo: GitRepository) -> list[Row]:
    with Repository(repo.root) as repository:
        return rows(repository.staged_change())


def worktree(repo: GitRepository) -> list[Row]:
    with Repository(repo.root) as repository:
        return rows(repository.worktree())


class TestKindsOfChange:
    def test_staged_is_head_to_index(self, repo: GitRepository) -> None:
        head = repo.commit({"a.py": LINES})
        repo.stage({"a.py": LINES.replace("two = 2", "two = 22")})
        repo.write("a.py", "unstaged = 0\n")
        repo.write("untracked.py", "")
        before = repo.fingerprint()
        with Repository(repo.root) as repository:
            change = repository.staged_change()
            (file,) = change.files
            assert (change.base, change.head) == (head, INDEX)
            assert rows(change) == [("a.py", "a.py", MODIFIED, [(2, 1, 2, 1)])]
            content = repository.content(file, INDEX)
            assert content == LINES.replace("two = 2", "two = 22").encode()
            assert repository.content(file, head, base=True) == LINES.encode()
        assert repo.fingerprint() == before

    def test_worktree_is_head_to_disk_with_untracked_files(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES, "b.py": LINES, ".gitignore": "*.log\n"})
        repo.stage({"a.py": LINES + "staged = 1\n"})
        repo.write("a.py", LINES + "staged = 1\nunstaged = 1\n")
        (repo.root / "b.py").unlink()
        repo.write("new/c.py", "c = 1\n")
        repo.write("noise.log", "")
        before = repo.fingerprint()
        with Repository(repo.root) as repository:
            change = repository.worktree()
            assert change.head == WORKTREE
            assert rows(change) == [
                ("a.py", "a.py", MODIFIED, [(5, 0, 6, 2)]),
                ("b.py", "b.py", DELETED, []),
                ("new/c.py", None, ADDED, []),
            ]
            contents = [repository.content(file, WORKTREE) for file in change.files]
            assert contents == [(LINES + "staged = 1\nunstaged = 1\n").encode(), None, b"c = 1\n"]
        assert repo.fingerprint() == before

    def test_between_begins_at_the_merge_base(self, repo: GitRepository) -> None:
        fork = repo.commit({"a.py": LINES})
        repo.git("checkout", "-q", "-b", "topic")
        topic = repo.commit({"topic.py": "x = 1\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({"a.py": LINES + "six = 6\n"})
        with Repository(repo.root) as repository:
            change = repository.between("main", "topic")
        assert (change.base, change.head) == (fork, topic)
        assert rows(change) == [("topic.py", None, ADDED, [(0, 0, 1, 1)])]

    def test_a_range_from_the_empty_tree_is_everything(self, repo: GitRepository) -> None:
        head = repo.commit({"a.py": LINES, "b.py": "b = 1\n"})
        with Repository(repo.root) as repository:
            change = repository.range(repository.empty_tree, head)
            assert repository.tree(change.base).read("a.py") is None
        assert rows(change) == [
            ("a.py", None, ADDED, [(0, 0, 1, 5)]),
            ("b.py", None, ADDED, [(0, 0, 1, 1)]),
        ]

    def test_between_the_empty_tree_and_a_commit_is_everything(self, repo: GitRepository) -> None:
        head = repo.commit({"a.py": "x\n", "b.py": "y\n"})
        with Repository(repo.root) as repository:
            change = repository.between(repository.empty_tree, "HEAD")
        assert (change.base, change.head) == (repository.empty_tree, head)
        assert [file.path for file in change.files] == ["a.py", "b.py"]

    def test_nothing_changed_is_an_empty_change(self, repo: GitRepository) -> None:
        head = repo.commit({"a.py": LINES})
        with Repository(repo.root) as repository:
            assert repository.staged_change().files == ()
            assert repository.worktree().files == ()
            assert repository.between(head, "HEAD").files == ()

    def test_a_file_that_only_looks_modified_is_not(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        os.utime(repo.root / "a.py", (1, 1))
        before = repo.fingerprint()
        assert worktree(repo) == []
        assert repo.fingerprint() == before


class TestHistory:
    def test_before_the_first_commit_all_is_added(self, repo: GitRepository) -> None:
        repo.stage({"a.py": LINES})
        with Repository(repo.root) as repository:
            assert repository.head() is None
            assert rows(repository.staged_change()) == [("a.py", None, ADDED, [(0, 0, 1, 5)])]
            assert rows(repository.worktree()) == [("a.py", None, ADDED, [(0, 0, 1, 5)])]

    def test_an_empty_repository_has_an_empty_change(self, repo: GitRepository) -> None:
        assert staged(repo) == worktree(repo) == []

    def test_a_repository_with_sha256_names_is_read(self, repo: GitRepository, tmp_path: Path) -> None:
        repo.git("init", "-q", "--object-format=sha256", tmp_path / "sha256")
        wide = type(repo)(tmp_path / "sha256")
        wide.stage({"a.py": LINES})
        assert staged(wide) == [("a.py", None, ADDED, [(0, 0, 1, 5)])]

    def test_a_detached_head_is_a_base_like_any(self, repo: GitRepository) -> None:
        first = repo.commit({"a.py": LINES})
        repo.commit({"a.py": LINES + "six = 6\n"})
        repo.git("checkout", "-q", "--detach", first)
        repo.stage({"a.py": LINES + "seven = 7\n"})
        with Repository(repo.root) as repository:
            assert repository.staged_change().base == first
        assert staged(repo) == [("a.py", "a.py", MODIFIED, [(5, 0, 6, 1)])]

    def test_a_clean_merge_in_progress_is_compared_with_head(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        repo.git("checkout", "-q", "-b", "side")
        repo.commit({"side.py": "s = 1\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({"main.py": "m = 1\n"})
        repo.git("merge", "-q", "--no-commit", "side")
        assert staged(repo) == [("side.py", None, ADDED, [(0, 0, 1, 1)])]

    def test_a_conflict_is_unmerged_without_hunks(self, repo: GitRepository) -> None:
        repo.commit({"a.py": "x = 0\n", "z.py": "z = 0\n"})
        repo.git("checkout", "-q", "-b", "side")
        repo.commit({"a.py": "x = 1\n", "z.py": "z = 1\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({"a.py": "x = 2\n"})
        assert repo.run("git", "merge", "side").returncode == 1
        assert staged(repo) == [
            ("a.py", None, UNMERGED, []),
            ("z.py", "z.py", MODIFIED, [(1, 1, 1, 1)]),
        ]

    def test_a_conflicted_file_is_not_reviewed_rather_than_clean(self, repo: GitRepository) -> None:
        self.test_a_conflict_is_unmerged_without_hunks(repo)
        on_disk = repo.report("--worktree")
        assert ("a.py", "merge-conflict") in [(f["file"], f["defect_class"]) for f in on_disk["findings"]]
        report = repo.report()
        reason = "it has merge conflicts; resolve them first"
        assert [(u["file"], u["reason"]) for u in report["unreviewed"]] == [("a.py", reason)]
        assert report["gate"]["outcome"] == "inconclusive"

    def test_a_rebase_that_stopped_is_compared_with_its_own_head(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        repo.commit({"b.py": "b = 1\n"})
        env = {"GIT_SEQUENCE_EDITOR": "sed -i.bak s/^pick/edit/"}
        repo.git("rebase", "-q", "-i", "HEAD~1", env=env)
        repo.stage({"b.py": "b = 2\n"})
        assert staged(repo) == [("b.py", "b.py", MODIFIED, [(1, 1, 1, 1)])]

    def test_what_is_about_to_amend_a_commit_is_compared_with_it(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        repo.commit({"b.py": "b = 1\n"})
        repo.stage({"c.py": "c = 1\n"})
        assert staged(repo) == [("c.py", None, ADDED, [(0, 0, 1, 1)])]

    def test_a_new_branch_leaves_the_remote_at_the_parent_of_its_first_commit(
        self, repo: GitRepository, tmp_path: Path
    ) -> None:
        repo.git("init", "-q", "--bare", tmp_path / "remote.git")
        repo.git("remote", "add", "origin", tmp_path / "remote.git")
        with Repository(repo.root) as repository:
            first = repo.commit({"a.py": LINES})
            assert repository.outgoing_base(first, "origin") == repository.empty_tree
            repo.git("push", "-q", "origin", "main")
            assert repository.outgoing_base(first, "origin") == first
            repo.commit({"b.py": "b = 1\n"})
            third = repo.commit({"c.py": "c = 1\n"})
            assert repository.outgoing_base(third, "origin") == first

    def test_what_came_before_is_listed_newest_first_and_without_merges(self, repo: GitRepository) -> None:
        first = repo.commit({"a.py": LINES})
        repo.git("switch", "-q", "-c", "side")
        side = repo.commit({"b.py": "b = 1\n"})
        repo.git("switch", "-q", "main")
        second = repo.commit({"a.py": "one = 2\n"})
        repo.git("merge", "-q", "--no-edit", "--no-ff", "side")
        merge = repo.git("rev-parse", "HEAD").strip()
        with Repository(repo.root) as repository:
            assert sorted(repository.ancestors(merge, 9)) == sorted([first, side, second])
            assert repository.ancestors(second, 9) == [second, first]
            assert repository.ancestors(second, 1) == [second]

    def test_commits_report_what_they_reported_and_touched(self, repo: GitRepository) -> None:
        name = os.fsdecode(b'caf\xe9 "1".py')
        first = repo.commit({"a.py": LINES, name: ""}, "Begin\n\nWith two files.")
        repo.git("mv", "a.py", "b.py")
        second = repo.commit({}, "Move")
        third = repo.commit({"c.py": ""}, "Add")
        with Repository(repo.root) as repository:
            assert repository.commits_touching([third, first, second]) == [
                (third, "Add", ["c.py"]),
                (first, "Begin\n\nWith two files.", ["a.py", name]),
                (second, "Move", ["a.py", "b.py"]),
            ]
            assert repository.commits_touching([]) == []

    def test_a_history_with_a_hole_is_reported_as_far_as_git_gets(self, repo: GitRepository) -> None:
        first = repo.commit({"a.py": LINES})
        second = repo.commit({"b.py": "b = 1\n"})
        third = repo.commit({"c.py": "c = 1\n"})
        tree = repo.git("rev-parse", f"{first}^{{tree}}").strip()
        (repo.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
        with Repository(repo.root) as repository:
            assert repository.commits_touching([third, second, first])[0] == (third, "change", ["c.py"])


class TestRefusals:
    def test_a_folder_outside_any_repository(self, tmp_path: Path) -> None:
        with pytest.raises(GitError, match=r"is not in a git repository; run wardround in one, or give"):
            Repository(tmp_path)

    def test_a_folder_that_does_not_exist(self, tmp_path: Path) -> None:
        with pytest.raises(GitError, match=r"nowhere is not a folder; give the root of a git repository$"):
            Repository(tmp_path / "nowhere")

    def test_a_name_that_is_for_no_commit(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        with Repository(repo.root) as repository, pytest.raises(GitError) as refused:
            repository.between("nosuch", "HEAD")
        assert str(refused.value) == f"'nosuch' names no commit in {repo.root}; check the name, or fetch it"

    def test_the_parent_of_the_first_commit(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        with Repository(repo.root) as repository, pytest.raises(GitError, match="this is the first commit"):
            repository.between("HEAD~1", "HEAD")

    def test_a_name_that_resembles_an_option(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        with Repository(repo.root) as repository, pytest.raises(GitError, match=r"'--all' is not a revision"):
            repository.between("--all", "HEAD")

    def test_two_histories_that_never_met(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        repo.git("checkout", "-q", "--orphan", "other")
        repo.commit({"a.py": LINES + "six = 6\n"})
        with Repository(repo.root) as repository, pytest.raises(GitError) as refused:
            repository.between("main", "other")
        assert str(refused.value).startswith("main and other share no commit here; fetch more history")

    def test_a_folder_that_another_user_owns(self, repo: GitRepository) -> None:
        environ = {**os.environ, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
        with pytest.raises(GitError) as refused:
            Repository(repo.root, environ)
        assert str(refused.value) == (
            f"git does not trust {repo.root}, which another user owns; "
            f"run git config --global --add safe.directory {repo.root}"
        )

    def test_a_bare_repository_has_no_staged_change(self, repo: GitRepository, tmp_path: Path) -> None:
        base = repo.commit({"a.py": LINES})
        repo.commit({"a.py": LINES + "six = 6\n"})
        repo.git("clone", "-q", "--bare", repo.root, tmp_path / "bare.git")
        with Repository(tmp_path / "bare.git") as repository:
            with pytest.raises(GitError, match="is a bare repository, which has nothing for --staged"):
                repository.staged_change()
            with pytest.raises(GitError, match="is a bare repository, which has nothing for --worktree"):
                repository.worktree()
            assert rows(repository.between(base, "main")) == [("a.py", "a.py", MODIFIED, [(5, 0, 6, 1)])]

    def test_git_missing_from_path(self, repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/nonexistent")
        with pytest.raises(GitError, match="git is not on PATH; install git"):
            Repository(repo.root)


class TestWorkTrees:
    def test_a_linked_work_tree_has_its_own_index(self, repo: GitRepository, tmp_path: Path) -> None:
        repo.commit({"a.py": LINES})
        repo.stage({"main.py": "m = 1\n"})
        repo.git("worktree", "add", "-q", tmp_path / "linked")
        linked = type(repo)(tmp_path / "linked")
        linked.stage({"linked.py": "x = 1\n"})
        assert staged(linked) == [("linked.py", None, ADDED, [(0, 0, 1, 1)])]
        assert staged(repo) == [("main.py", None, ADDED, [(0, 0, 1, 1)])]

    def test_a_submodule_is_not_a_file(self, repo: GitRepository, tmp_path: Path) -> None:
        repo.git("init", "-q", tmp_path / "library")
        library = type(repo)(tmp_path / "library")
        library.commit({"lib.py": LINES})
        repo.commit({"a.py": LINES})
        repo.git("submodule", "--quiet", "add", library.root, "vendor")
        with Repository(repo.root) as repository:
            change = repository.staged_change()
            vendor = change.file("vendor")
            assert vendor is not None
            assert (vendor.mode, vendor.is_regular) == ("160000", False)
            assert repository.content(vendor, INDEX) is None
        repo.commit()
        repo.write("vendor/lib.py", "broken(\n")
        repo.write("vendor/new.py", "n = 1\n")
        assert staged(repo) == []
        assert worktree(repo) == []
        assert repo.report("--worktree")["gate"]["outcome"] == "pass"

    @pytest.mark.parametrize("options", [(), ("--sparse-index",)], ids=["full index", "sparse index"])
    def test_what_a_sparse_checkout_excludes_is_not_deleted(
        self, repo: GitRepository, options: tuple[str, ...]
    ) -> None:
        repo.commit({"src/a.py": LINES, "lib/b.py": LINES, "lib/c.py": LINES})
        repo.git("sparse-checkout", "set", "--cone", *options, "src")
        assert not (repo.root / "lib").exists()
        repo.stage({"src/a.py": LINES + "six = 6\n"})
        expected: list[Row] = [("src/a.py", "src/a.py", MODIFIED, [(5, 0, 6, 1)])]
        assert staged(repo) == worktree(repo) == expected
        before = repo.fingerprint()
        with Repository(repo.root) as repository:
            assert repository.tracked_paths(INDEX) == ["lib/b.py", "lib/c.py", "src/a.py"]
            assert repository.index().read("lib/b.py") == LINES.encode()
        assert repo.fingerprint() == before

    def test_gits_variables_point_at_the_index_of_the_commit(
        self, repo: GitRepository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.commit({"a.py": LINES})
        repo.git("read-tree", "HEAD", env={"GIT_INDEX_FILE": ".git/next-index"})
        repo.write("b.py", "b = 1\n")
        repo.git("add", "b.py", env={"GIT_INDEX_FILE": ".git/next-index"})
        repo.write("sub/note", "")
        monkeypatch.chdir(repo.root)
        environ = {**os.environ, "GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/next-index"}
        with Repository(environ=environ) as repository:
            assert rows(repository.staged_change()) == [("b.py", None, ADDED, [(0, 0, 1, 1)])]
            assert repository.index_file == repo.root / ".git/next-index"
        assert staged(repo) == []

    def test_a_folder_that_is_named_counts_more_than_gits_variables(
        self, repo: GitRepository, tmp_path: Path
    ) -> None:
        repo.git("init", "-q", tmp_path / "other")
        other = type(repo)(tmp_path / "other")
        other.stage({"other.py": "x = 1\n"})
        environ = {**os.environ, "GIT_DIR": f"{repo.root}/.git", "GIT_INDEX_FILE": f"{repo.root}/.git/index"}
        with Repository(other.root, environ) as repository:
            assert repository.root == other.root
            assert rows(repository.staged_change()) == [("other.py", None, ADDED, [(0, 0, 1, 1)])]

    def test_the_index_git_keeps_apart_is_found(self, repo: GitRepository, tmp_path: Path) -> None:
        repo.git("init", "-q", f"--separate-git-dir={tmp_path / 'store.git'}", tmp_path / "apart")
        apart = type(repo)(tmp_path / "apart")
        apart.stage({"a.py": "x = 1\n"})
        assert staged(apart) == [("a.py", None, ADDED, [(0, 0, 1, 1)])]


class TestMissingObjects:
    def test_a_blob_that_is_not_in_the_clone_is_unreviewed(self, repo: GitRepository) -> None:
        base = repo.commit({"a.py": LINES, "b.py": LINES})
        repo.commit({"a.py": LINES + "six = 6\n", "b.py": LINES + "seven = 7\n"})
        blob = repo.git("rev-parse", "HEAD:a.py").strip()
        (repo.root / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
        before = repo.fingerprint()
        report = repo.report("--base", base)
        assert [(u["file"], u["reason"]) for u in report["unreviewed"]] == [
            ("a.py", "its content is not in this clone; fetch it (partial or damaged clone)")
        ]
        assert report["gate"]["outcome"] == "inconclusive"
        assert repo.fingerprint() == before

    def test_a_clone_without_folders_is_not_reviewed(self, repo: GitRepository, tmp_path: Path) -> None:
        base = repo.commit({"a.py": "x = 1\n"})
        repo.commit({"a.py": "x = 2\n"})
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.git("clone", "-q", "--filter=tree:0", f"file://{repo.root}", tmp_path / "treeless")
        treeless = type(repo)(tmp_path / "treeless")
        treeless.git("remote", "set-url", "origin", "file:///missing")
        done = treeless.wardround("review", "--base", base)
        assert done.returncode == 4
        assert "this partial clone lacks folders of its commits" in " ".join(done.stdout.split())

    def test_a_search_without_contents_is_incomplete(self, repo: GitRepository, tmp_path: Path) -> None:
        repo.commit({"app/a.py": "import word\n", "lib/b.py": "b = word\n"})
        repo.git("config", "uploadpack.allowFilter", "true")
        clone = ("clone", "-q", "--filter=blob:none", "--sparse")
        repo.git(*clone, f"file://{repo.root}", tmp_path / "sparse")
        sparse = type(repo)(tmp_path / "sparse")
        sparse.git("sparse-checkout", "set", "app")
        with Repository(sparse.root) as repository:
            assert repository.files_with_word(INDEX, ["word"], ["app/*"]) == ["app/a.py"]
            assert not repository.is_search_incomplete
            assert repository.files_with_word(INDEX, ["word"], ["*.py"]) == ["app/a.py"]
            assert repository.is_search_incomplete

    def test_a_partial_clone_fetches_nothing(self, repo: GitRepository, tmp_path: Path) -> None:
        base = repo.commit({"a.py": LINES, "b.py": "b = 1\n"})
        repo.commit({"a.py": LINES + "six = 6\n"})
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.root}", tmp_path / "partial")
        partial = type(repo)(tmp_path / "partial")
        objects = partial.git("count-objects", "-v")
        report = partial.report("--base", base)
        assert [(u["file"], u["reason"]) for u in report["unreviewed"]] == [
            ("a.py", "its content is not in this clone; fetch it (partial or damaged clone)")
        ]
        assert report["gate"]["outcome"] == "inconclusive"
        assert partial.git("count-objects", "-v") == objects

    def test_a_partial_clone_that_has_the_contents_is_reviewed(
        self, repo: GitRepository, tmp_path: Path
    ) -> None:
        repo.commit({"a.py": LINES, "b.py": LINES})
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.root}", tmp_path / "partial")
        partial = type(repo)(tmp_path / "partial")
        partial.stage({"a.py": LINES + "six = 6\n"})
        assert staged(partial) == [("a.py", "a.py", MODIFIED, [(5, 0, 6, 1)])]

    def test_a_git_lfs_pointer_is_unreviewed(self, repo: GitRepository) -> None:
        digest = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 12345\n"
        repo.stage({"model.py": pointer})
        report = repo.report()
        assert [(u["file"], u["reason"]) for u in report["unreviewed"]] == [
            ("model.py", "it is a Git LFS pointer, and its content is not in the repository")
        ]
        assert report["gate"]["outcome"] == "inconclusive"

    def test_ciphertext_is_unreviewed_and_inconclusive_unless_the_base_declares_it(
        self, repo: GitRepository
    ) -> None:
        ciphertext = b"\0GITCRYPT\0" + bytes(range(128, 200))
        base = repo.commit({".gitattributes": "s/* filter=git-crypt diff=git-crypt\n"})
        repo.git("config", "filter.git-crypt.clean", "cat")
        declared, other = ("it is encrypted, as .gitattributes declares", "it is encrypted")
        for files, outcome, reasons in [
            ({"s/a.py": ciphertext}, "pass", [declared]),
            (
                {"t/b.py": ciphertext, ".gitattributes": "* filter=git-crypt\n"},
                "inconclusive",
                [declared, other],
            ),
        ]:
            repo.commit(files)
            report = repo.report("--base", base, "--config-from", "base")
            assert [item["reason"] for item in report["unreviewed"]] == reasons
            assert (report["gate"]["outcome"], report["verdict"]["tier"] == "T1") == (outcome, False)


class TestOddRepositories:
    @pytest.mark.parametrize("bare", [False, True])
    def test_a_path_with_newlines(self, repo: GitRepository, tmp_path: Path, bare: bool) -> None:
        repo.commit({"a.py": LINES})
        repo.commit({"a.py": LINES + "print(nope)\n"})
        location = tmp_path / "one\ntwo\n\nthree"
        repo.git("clone", "-q", *(["--bare"] if bare else []), repo.root, location)
        report = type(repo)(location).report("--base", "HEAD~1")
        assert [found["rule"] for found in report["findings"]] == ["ruff/F821"]
        if not bare:
            (location / "b.py").write_text("print(nope)\n", encoding="utf-8")
            report = type(repo)(location).report("--worktree")
            assert [found["file"] for found in report["findings"]] == ["b.py"]

    def test_what_is_committed_counts_and_not_what_replaces_it_here(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        repo.stage({"a.py": LINES + "print(nope)\n"})
        harmless = repo.git("hash-object", "-w", "--stdin", stdin=LINES.encode()).strip()
        repo.git("replace", repo.git("rev-parse", ":a.py").strip(), harmless)
        assert [found["rule"] for found in repo.report("--staged")["findings"]] == ["ruff/F821"]
        repo.git("commit", "-qm", "replaced")
        assert [found["rule"] for found in repo.report("--base", "HEAD~1")["findings"]] == ["ruff/F821"]


class TestKindsOfFile:
    def test_a_symbolic_link_is_not_followed(self, repo: GitRepository, tmp_path: Path) -> None:
        (tmp_path / "secret.py").write_text("password = 1\n", encoding="utf-8")
        (repo.root / "link.py").symlink_to(tmp_path / "secret.py")
        repo.stage()
        with Repository(repo.root) as repository:
            (file,) = repository.staged_change().files
            assert (file.mode, file.is_regular) == ("120000", False)
            (file,) = repository.worktree().files
            assert repository.content(file, WORKTREE) is None
        assert [item["file"] for item in repo.report()["unreviewed"]] == ["link.py"]

    def test_an_untracked_symbolic_link_is_not_followed(self, repo: GitRepository, tmp_path: Path) -> None:
        (tmp_path / "secret.py").write_text("password = 1\n", encoding="utf-8")
        (repo.root / "link.py").symlink_to(tmp_path / "secret.py")
        with Repository(repo.root) as repository:
            (file,) = repository.worktree().files
            assert (file.mode, file.is_regular) == ("120000", False)

    def test_a_file_behind_a_linked_folder_is_not_read(self, repo: GitRepository, tmp_path: Path) -> None:
        repo.commit({"pkg/a.py": LINES})
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside/a.py").write_text("outside = 1\n", encoding="utf-8")
        (repo.root / "pkg/a.py").unlink()
        (repo.root / "pkg").rmdir()
        (repo.root / "pkg").symlink_to(tmp_path / "outside")
        with Repository(repo.root) as repository:
            assert repository.tree(WORKTREE).read("pkg/a.py") is None

    def test_a_file_that_became_a_link_is_retyped_without_hunks(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES, "b.py": LINES})
        (repo.root / "a.py").unlink()
        (repo.root / "a.py").symlink_to("b.py")
        repo.stage({"b.py": LINES + "six = 6\n"})
        assert staged(repo) == [
            ("a.py", "a.py", RETYPED, []),
            ("b.py", "b.py", MODIFIED, [(5, 0, 6, 1)]),
        ]

    def test_every_line_of_a_link_that_became_a_file_is_added(self, repo: GitRepository) -> None:
        (repo.root / "a.py").symlink_to("b.py")
        repo.commit({"b.py": LINES})
        (repo.root / "a.py").unlink()
        repo.stage({"a.py": LINES})
        with Repository(repo.root) as repository:
            (file,) = repository.staged_change().files
        assert (file.status, file.is_regular) == (RETYPED, True)
        assert file.is_added_line(3)

    def test_an_executable_bit_alone_is_a_change_without_lines(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES, "b.py": LINES})
        repo.git("update-index", "--chmod=+x", "a.py")
        repo.write("b.py", LINES + "six = 6\n")
        repo.git("add", "b.py")
        with Repository(repo.root) as repository:
            change = repository.staged_change()
        assert [file.mode for file in change.files] == ["100755", "100644"]
        assert rows(change) == [
            ("a.py", "a.py", MODIFIED, []),
            ("b.py", "b.py", MODIFIED, [(5, 0, 6, 1)]),
        ]

    def test_a_folder_that_became_a_file_is_both(self, repo: GitRepository) -> None:
        repo.commit({"a/x.py": LINES})
        repo.git("rm", "-q", "-r", "a")
        repo.stage({"a": "text\n"})
        assert staged(repo) == [("a", None, ADDED, [(0, 0, 1, 1)]), ("a/x.py", "a/x.py", DELETED, [])]

    def test_an_intent_to_add_is_not_staged_but_on_disk(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES})
        repo.write("new.py", "n = 1\n")
        repo.git("add", "--intent-to-add", "new.py")
        before = repo.fingerprint()
        assert staged(repo) == []
        assert worktree(repo) == [("new.py", None, ADDED, [(0, 0, 1, 1)])]
        with Repository(repo.root) as repository:
            assert repository.content(repository.worktree().files[0], WORKTREE) == b"n = 1\n"
        assert repo.fingerprint() == before

    def test_a_renamed_and_edited_file_keeps_its_history(self, repo: GitRepository) -> None:
        repo.commit({"old.py": LINES * 4})
        repo.git("mv", "old.py", "new.py")
        repo.stage({"new.py": LINES * 4 + "six = 6\n"})
        assert staged(repo) == [("new.py", "old.py", RENAMED, [(20, 0, 21, 1)])]
        with Repository(repo.root) as repository:
            change = repository.staged_change()
            (file,) = change.files
            assert repository.content(file, change.base, base=True) == (LINES * 4).encode()

    def test_hunks_of_a_file_marked_binary_are_read_as_text(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES, "b.py": LINES, ".gitattributes": "*.py -diff\n"})
        repo.stage({"a.py": LINES.replace("one", "uno"), "c.py": LINES})
        assert staged(repo) == [
            ("a.py", "a.py", MODIFIED, [(1, 1, 1, 1)]),
            ("c.py", None, ADDED, []),
        ]
        with Repository(repo.root) as repository:
            added = repository.staged_change().file("c.py")
            assert added is not None
            assert added.is_added_line(5)

    def test_a_binary_file_among_others_does_not_shift_their_hunks(self, repo: GitRepository) -> None:
        repo.commit({"a.bin": b"\0\1\2" * 100, "b.py": LINES})
        repo.stage({"a.bin": b"\0\3\2" * 100, "b.py": LINES + "six = 6\n", "c.bin": b"\0\0"})
        assert staged(repo)[1] == ("b.py", "b.py", MODIFIED, [(5, 0, 6, 1)])

    def test_line_ends_that_git_converts_are_no_change(self, repo: GitRepository) -> None:
        repo.git("config", "core.autocrlf", "true")
        repo.commit({"a.py": LINES})
        changed = LINES.replace("two = 2", "two = 22")
        repo.write("a.py", changed.replace("\n", "\r\n"))
        assert worktree(repo) == [("a.py", "a.py", MODIFIED, [(2, 1, 2, 1)])]
        repo.git("add", "a.py")
        assert staged(repo) == [("a.py", "a.py", MODIFIED, [(2, 1, 2, 1)])]
        with Repository(repo.root) as repository:
            assert repository.content(repository.staged_change().files[0], INDEX) == changed.encode()

    def test_carriage_returns_that_are_committed_are_content(self, repo: GitRepository) -> None:
        repo.commit({"a.py": LINES.replace("\n", "\r\n")})
        repo.stage({"a.py": LINES.replace("\n", "\r\n") + "six = 6\r\n"})
        assert staged(repo) == [("a.py", "a.py", MODIFIED, [(5, 0, 6, 1)])]

    def test_odd_line_breaks_do_not_shift_lines(self, repo: GitRepository) -> None:
        odd = "one = 1\ntext = '\x0c \x1c \x85 \u2028 \r x'\nthree = 3\n"
        repo.commit({"a.py": odd})
        repo.stage({"a.py": odd.replace("three = 3", "three = 33") + odd})
        assert staged(repo) == [("a.py", "a.py", MODIFIED, [(2, 0, 3, 3)])]

    def test_content_that_resembles_a_diff_is_content(self, repo: GitRepository) -> None:
        text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-- gone\n++ come\n\\ No newline\n"
        repo.commit({"a.py": LINES, "z.py": LINES, "d.py": text})
        repo.stage({"a.py": text + LINES, "d.py": "first\n" + LINES, "z.py": LINES + "six = 6\n"})
        assert staged(repo) == [
            ("a.py", "a.py", MODIFIED, [(0, 0, 1, 7)]),
            ("d.py", "d.py", MODIFIED, [(1, 7, 1, 6)]),
            ("z.py", "z.py", MODIFIED, [(5, 0, 6, 1)]),
        ]

    def test_a_last_line_without_an_end_is_a_line(self, repo: GitRepository) -> None:
        repo.commit({"a.py": "one = 1"})
        repo.stage({"a.py": "one = 1\ntwo = 2", "b.py": "b = 1"})
        assert staged(repo) == [
            ("a.py", "a.py", MODIFIED, [(1, 1, 1, 2)]),
            ("b.py", None, ADDED, [(0, 0, 1, 1)]),
        ]

    def test_content_that_is_not_utf8_is_unreviewed(self, repo: GitRepository) -> None:
        repo.stage({"a.py": b"name = 'caf\xe9'\n"})
        assert staged(repo) == [("a.py", None, ADDED, [(0, 0, 1, 1)])]
        report = repo.report()
        assert [(u["file"], u["reason"]) for u in report["unreviewed"]] == [("a.py", "it is not UTF-8 text")]

    def test_a_file_of_fifty_megabytes_is_named_and_not_read_by_tools(self, repo: GitRepository) -> None:
        row = b"VALUES = [1, 2, 3]\n"
        repo.stage({"data.py": row * (50_000_000 // len(row)), "a.py": LINES})
        report = repo.report()
        reported = [(u["file"], u["specialist"], u["reason"]) for u in report["unreviewed"]]
        assert reported == [
            ("data.py", "python", "it is larger than 2 MiB"),
            ("data.py", "secrets", "it is larger than 16 MiB"),
        ]
        assert report["context"]["added_lines"] == 50_000_000 // len(row) + 5

    def test_of_a_huge_file_no_more_is_read_than_reports_that_it_is(self, repo: GitRepository) -> None:
        repo.stage(
            {
                "a.bin": b"x" * (MAX_FILE_BYTES + 5),
                "b.py": LINES,
                "c.bin": b"y" * MAX_FILE_BYTES,
                "d.py": LINES,
            }
        )
        with Repository(repo.root) as repository:
            change = repository.staged_change()
            repository.fetch(change.files)
            for _ in range(2):
                staged = [repository.content(file, INDEX) or b"" for file in change.files]
                assert staged == [
                    b"x" * MAX_FILE_BYTES,
                    LINES.encode(),
                    b"y" * MAX_FILE_BYTES,
                    LINES.encode(),
                ]
            assert repository.tree(WORKTREE).read("a.bin") == b"x" * MAX_FILE_BYTES


NAMES = [
    b"with space.py",
    b"'quotes\" and $HOME `x`.py",
    b"-leading.py",
    b"--output=x.py",
    b"new\nline.py",
    b"tab\tand\\backslash.py",
    b"caf\xe9 latin.py",
    "café utf8 \N{PILE OF POO}.py".encode(),
    b"star*[a-z]?.py",
    b":(glob)magic.py",
    b"a => b.py",
    b"{a,b}.py",
    b"#hash.py",
    b"~tilde.py",
    b" .py",
    b"trailing \x7f.py",
    b"deep/-dash/x y.py",
]


class TestNames:
    @pytest.mark.parametrize("name", NAMES)
    def test_any_name_is_read_staged_and_on_disk(self, repo: GitRepository, name: bytes) -> None:
        path = os.fsdecode(name)
        repo.commit({path: LINES, "zz.py": LINES})
        changed = LINES.replace("two = 2", "two = 22")
        repo.stage({path: changed})
        expected: list[Row] = [(path, path, MODIFIED, [(2, 1, 2, 1)])]
        assert staged(repo) == worktree(repo) == expected
        with Repository(repo.root) as repository:
            (file,) = repository.staged_change().files
            assert repository.content(file, INDEX) == changed.encode()
            assert repository.tree(WORKTREE).read(path) == changed.encode()
            assert path in repository.tracked_paths(INDEX)

    def test_every_name_is_reviewed_and_reported(self, repo: GitRepository) -> None:
        bad = 'print("%s %s" % (1,))\n'
        repo.stage({os.fsdecode(name): bad for name in NAMES})
        report = repo.report()
        assert report["unreviewed"] == []
        found = [(f["file"], f["line"], f["column"]) for f in report["findings"] if f["rule"] == "ruff/F507"]
        assert len(found) == len(set(found)) == len(NAMES)
        assert {location[1:] for location in found} == {(1, 7)}
        assert "caf\\xe9 latin.py" in {location[0] for location in found}

    def test_two_names_that_look_alike_to_a_tool_stay_two(self, repo: GitRepository) -> None:
        bad, good = 'print("%s %s" % (1,))\n', 'print("%s" % (1,))\n'
        repo.stage({"-x.py": good, "=2dx.py": bad, "=2dy.py": good, "-y.py": bad})
        found = [(f["file"], f["rule"]) for f in repo.report()["findings"]]
        assert found == [("-y.py", "ruff/F507"), ("=2dx.py", "ruff/F507")]


CONFIGURATIONS = {
    "no prefix": "[diff]\n noprefix = true\n",
    "mnemonic prefix": "[diff]\n mnemonicPrefix = true\n",
    "own prefixes": "[diff]\n srcPrefix = x/\n dstPrefix = y/\n",
    "external diff": "[diff]\n external = false\n",
    "no renames": "[diff]\n renames = false\n",
    "copies": "[diff]\n renames = copies\n renameLimit = 1\n",
    "colours": "[color]\n ui = always\n diff = always\n",
    "moved lines": "[diff]\n colorMoved = zebra\n wsErrorHighlight = all\n",
    "plain paths": "[core]\n quotePath = false\n",
    "context": "[diff]\n context = 9\n interHunkContext = 9\n",
    "algorithm": "[diff]\n algorithm = minimal\n indentHeuristic = false\n",
    "order": "[diff]\n orderFile = ORDER\n",
    "relative": "[diff]\n relative = true\n",
    "words": "[diff]\n wordRegex = .\n",
    "submodules": "[diff]\n ignoreSubmodules = all\n submodule = log\n",
    "status": "[status]\n showUntrackedFiles = no\n relativePaths = true\n",
    "pager": "[core]\n pager = false\n[pager]\n diff = true\n",
    "textconv": "[core]\n attributesFile = ATTRIBUTES\n[diff \"shout\"]\n textconv = tr a-z A-Z <\n",
    "driver": "[core]\n attributesFile = ATTRIBUTES\n[diff \"shout\"]\n command = false\n",
    "suppressed blanks": "[diff]\n suppressBlankEmpty = true\n",
    "statistics": "[diff]\n statGraphWidth = 3\n dirstat = lines\n",
    "alias": "[alias]\n diff = log\n",
}  # fmt: skip


class TestConfigurationOfTheUser:
    @pytest.fixture
    def busy(self, repo: GitRepository) -> GitRepository:
        """Everything that a configuration could turn: a rename, several hunks, odd names, a submodule."""
        repeated = "def f():\n    a()\n\n    b()\n\n\ndef g():\n    a()\n\n    b()\n"
        repo.commit({"a.py": LINES * 3, "old.py": LINES * 9, "caf\u00e9.py": LINES, "r.py": repeated})
        repo.git("mv", "old.py", "new.py")
        repo.stage(
            {
                "a.py": LINES.replace("one", "uno") + LINES + LINES.replace("five", "cinco"),
                "new.py": LINES * 9 + "\nsix = 6\n",
                "caf\u00e9.py": LINES.replace("three", "tres"),
                "copy.py": LINES * 3,
                "r.py": repeated.replace("def g", "def h():\n    a()\n\n    b()\n\n\ndef g"),
                "sub/z.py": LINES,
            }
        )
        repo.write("untracked.py", LINES)
        return repo

    @pytest.mark.parametrize("name", sorted(CONFIGURATIONS))
    def test_it_changes_nothing(
        self, busy: GitRepository, name: str, isolated_folders: Path, tmp_path: Path
    ) -> None:
        with Repository(busy.root) as repository:
            expected = repository.staged_change(), repository.worktree()
        (tmp_path / "order").write_text("sub/*\nr.py\n", encoding="utf-8")
        (tmp_path / "attributes").write_text("*.py diff=shout\n", encoding="utf-8")
        text = CONFIGURATIONS[name].replace("ORDER", str(tmp_path / "order"))
        with (isolated_folders / "gitconfig").open("a", encoding="utf-8") as file:
            file.write(text.replace("ATTRIBUTES", str(tmp_path / "attributes")))
        with Repository(busy.root) as repository:
            assert (repository.staged_change(), repository.worktree()) == expected

    @pytest.mark.parametrize("variable", ["GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_DIFF_OPTS", "GIT_TRACE"])
    def test_its_variables_change_nothing(self, busy: GitRepository, variable: str) -> None:
        with Repository(busy.root) as repository:
            expected = repository.staged_change()
        value = {"GIT_DIFF_OPTS": "--unified=9", "GIT_TRACE": "1"}.get(variable, "false")
        with Repository(busy.root, {**os.environ, variable: value}) as repository:
            assert repository.staged_change() == expected

    def test_a_folder_git_speaks_another_language_in_changes_nothing(self, busy: GitRepository) -> None:
        with Repository(busy.root, {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"}) as repository:
            assert len(repository.staged_change().files) == 6


class TestRestOfTheTree:
    def test_files_that_differ_from_disk_are_named(self, repo: GitRepository) -> None:
        repo.commit({"same.py": LINES, "edited.py": LINES, "gone.py": LINES})
        repo.write("edited.py", "")
        (repo.root / "gone.py").unlink()
        repo.write("extra.py", "")
        with Repository(repo.root) as repository:
            expected = {"edited.py", "gone.py", "extra.py"}
            assert repository.differs_from_worktree(INDEX) == expected
            assert repository.differs_from_worktree(repository.head() or "") == expected
            assert repository.differs_from_worktree(WORKTREE) == set()

    def test_words_are_found_complete_and_by_file_name(self, repo: GitRepository) -> None:
        repo.commit({"a.py": "charge()\n", "b.py": "recharge()\n", "c.txt": "charge\n", "d.py": "-e\n"})
        with Repository(repo.root) as repository:
            assert repository.files_with_word(WORKTREE, ["charge"], ["*.py"]) == ["a.py"]
            assert repository.files_with_word(WORKTREE, ["nothing"], ["*.py"]) == []

    @pytest.mark.parametrize("searches", [1, 30])
    def test_words_are_found_in_a_commit_that_is_not_checked_out(
        self, repo: GitRepository, tmp_path: Path, searches: int
    ) -> None:
        commit = repo.commit({"a.py": "charge()\n", "b/c.py": "x.charge\n", "c.txt": "charge\n"})
        repo.commit({"a.py": "", "d.py": "charge()\n"})
        bare = tmp_path / "bare.git"
        repo.git("clone", "-q", "--bare", str(repo.root), str(bare))

        for folder in (repo.root, bare):
            with Repository(folder) as repository:
                for number in range(1, searches):
                    assert repository.files_with_word(commit, [f"word{number}"], ["*.py"]) == []
                assert repository.files_with_word(commit, ["charge"], ["*.py"]) == ["a.py", "b/c.py"]

    def test_an_index_of_words_answers_as_git_does(self, repo: GitRepository) -> None:
        texts = {
            f"m/{n}.sql": f"create table t{n} (a int);\nselect b_{n % 7} from x-t{n};\n" for n in range(60)
        }
        repo.commit({**texts, "m/odd.sql": "é t1é\nT1 t1_\n", "other.py": "t1\n", "m/bin.sql": "t3\0t5 t5"})
        repo.write("m/7.sql", "now t1 and b_1")
        (repo.root / "m/8.sql").unlink()
        requested = [[f"t{n}", f"b_{n % 5}"] for n in range(60)] + [["x-t1"], ["t1", "x-t2"], ["é"], ["T1"]]
        with Repository(repo.root) as first:
            many = [first.files_with_word(WORKTREE, words, ["m/*.sql"]) for words in requested]
        for words, found in zip(requested, many, strict=True):
            with Repository(repo.root) as repository:
                assert repository.files_with_word(WORKTREE, words, ["m/*.sql"]) == found

    @pytest.mark.parametrize("searches", [1, 30])
    @pytest.mark.parametrize("bits", [None, "--skip-worktree", "--assume-unchanged"])
    def test_words_are_found_in_the_reviewed_tree_whatever_lies_on_disk(
        self, repo: GitRepository, bits: str | None, searches: int
    ) -> None:
        old = {"edited.py": "charge()\n", "gone.py": "charge()\n", "far/left.py": "charge()\n"}
        repo.commit({**old, "other.py": "x = 1\n", "staged.py": "x = 1\n"})
        repo.stage({"staged.py": "charge()\n"})
        if bits is not None:
            repo.git("update-index", bits, "edited.py", "far/left.py")
        repo.write("edited.py", "x = 1\n")
        repo.write("other.py", "charge()\n")
        repo.write("untracked.py", "charge()\n")
        for name in ("gone.py", "far/left.py"):
            (repo.root / name).unlink()
        on_disk = {"other.py", "staged.py", "untracked.py"}
        # git takes a file with these bits for unchanged, and so it is in each tree that git compares
        retained = (
            set() if bits is None else {"far/left.py"} if "skip" in bits else {"edited.py", "far/left.py"}
        )
        with Repository(repo.root) as repository:
            sides = {
                INDEX: {*old, "staged.py"},
                repository.commit("HEAD"): set(old),
                WORKTREE: on_disk | retained,
            }
            for side, expected in sides.items():
                for number in range(1, searches):
                    assert repository.files_with_word(side, [f"word{number}"], ["*.py"]) == []
                assert repository.files_with_word(side, ["charge"], ["*.py"]) == sorted(expected)

    def test_words_are_found_in_a_side_of_which_most_differs_on_disk(self, repo: GitRepository) -> None:
        repo.commit({f"m/{number}.py": "charge()\n" for number in range(210)})
        for number in range(205):
            (repo.root / f"m/{number}.py").unlink()
        with Repository(repo.root) as repository:
            assert len(repository.files_with_word(INDEX, ["charge"], ["*.py"])) == 210

    def test_files_outside_of_a_sparse_checkout_are_read_on_every_side(self, repo: GitRepository) -> None:
        repo.commit({"src/a.py": LINES, "lib/b.py": LINES})
        repo.git("sparse-checkout", "set", "src")
        with Repository(repo.root) as repository:
            tree = repository.tree(WORKTREE)
            assert (tree.read("lib/b.py"), tree.holds("lib")) == (LINES.encode(), True)
            assert repository.tracked_paths(WORKTREE) == ["lib/b.py", "src/a.py"]


def test_a_file_that_was_written_again_with_its_staged_content_does_not_differ(repo: GitRepository) -> None:
    repo.commit({"a.py": "a = 1\n"})
    (repo.root / "a.py").write_text("a = 1\n")
    os.utime(repo.root / "a.py", (1, 1))

    with Repository(repo.root) as repository:
        assert repository.differs_from_worktree(INDEX) == set()
