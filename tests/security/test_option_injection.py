"""Attacks: names that git takes for an option, a pattern, a second request, or a program to start."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wardround.change.repository import INDEX, Repository
from wardround.change.revisions import is_object_id, require_revision, tracking_branches
from wardround.cli.options import PushedRef
from wardround.errors import UsageError

if TYPE_CHECKING:
    from tests.conftest import GitRepository

BAD = "import os\n"
NO_REVISION = {
    "option-with-a-program": "--upload-pack=touch x",
    "option-that-writes": "--output=x",
    "short-option": "-O",
    "end-of-options": "--end-of-options",
    "nothing": "",
    "second-request": "HEAD\nHEAD~1",
    "carriage-return": "HEAD\r",
    "escape": "HEAD\x1b[2J",
    "next-line": "HEAD\x85",
    "line-separator": "HEAD\u2028",
}
NAMES = pytest.mark.parametrize("name", NO_REVISION.values(), ids=NO_REVISION)


@pytest.fixture
def history(repo: GitRepository) -> GitRepository:
    """A repository of two commits, each with a finding."""
    repo.commit({"a.py": BAD})
    repo.commit({"b.py": BAD})
    return repo


@pytest.fixture
def program(tmp_path: Path) -> tuple[Path, Callable[[], bool]]:
    """A program, and a function that returns True if it was started."""
    started, file = tmp_path / "started", tmp_path / "program"
    file.write_text(f"#!/bin/sh\ntouch {started}\ncat 2>/dev/null\n", encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file, started.exists


class TestRevisions:
    @NAMES
    def test_such_a_name_is_rejected(self, name: str) -> None:
        with pytest.raises(UsageError, match="is not a revision; give a commit, branch or tag"):
            require_revision(name)

    @pytest.mark.parametrize(
        "name", ["HEAD~1", "HEAD", "origin/main", "main@{upstream}", "v1^{}", ":/a fix", "@{-1}", "f\u00fcr"]
    )
    def test_git_s_own_notation_is_retained(self, name: str) -> None:
        assert require_revision(name) == name

    @pytest.mark.parametrize("option", ["--base", "--head"])
    def test_an_option_of_a_review(self, history: GitRepository, option: str) -> None:
        before = history.fingerprint()
        other = [] if option == "--base" else ["--base=HEAD~1"]
        done = history.wardround("review", *other, f"{option}=--upload-pack=x")
        assert done.returncode == 2
        assert done.stderr == (
            f"wardround: {option} '--upload-pack=x' is not a revision; give a commit, branch or tag\n"
        )
        assert history.fingerprint() == before

    @pytest.mark.parametrize("arguments", [["related", "x", "--at=-x"], ["data", "scan", ".", "--head=-x"]])
    def test_an_option_of_another_command(self, history: GitRepository, arguments: list[str]) -> None:
        done = history.wardround(*arguments)
        assert done.returncode == 2
        assert "'-x' is not a revision; give a commit, branch or tag\n" in done.stderr

    @pytest.mark.parametrize("variable", ["PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"])
    def test_a_variable_of_a_hook_runner(self, history: GitRepository, variable: str) -> None:
        refs = {"PRE_COMMIT_FROM_REF": "HEAD~1", "PRE_COMMIT_TO_REF": "HEAD", variable: "--output=owned"}
        done = history.wardround("hook", env=refs)
        assert done.returncode == 2
        assert f"{variable} '--output=owned' is not a revision" in done.stderr
        assert not (history.root / "owned").exists()

    @NAMES
    def test_no_question_of_a_repository_takes_it_for_more_than_a_name(
        self, history: GitRepository, name: str
    ) -> None:
        before = history.fingerprint()
        with Repository(history.root) as repository:
            with pytest.raises(UsageError):
                repository.between(name, "HEAD")
            assert not repository.has(name)
            assert repository.head() == history.git("rev-parse", "HEAD").strip()
        assert history.fingerprint() == before

    def test_what_goes_behind_the_end_of_options_is_not_a_option(self, history: GitRepository) -> None:
        with Repository(history.root) as repository:
            for ask in (
                lambda: repository.tracked_paths("--output=owned"),
                lambda: repository.messages("--output=owned", "HEAD"),
                lambda: repository.outgoing_base("--all", "origin"),
            ):
                with pytest.raises(UsageError):
                    ask()
            assert repository.ancestors("--all", 5) == []
        assert not (history.root / "owned").exists()


class TestPushes:
    ID = "a" * 40

    @pytest.mark.parametrize(
        "line",
        [
            f"refs/heads/x --all refs/heads/x {ID}", f"refs/heads/x {ID} refs/heads/x --output=owned",
            f"refs/heads/x HEAD refs/heads/x {ID}", f"refs/heads/x {ID}", f"x {ID} x {ID} x",
        ],
    )  # fmt: skip
    def test_a_line_that_is_none_of_git_s(self, line: str) -> None:
        with pytest.raises(UsageError, match="is not a line of git's pre-push hook"):
            PushedRef.parse(line)

    @pytest.mark.parametrize("space", ["\u00a0", "\u2028", "\u0085", "\u3000"])
    def test_a_branch_with_another_space_in_its_name_is_reviewed(
        self, history: GitRepository, space: str
    ) -> None:
        branch = f"refs/heads/a{space}b"
        assert PushedRef.parse(f"{branch} {self.ID} {branch} {self.ID}") == PushedRef(self.ID, self.ID)
        head, base = history.git("rev-parse", "HEAD", "HEAD~1").split()
        done = history.wardround("hook", "--stage", "pre-push", "origin", "u",
                                 stdin=f"{branch} {head} {branch} {base}\n")  # fmt: skip
        assert "b.py" in done.stdout

    @pytest.mark.parametrize("remote", ["*", "o*", "[a-z]*", "?rigin", "*/main", "\\origin", ""])
    def test_a_remote_is_not_a_pattern_for_others(self, history: GitRepository, remote: str) -> None:
        history.git("update-ref", "refs/remotes/origin/main", "HEAD")
        with Repository(history.root) as repository:
            head = repository.head()
            assert head is not None
            assert repository.outgoing_base(head, "origin") == head
            assert repository.outgoing_base(head, remote) == repository.empty_tree
        assert tracking_branches(remote) == []

    def test_object_ids_are_whole(self) -> None:
        assert is_object_id("0" * 40)
        assert is_object_id("0" * 64)
        assert not any(map(is_object_id, ("", "0" * 39, "0" * 41, "0" * 40 + "\n", "G" * 40)))


class TestRequests:
    """``git cat-file --batch`` reads a name a line, and drops a carriage return at its end."""

    @pytest.mark.parametrize("ending", ["\n:b.py", "\r", "\n"])
    def test_a_path_is_never_another_file(self, history: GitRepository, ending: str) -> None:
        with Repository(history.root) as repository:
            assert repository.tree(INDEX).read(f"a.py{ending}") is None
            assert repository.tree(INDEX).read("a.py") == BAD.encode()
            assert not repository.tree(INDEX).holds(f"a.py{ending}")

    def test_settings_are_not_read_from_next_to_a_path(self, history: GitRepository) -> None:
        history.stage({"d\r/.wardround.toml": "", "d\r/c.py": BAD, "d/.wardround.toml": 'exclude = ["*"]\n'})
        assert [f["rule"] for f in history.report()["findings"]] == ["ruff/F401"]


class TestPaths:
    @pytest.mark.parametrize("path", ["--output=owned.py", "-x.py", ":(glob)*.py", "*.py", ":!a.py"])
    def test_a_path_is_not_a_option_and_no_pattern(self, history: GitRepository, path: str) -> None:
        history.stage({path: BAD})
        found = history.report()["findings"]
        assert [f["file"] for f in found] == [path]
        assert not (history.root / "owned.py").exists()

    def test_fixes_of_such_a_path(self, history: GitRepository) -> None:
        history.stage({"--output=owned.py": BAD})
        history.wardround("review", "--fix")
        assert history.read("--output=owned.py") == b""


class TestPrograms:
    """No setting of the repository makes git start a program."""

    @pytest.mark.parametrize(
        "setting",
        [
            "core.fsmonitor", "diff.external", "core.pager", "core.sshCommand", "gpg.program",
            "diff.x.textconv", "diff.x.command", "core.editor", "core.askPass", "pager.diff", "pager.log",
        ],
    )  # fmt: skip
    def test_a_setting_with_a_program(
        self, history: GitRepository, program: tuple[Path, Callable[[], bool]], setting: str
    ) -> None:
        file, is_started = program
        history.commit({".gitattributes": "*.py diff=x\n"})
        history.git("config", setting, str(file))
        history.git("config", "log.showSignature", "true")
        history.write("c.py", BAD)
        history.git("-c", "core.fsmonitor=false", "add", "c.py")
        history.write("a.py", "x = 1\n")
        for arguments in (["--staged"], ["--worktree"], ["--base", "HEAD~1"]):
            assert history.wardround("review", *arguments).stdout
        assert not is_started()

    def test_git_s_hooks(self, history: GitRepository, program: tuple[Path, Callable[[], bool]]) -> None:
        file, is_started = program
        history.stage({"c.py": BAD})
        history.git_hook("post-index-change", f"exec {file}")
        history.wardround("review", "--fix")
        assert history.read("c.py") == b""
        assert not is_started()

    def test_variables_that_name_a_program(
        self, history: GitRepository, program: tuple[Path, Callable[[], bool]]
    ) -> None:
        file, is_started = program
        history.stage({"c.py": BAD})
        names = ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS", "GIT_SSH_COMMAND")
        assert history.wardround("review", env=dict.fromkeys(names, str(file))).stdout
        assert not is_started()
        assert os.access(file, os.X_OK)
