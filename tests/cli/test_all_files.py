"""All tracked files under review instead of a change: by option, and where a hook is started without one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from wardround.change.repository import Repository
from wardround.execution import file_batches

if TYPE_CHECKING:
    from tests.conftest import GitRepository

BAD = "print(undefined_name)\n"
GOOD = "LIMIT = 1\n"


def reported(done: Any) -> list[tuple[str, str, str]]:
    return [(f["file"], f["rule"], f["status"]) for f in json.loads(done.stdout)["findings"]]


@pytest.fixture
def bad(repo: GitRepository) -> GitRepository:
    """A clean work tree in which two committed files are wrong."""
    repo.commit({"src/a.py": BAD, "b.py": BAD, "good.py": GOOD})
    return repo


class TestReview:
    def test_every_tracked_file_counts_as_it_is_on_disk(self, bad: GitRepository) -> None:
        bad.write("good.py", BAD)
        bad.write("untracked.py", BAD)
        (bad.root / "b.py").unlink()
        done = bad.wardround("review", "--all-files", "--format", "json")
        assert done.returncode == 1
        assert reported(done) == [
            ("good.py", "ruff/F821", "existing"),
            ("src/a.py", "ruff/F821", "existing"),
        ]

    def test_files_and_folders_are_named_from_the_current_folder(self, bad: GitRepository) -> None:
        named = ("review", "--all-files", "--format", "json")
        assert reported(bad.wardround(*named, "a.py", cwd=bad.root / "src")) == [
            ("src/a.py", "ruff/F821", "existing")
        ]
        assert len(reported(bad.wardround(*named, ".", "../b.py", cwd=bad.root / "src"))) == 2

    def test_the_level_that_blocks_applies_and_the_baseline_is_accepted(self, bad: GitRepository) -> None:
        assert bad.wardround("baseline", "write").returncode == 0
        bad.commit({"src/c.py": BAD})
        done = bad.wardround("review", "--all-files")
        assert done.returncode == 1
        assert done.stdout.count("[ruff/F821]") == 1
        assert "src/c.py" in done.stdout
        assert "note: 2 findings that the baseline accepts are not shown" in done.stdout
        assert "was there before" not in done.stdout

    def test_fixes_go_to_the_work_tree_alone(self, repo: GitRepository) -> None:
        repo.commit({"a.py": "import os\n"})
        done = repo.wardround("review", "--all-files", "--fix", "--fail-level", "info")
        assert (done.returncode, repo.read("a.py"), repo.staged("a.py")) == (0, b"", b"import os\n")

    def test_sarif_names_them_as_unchanged(self, bad: GitRepository) -> None:
        done = bad.wardround("review", "--all-files", "b.py", "--format", "sarif")
        assert re.fullmatch(r"wardround: blocked - 1 error, 1 file, [\d.]+ s\n", done.stderr)
        log = json.loads(done.stdout)
        assert [result["baselineState"] for result in log["runs"][0]["results"]] == ["unchanged"]

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("--all-files", "--staged"), "--staged and --all-files cannot go together"),
            (("--all-files", "--base", "HEAD"), "--all-files and --base cannot go together"),
            (("--all-files", "--filter-mode", "file"), "--filter-mode: --all-files has no change"),
            (("--all-files", "--ticket", "A-1", "--run"), "--ticket and --run: --all-files has no change"),
            (("src",), "src: files are named with --all-files"),
            (("--all-files", "absent.py"), "absent.py: git tracks no file there"),
            (("--all-files", "/etc"), "/etc: it is outside of "),
        ],
    )
    def test_what_has_no_meaning_is_rejected(
        self, bad: GitRepository, arguments: tuple[str, ...], said: str
    ) -> None:
        done = bad.wardround("review", *arguments)
        assert done.returncode == 2
        assert said in done.stderr


class TestHook:
    """The environment of a git hook tells a commit without content from a run manually or by CI."""

    def test_without_a_change_all_files_are_reviewed(self, bad: GitRepository) -> None:
        done = bad.wardround("hook")
        assert done.returncode == 1
        assert "the change is empty, so 3 tracked files of the work tree are reviewed" in done.stderr
        assert done.stdout.count("[ruff/F821]") == 2

    def test_with_a_change_it_alone_is_reviewed(self, bad: GitRepository) -> None:
        bad.stage({"more.py": GOOD})
        assert "pass - no findings, 1 file, " in bad.wardround("hook").stdout

    def test_files_that_the_runner_names_are_reviewed(self, bad: GitRepository) -> None:
        assert "pass - no findings, 1 file, " in bad.wardround("hook", "good.py").stdout

    def test_without_anything_to_push_all_files_are_reviewed(
        self, bad: GitRepository, tmp_path: Path
    ) -> None:
        bad.git("init", "-q", "--bare", tmp_path / "remote.git")
        bad.git("remote", "add", "origin", tmp_path / "remote.git")
        bad.git("push", "-q", "origin", "main")
        assert bad.wardround("hook", "--stage", "pre-push").returncode == 1
        assert bad.wardround("hook", "--stage", "pre-push", "origin", "url").returncode == 0

    @pytest.mark.parametrize("command", [("commit", "--allow-empty", "-m", "x"), ("merge", "--no-ff", "t")])
    def test_a_commit_without_content_reviews_nothing(
        self, bad: GitRepository, command: tuple[str, ...]
    ) -> None:
        bad.git("checkout", "-q", "-b", "t")
        bad.git("commit", "-q", "--allow-empty", "-m", "x")
        bad.git("checkout", "-q", "main")
        for name in ("pre-commit", "pre-merge-commit"):
            bad.git_hook(name, "exec wardround hook")
        done = bad.run("git", *command, env={"GIT_MERGE_AUTOEDIT": "no"})
        assert done.returncode == 0
        assert "nothing to review, 0 files" in done.stdout + done.stderr

    def test_an_unknown_option_is_rejected(self, bad: GitRepository) -> None:
        done = bad.wardround("hook", "--fail-levle", "info")
        assert done.returncode == 2
        assert "No such option '--fail-levle'" in done.stderr

    def test_the_option_fix_fixes_what_is_staged(self, repo: GitRepository) -> None:
        repo.stage({"a.py": "import os\n"})
        assert repo.wardround("hook", "--fix", "--fail-level", "info").returncode == 0
        assert repo.staged("a.py") == b""


class TestBatches:
    def test_batches_report_what_one_review_does(
        self, bad: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(bad.root)
        reports = []
        for size in (1, 100):
            monkeypatch.setattr(file_batches, "BATCH_FILES", size)
            reports.append(_json_report(tmp_path / f"{size}.json"))
        assert reports[0] == reports[1]
        assert [finding["file"] for finding in reports[0]["findings"]] == ["b.py", "src/a.py"]

    def test_what_was_reviewed_before_an_interruption_is_cached(
        self, bad: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(bad.root)
        monkeypatch.setattr(file_batches, "BATCH_FILES", 1)
        begin = file_batches.BatchReview._batch
        begun: list[str] = []

        def interrupted(self: Any, context: Any, done: str) -> Any:
            begun.append(done)
            if len(begun) == 3:
                raise KeyboardInterrupt
            return begin(self, context, done)

        monkeypatch.setattr(file_batches.BatchReview, "_batch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _json_report(tmp_path / "interrupted.json")
        monkeypatch.setattr(file_batches.BatchReview, "_batch", begin)
        runs = {run["tool"]: run for run in _json_report(tmp_path / "again.json", whole=True)["runs"]}
        assert (runs["ruff"]["files"], runs["ruff"]["cached"]) == (3, 2)
        assert (runs["python"]["files"], runs["python"]["cached"]) == (3, 2)


def _json_report(file: Path, *, whole: bool = False) -> dict[str, Any]:
    from wardround.cli.options import ChangeSpec, ReportSpec
    from wardround.cli.run import run_and_report
    from wardround.config.request import ReviewRequest

    run_and_report(ChangeSpec(all_files=True), ReviewRequest(), [ReportSpec("json", file)])
    report: dict[str, Any] = json.loads(file.read_bytes())
    return report if whole else {key: report[key] for key in report if key not in ("runs", "timings")}


def test_a_conflict_and_a_link_are_read_as_they_are(repo: GitRepository) -> None:
    repo.commit({"a.py": GOOD})
    repo.git("checkout", "-q", "-b", "t")
    repo.commit({"a.py": "LIMIT = 2\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a.py": "LIMIT = 3\n"})
    repo.run("git", "merge", "t")
    (repo.root / "link").symlink_to("a.py")
    repo.git("add", "link")
    with Repository(repo.root) as repository:
        assert [(f.path, f.status, f.mode) for f in repository.all_files().files] == [
            ("a.py", "unmerged", "100644"),
            ("link", "added", "120000"),
        ]
