"""Invalid input: one sentence on standard error states what, where and what to do; nothing changes on
disk.
"""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from wardround.builtin import FORMATS
from wardround.cli import commands

if TYPE_CHECKING:
    from tests.conftest import GitRepository

GOOD = "LIMIT = 1\n"
BAD = 'print("%s %s" % (1,))\n'
USAGE = 2


def complaint(
    repo: GitRepository,
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    stdin: str | bytes = b"",
) -> str:
    """Return the message of ``wardround review`` that exits with status 2, without a change of the
    repository.
    """
    before = repo.fingerprint()
    done = repo.wardround("review", *arguments, env=env, stdin=stdin)
    assert repo.fingerprint() == before
    assert "Traceback" not in done.stderr
    assert (done.returncode, done.stdout) == (USAGE, ""), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removeprefix("wardround: ").rstrip("\n")


def option_complaint(repo: GitRepository, *arguments: str) -> str:
    """The last line of the message about an option, below the usage."""
    done = repo.wardround("review", *arguments)
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


def broken_pipe(*arguments: object, **options: object) -> NoReturn:
    """Print to a reader that is gone."""
    raise BrokenPipeError(errno.EPIPE, "Broken pipe")


@pytest.fixture
def changed(repo: GitRepository) -> GitRepository:
    """A repository with a commit and a good staged change."""
    repo.commit({"old.py": GOOD})
    repo.stage({"a.py": GOOD})
    return repo


class TestChange:
    def test_a_folder_outside_any_repository(self, repo: GitRepository, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()
        done = repo.wardround("review", cwd=tmp_path / "plain")
        folder = tmp_path / "plain"
        reason = f"{folder} is not in a git repository; run wardround in one, or give --repo DIR"
        assert (done.returncode, done.stdout, done.stderr) == (USAGE, "", f"wardround: {reason}\n")

    def test_a_repository_that_does_not_exist(self, changed: GitRepository) -> None:
        reported = complaint(changed, "--repo", "/nowhere")
        assert reported == "/nowhere is not a folder; give the root of a git repository"

    def test_a_name_that_is_for_no_commit(self, changed: GitRepository) -> None:
        reported = complaint(changed, "--base", "orgin/main")
        assert reported == f"'orgin/main' names no commit in {changed.root}; check the name, or fetch it"

    def test_a_commit_that_a_shallow_clone_lacks(self, changed: GitRepository, tmp_path: Path) -> None:
        changed.commit({"b.py": GOOD})
        changed.git("clone", "-q", "--depth", "1", f"file://{changed.root}", tmp_path / "shallow")
        reported = complaint(type(changed)(tmp_path / "shallow"), "--base", "HEAD~1")
        assert reported.endswith(
            "; this clone is shallow; run git fetch --unshallow, or set fetch-depth: 0 in the workflow"
        )

    def test_two_ways_to_name_the_change(self, changed: GitRepository) -> None:
        reported = option_complaint(changed, "--staged", "--worktree")
        assert reported == "Error: --staged and --worktree cannot go together; name the change in one way"

    def test_a_head_without_a_base(self, changed: GitRepository) -> None:
        reported = option_complaint(changed, "--head", "HEAD")
        assert reported == "Error: --head needs --base; name the commit it is compared with"


class TestDiffFile:
    def test_a_file_that_does_not_exist(self, changed: GitRepository) -> None:
        reported = complaint(changed, "--diff-file", "nowhere.diff")
        assert reported == "--diff-file nowhere.diff: No such file or directory; give a file or -"

    def test_a_folder(self, changed: GitRepository) -> None:
        reported = complaint(changed, "--diff-file", ".")
        assert reported == "--diff-file .: Is a directory; give a file or -"

    def test_binary_data(self, changed: GitRepository) -> None:
        reported = complaint(changed, "--diff-file", "-", stdin=b"\x7fELF\0\0\1")
        assert reported == "--diff-file -: it is binary; give a unified diff, as git diff prints it"

    def test_text_that_is_not_a_diff(self, changed: GitRepository) -> None:
        reported = complaint(changed, "--diff-file", "-", stdin="Dear reviewer,\nplease look.\n")
        assert reported == "the diff names no file; give a unified diff, as git diff prints it"

    @pytest.mark.parametrize(
        "hunk",
        ["@@ -1,9 +1,9 @@\n+only one\n", "@@ -1 +1 @@\n-x\n+y\n+one too many\n", "@@ x @@\n+y\n"],
        ids=["too short", "too long", "no numbers"],
    )
    def test_a_hunk_that_is_not_what_its_header_reports(self, changed: GitRepository, hunk: str) -> None:
        reported = complaint(changed, "--diff-file", "-", stdin=f"--- a/a.py\n+++ b/a.py\n{hunk}")
        assert " the diff " in f" {reported}"
        assert reported.endswith(("; give a unified diff", "; correct it"))

    @pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "x/../../y.py", ".git/config"])
    def test_a_path_outside_the_repository(self, changed: GitRepository, path: str) -> None:
        diff = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+y\n"
        reported = complaint(changed, "--diff-file", "-", stdin=diff)
        assert reported == (
            f"the diff names 'a/{path}', which is not a path inside a repository; remove that part"
        )

    def test_an_empty_diff_is_nothing_to_review(self, changed: GitRepository) -> None:
        done = changed.wardround("review", "--diff-file", "-")
        assert (done.returncode, done.stderr) == (0, "")


class TestOptions:
    def test_an_unknown_format(self, changed: GitRepository) -> None:
        assert complaint(changed, "--format", "pdf").startswith("--format pdf: unknown format; choose from ")

    def test_a_report_that_cannot_be_written(self, changed: GitRepository) -> None:
        before = changed.fingerprint()
        done = changed.wardround("review", "--format", "json=old.py/report.json")
        assert done.returncode == USAGE
        assert done.stderr.startswith("wardround: --format json=old.py/report.json: ")
        assert done.stderr.endswith("; give another file\n")
        assert changed.fingerprint() == before

    @pytest.mark.parametrize("option", ["--only", "--skip"])
    def test_an_unknown_specialist(self, changed: GitRepository, option: str) -> None:
        reported = complaint(changed, option, "cobol")
        assert reported.startswith("no specialist is named 'cobol'; there are ")

    def test_an_unknown_level(self, changed: GitRepository) -> None:
        reported = option_complaint(changed, "--fail-level", "fatal")
        assert reported == (
            "Error: Invalid value for '--fail-level': 'fatal' is not one of 'none', 'info', 'warn', 'error'."
        )

    def test_no_jobs(self, changed: GitRepository) -> None:
        reported = option_complaint(changed, "--jobs", "0")
        assert reported == "Error: Invalid value for '--jobs': 0 is not in the range x>=1."

    def test_an_unknown_option(self, changed: GitRepository) -> None:
        reported = option_complaint(changed, "--stagged")
        assert reported.startswith("Error: No such option")
        assert "--staged" in reported

    def test_an_unknown_command(self, changed: GitRepository) -> None:
        done = changed.wardround("revue")
        assert (done.returncode, done.stdout) == (USAGE, "")
        assert done.stderr.splitlines()[-1].startswith("Error: No such command 'revue'.")

    def test_a_configuration_file_that_does_not_exist(self, changed: GitRepository) -> None:
        reported = complaint(changed, "--config", "nowhere.toml")
        assert reported == "--config nowhere.toml: No such file or directory; give a file"

    def test_a_configuration_that_is_a_folder(self, changed: GitRepository) -> None:
        assert complaint(changed, "--config", ".") == "--config .: Is a directory; give a file"


class TestConfiguration:
    @pytest.mark.parametrize(
        ("file", "text", "said"),
        [
            (".wardround.toml", "fail_level = 'warn'\n", ".wardround.toml: unknown key 'fail_level'; known"),
            (
                "pyproject.toml",
                "[tool.wardround]\nfail-levle = 'warn'\n",
                "pyproject.toml: unknown key 'fail-levle'; known here: ",
            ),
            (".wardround.toml", "jobs = 'two'\n", ".wardround.toml: jobs: expected `int | null`, got `str`"),
            (".wardround.toml", "jobs = 0\n", ".wardround.toml: jobs must be at least 1, got 0"),
            (".wardround.toml", "tool-timeout = 0\n", ".wardround.toml: tool-timeout is seconds above 0"),
            (
                ".wardround.toml",
                "fail-level = 'fatal'\n",
                ".wardround.toml: fail-level: 'fatal' is none of 'error', 'info', 'none', 'warn'; choose one",
            ),
            (
                ".wardround.toml",
                "[inconclusive]\npush = 'block'\n",
                ".wardround.toml: inconclusive: 'push' is none",
            ),
            (
                ".wardround.toml",
                "[inconclusive]\nci = 'no'\n",
                ".wardround.toml: inconclusive: 'ci': 'no' is none",
            ),
            (".wardround.toml", "baseline = ''\n", ".wardround.toml: baseline is a path inside"),
            (
                ".wardround.toml",
                "[sql]\ndialect = 'klingon'\n",
                ".wardround.toml: sql: dialect: 'klingon' is none of ",
            ),
            (
                ".wardround.toml",
                "[python]\nenvironment = 'nope'\n",
                ".wardround.toml: python.environment: nope is not a virtual environment in ",
            ),
            (".wardround.toml", "baseline = '../b.json'\n", ".wardround.toml: baseline is a path inside"),
            (".wardround.toml", "baseline = '/b.json'\n", ".wardround.toml: baseline is a path inside"),
            (
                ".wardround.toml",
                "[rules]\n'ruff/B006' = 'loud'\n",
                ".wardround.toml: rules: 'ruff/B006': 'loud'",
            ),
            (".wardround.toml", "jobs = \n", ".wardround.toml is not valid TOML: "),
            (".wardround.toml", b"# caf\xe9\njobs = 1\n", ".wardround.toml is not valid TOML: "),
            ("pyproject.toml", "[tool.wardround\n", "pyproject.toml is not valid TOML: "),
            ("pyproject.toml", "[tool]\nwardround = 1\n", "pyproject.toml: tool.wardround must be a table"),
            (
                ".wardround.toml",
                "only = ['cobol']\n",
                ".wardround.toml: only: no specialist is named 'cobol'; ",
            ),
            (
                ".wardround.toml",
                "required-plugins = ['cobol']\n",
                ".wardround.toml: required plugin 'cobol' is not installed; install it",
            ),
        ],
    )
    def test_it_is_named_with_its_file(
        self, changed: GitRepository, file: str, text: str | bytes, said: str
    ) -> None:
        changed.stage({file: text})
        assert complaint(changed).startswith(said)

    @pytest.mark.parametrize(
        "rule",
        ["nosuch/X", "nosuch/*", "ruff/ZZZ*", "ruff/ZZZ999", "python/PY999", "python/ZZ*", "B006", "zz*"],
    )
    def test_a_rule_that_nobody_can_report(self, changed: GitRepository, rule: str) -> None:
        changed.stage({"pkg/.wardround.toml": f"[rules]\n'{rule}' = 'off'\n", "pkg/b.py": GOOD})
        reported = complaint(changed)
        assert reported == (
            f"pkg/.wardround.toml: rules: {rule!r} matches no known rule; use an id that wardround "
            "rules lists, or install its plugin"
        )

    @pytest.mark.parametrize(
        "rule",
        [
            "*", "ruff*", "ruff/*", "ruff/D*", "ruff/PL*", "ruff/D1*", "ruff/D100", "python/*", "python/PY0*",
            "python/PY010", "eslint/@acme/its-own", "eslint/@acme/*", "oxlint/react/*", "hadolint/DL30*",
            "shellcheck/SC2034", "semgrep/*", "ast-grep/*", "tsc/TS2304", "sql/SQ040",
        ],
    )  # fmt: skip
    def test_a_rule_or_family_that_somebody_may_report(self, changed: GitRepository, rule: str) -> None:
        changed.stage({".wardround.toml": f"[rules]\n'{rule}' = 'off'\n"})
        done = changed.wardround("review")
        assert (done.returncode, done.stderr) == (0, "")

    def test_a_root_key_in_a_folder(self, changed: GitRepository) -> None:
        changed.stage({"pkg/.wardround.toml": "jobs = 1\n", "pkg/b.py": GOOD})
        reported = complaint(changed)
        assert (
            reported == "pkg/.wardround.toml: key 'jobs' applies at the repository root only; move it there"
        )

    def test_an_unstaged_mistake_is_not_read(self, changed: GitRepository) -> None:
        changed.write(".wardround.toml", "jobs = \n")
        assert changed.wardround("review").returncode == 0

    def test_a_damaged_baseline(self, changed: GitRepository) -> None:
        changed.stage({".wardround-baseline.json": "{"})
        assert complaint(changed).startswith(".wardround-baseline.json")


def findings(repository: GitRepository) -> list[str]:
    """The messages of wardround's own findings, at their place."""
    found = [f for f in repository.report()["findings"] if f["rule"].startswith("wardround/")]
    assert {(f["file"], f["line"], f["status"]) for f in found} <= {("a.py", 1, "new")}
    return [f["message"] for f in found]


class TestSuppressions:
    def test_an_unknown_rule_on_an_added_line(self, changed: GitRepository) -> None:
        changed.stage({"a.py": "x = 1  # wardround: ignore[no-such-rule] because\n"})
        assert findings(changed) == [
            "suppression names no known rule: 'no-such-rule'; wardround rules lists them"
        ]

    def test_words_that_are_no_suppression_on_an_added_line(self, changed: GitRepository) -> None:
        changed.stage({"a.py": "x = 1  # wardround: disable=B006\n"})
        assert findings(changed) == [
            "this is not a valid suppression, so it waives nothing; write wardround: ignore[RULE] reason"
        ]

    @pytest.mark.parametrize("form", ["{}", "ignore {}", "ignore[{}]", "ignore[{}] because", "ignore[X] {}"])
    def test_what_is_in_a_wrong_suppression_is_not_repeated(self, changed: GitRepository, form: str) -> None:
        token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
        changed.stage({"a.py": f"x = 1  # wardround: {form.format(token)}\n"})
        done = changed.wardround("review", *(f"--format={name}" for name in FORMATS))
        assert token[-8:] not in done.stdout + done.stderr

    def test_an_unknown_rule_on_an_old_line_stops_nobody(self, changed: GitRepository) -> None:
        changed.commit({"a.py": "x = 1  # wardround: ignore[no-such-rule] because\n"})
        changed.stage({"a.py": "x = 1  # wardround: ignore[no-such-rule] because\ny = 2\n"})
        assert changed.wardround("review").returncode == 0


class TestExitStatus:
    def test_exit_zero_covers_findings(self, changed: GitRepository) -> None:
        changed.stage({"a.py": BAD})
        done = changed.wardround("review", "--exit-zero")
        assert done.returncode == 0
        assert "wardround: blocked - 1 error" in done.stdout

    def test_exit_zero_does_not_cover_a_mistake(self, changed: GitRepository) -> None:
        assert complaint(changed, "--exit-zero", "--base", "nosuch").startswith("'nosuch' names no commit")

    def test_fail_level_none_blocks_nothing(self, changed: GitRepository) -> None:
        changed.stage({"a.py": BAD})
        assert changed.wardround("review", "--fail-level", "none").returncode == 0

    @pytest.mark.parametrize("arguments", [[], ["policy"], ["records"], ["adapters"]])
    def test_a_group_without_a_command_prints_its_help(
        self, arguments: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert commands.invoke(arguments) == USAGE
        reported = capsys.readouterr().err
        assert reported.startswith(f"Usage: {' '.join(['wardround', *arguments])} [OPTIONS]")
        assert "\nCommands:\n" in reported

    def test_a_closed_pipe_that_click_reports_is_not_a_crash(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("wardround.cli.explain.emit", broken_pipe)
        assert commands.invoke(["explain", "ruff/F821"]) == 128 + signal.SIGPIPE
        assert capsys.readouterr().err == ""

    def test_a_reader_that_goes_away_is_not_a_crash(self, changed: GitRepository) -> None:
        changed.stage({"a.py": BAD * 300})
        done = changed.run("sh", "-c", "wardround review --format json; echo $? >&2; exit 0")
        assert re.fullmatch(r"wardround: blocked - 300 errors, 1 file, [\d.]+ s\n1\n", done.stderr)
        script = "wardround review --format json | head -c1; echo ${PIPESTATUS[0]} >&2"
        piped = changed.run("bash", "-c", script)
        assert "Traceback" not in piped.stderr
        assert piped.stderr.splitlines()[-1] in ("1", "141"), piped.stderr

    @pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    def test_streams_that_are_closed_change_no_status(self, changed: GitRepository, closed: str) -> None:
        changed.stage({"a.py": BAD})
        done = changed.run("bash", "-c", f"wardround review {closed}")
        assert (done.returncode, done.stderr) == (1, "")
        changed.stage({"a.py": GOOD})
        assert changed.run("bash", "-c", f"wardround review {closed}").returncode == 0


class TestPlaces:
    def test_a_home_that_cannot_be_written_changes_no_result(self, changed: GitRepository) -> None:
        changed.stage({"a.py": BAD})
        locations = dict.fromkeys(
            ["HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"], "/proc/1/fd"
        )
        done = changed.wardround("review", env=locations)
        assert done.returncode == 1, done.stderr
        assert "[ruff/F507]" in done.stdout
        assert "Traceback" not in done.stderr
        assert "not reviewed" not in done.stdout

    @pytest.mark.parametrize("command", [["review", "--staged"], ["doctor"], ["hook"], ["ci"]])
    def test_a_removed_current_folder_is_a_usage_error(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        command: list[str],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        removed = tmp_path / "gone"
        removed.mkdir()
        os.chdir(removed)
        removed.rmdir()

        assert commands.invoke(command) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("wardround: the current folder cannot be used (No such file or directory)")

    def test_no_home_at_all_changes_no_result(self, changed: GitRepository) -> None:
        """As in a container whose user has no entry in the user database."""
        changed.stage({"a.py": BAD})
        code = (
            "import pwd, sys; pwd.getpwuid = {}.__getitem__\n"
            "from wardround.cli.commands import invoke; sys.exit(invoke(['review']))"
        )
        without = ("env", "-u", "HOME", "-u", "XDG_CACHE_HOME", "-u", "XDG_STATE_HOME")
        done = changed.run(*without, sys.executable, "-c", code)
        assert (done.returncode, done.stderr) == (1, "")
        assert "[ruff/F507]" in done.stdout
        assert "not reviewed" not in done.stdout

    @pytest.mark.parametrize("folder", ["/nowhere/at/all", "/dev/null"])
    def test_a_temporary_folder_that_does_not_exist_is_passed_over(
        self, changed: GitRepository, folder: str
    ) -> None:
        changed.stage({"a.py": BAD})
        done = changed.wardround("review", env={"TMPDIR": folder})
        assert (done.returncode, done.stderr) == (1, "")
        assert "[ruff/F507]" in done.stdout

    @pytest.mark.skipif(sys.platform == "darwin", reason="mount namespaces are Linux's")
    def test_a_full_temporary_folder_is_inconclusive(self, changed: GitRepository, tmp_path: Path) -> None:
        changed.stage({"big.py": "VALUES = [1]\n" * 100_000})
        full = tmp_path / "full"
        full.mkdir()
        script = f"mount -t tmpfs -o size=64k none {full} && TMPDIR={full} wardround review --profile ci"
        probe = changed.run("unshare", "--mount", "mount", "-t", "tmpfs", "-o", "size=64k", "none", full)
        if probe.returncode != 0:
            pytest.skip("only root may mount")
        done = changed.run("unshare", "--mount", "sh", "-c", script)
        assert done.returncode == 4, done.stdout + done.stderr
        assert "the snapshot cannot be written: No space left on device" in " ".join(done.stdout.split())
        assert "Traceback" not in done.stderr

    def test_a_limit_on_file_sizes_is_inconclusive(self, changed: GitRepository) -> None:
        changed.stage({"big.py": "VALUES = [1]\n" * 100_000})
        limit = f"ulimit -f {400 * 1024 // resource.getpagesize() or 1}; exec wardround review --profile ci"
        done = changed.run("bash", "-c", limit)
        assert done.returncode == 4, done.stdout + done.stderr
        assert "File too large" in done.stdout
        assert "Traceback" not in done.stderr

    def test_a_temporary_folder_inside_the_work_tree_is_not_used(self, changed: GitRepository) -> None:
        changed.stage({"a.py": BAD})
        (changed.root / "tmp").mkdir()
        before = changed.fingerprint()
        stamp = os.stat(changed.root / "tmp").st_mtime_ns
        done = changed.wardround("review", env={"TMPDIR": str(changed.root / "tmp")})
        assert done.returncode == 1, done.stderr
        assert changed.fingerprint() == before
        assert os.stat(changed.root / "tmp").st_mtime_ns == stamp

    def test_tools_that_run_out_of_time_are_inconclusive(self, changed: GitRepository) -> None:
        changed.commit({".wardround.toml": "tool-timeout = 0.000001\n"})
        changed.stage({"a.py": BAD})
        before = changed.fingerprint()
        done = changed.wardround("review", "--profile", "ci")
        assert done.returncode == 4, done.stdout + done.stderr
        assert "timed out after 1e-06 s" in done.stdout
        assert done.stdout.splitlines()[-1].startswith("wardround: inconclusive - ")
        assert changed.wardround("review", "--profile", "ci", "--exit-zero").returncode == 0
        assert changed.fingerprint() == before
