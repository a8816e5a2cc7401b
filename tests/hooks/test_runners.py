"""wardround under the programs that call git hooks: git itself, pre-commit, prek and lefthook."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from tests.conftest import GitRepository

pytestmark = pytest.mark.e2e

GOOD = 'def greet(name):\n    return "hello %s" % (name,)\n'
BAD = 'def greet(name):\n    return "hello %s %s" % (name,)\n'
MANIFEST = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
PAGE = (Path(__file__).parents[2] / "docs" / "hook.md").read_text(encoding="utf-8")
PRE_COMMIT_CONFIG = """\
repos:
  - repo: local
    hooks:
      - id: wardround
        name: wardround (staged change)
        entry: wardround hook --stage pre-commit
        language: system
        pass_filenames: false
        require_serial: true
        verbose: true
        stages: [pre-commit, pre-merge-commit, manual]
      - id: wardround-push
        name: wardround (outgoing commits)
        entry: wardround hook --stage pre-push
        language: system
        pass_filenames: false
        always_run: true
        require_serial: true
        verbose: true
        stages: [pre-push]
"""
LEFTHOOK_CONFIG = PAGE.partition("in `lefthook.yml`:\n\n```yaml\n")[2].partition("```")[0]
STAGES = re.findall(r" (-t) ([\w-]+)", PAGE.partition("`prek install")[2].partition("`")[0])
"""The options of ``install`` in the documentation, which pre-commit takes too."""
PLAIN = re.findall(r"`\.git/hooks/([\w-]+)`", PAGE.partition("As plain git hooks")[2].partition(" are ")[0])
"""The git hooks that the documentation has as ``exec wardround hook``."""
RUNNERS = ["pre-commit", "prek", "lefthook"]


def installed(repo: GitRepository, runner: str) -> GitRepository:
    """Commit a good file and the runner's configuration, and have it install its git hooks."""
    if runner == "git":
        repo.commit({"greet.py": GOOD})
        for name in PLAIN:
            repo.git_hook(name, "exec wardround hook")
        return repo
    if runner == "lefthook":
        repo.commit({"lefthook.yml": LEFTHOOK_CONFIG, "greet.py": GOOD})
        done = repo.run("lefthook", "install")
    else:
        repo.commit({".pre-commit-config.yaml": PRE_COMMIT_CONFIG, "greet.py": GOOD})
        done = repo.run(runner, "install", *(word for option in STAGES for word in option))
    assert done.returncode == 0, done.stdout + done.stderr
    return repo


def said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


@pytest.mark.parametrize("runner", RUNNERS)
class TestCommit:
    def test_a_bad_change_is_stopped_with_its_finding(self, repo: GitRepository, runner: str) -> None:
        installed(repo, runner)
        repo.stage({"greet.py": BAD})
        done = repo.run("git", "commit", "-m", "bad")
        assert done.returncode == 1
        assert "  2:12 error  `%`-format string has 2 placeholder(s)" in said(done)
        assert "wardround: blocked - 1 error, 1 file, " in said(done)
        assert repo.git("rev-list", "--count", "HEAD") == "1\n"

    def test_a_good_change_goes_through_with_the_closing_line(self, repo: GitRepository, runner: str) -> None:
        installed(repo, runner)
        repo.stage({"more.py": "LIMIT = 1\n"})
        done = repo.run("git", "commit", "-m", "good")
        assert done.returncode == 0, said(done)
        assert "wardround: pass - no findings, 1 file, " in said(done)
        assert repo.git("rev-list", "--count", "HEAD") == "2\n"

    def test_only_the_staged_part_of_a_file_counts(self, repo: GitRepository, runner: str) -> None:
        installed(repo, runner)
        repo.stage({"greet.py": GOOD + "\n\nLIMIT = 1\n"})
        repo.write("greet.py", BAD + "\n\nLIMIT = 1\n")
        repo.write("draft.py", BAD)
        done = repo.run("git", "commit", "-m", "good")
        assert done.returncode == 0, said(done)
        assert repo.read("greet.py") == (BAD + "\n\nLIMIT = 1\n").encode()
        assert repo.git("status", "--porcelain") == " M greet.py\n?? draft.py\n"

    def test_a_bad_staged_part_is_stopped_though_the_file_on_disk_is_good(
        self, repo: GitRepository, runner: str
    ) -> None:
        installed(repo, runner)
        repo.stage({"greet.py": BAD})
        repo.write("greet.py", GOOD)
        done = repo.run("git", "commit", "-m", "bad")
        assert done.returncode == 1
        assert "[ruff/F507]" in said(done)
        assert repo.staged("greet.py") == BAD.encode()
        assert repo.read("greet.py") == GOOD.encode()

    def test_commit_all_is_reviewed(self, repo: GitRepository, runner: str) -> None:
        installed(repo, runner)
        repo.write("greet.py", BAD)
        done = repo.run("git", "commit", "-a", "-m", "bad")
        assert done.returncode == 1
        assert "[ruff/F507]" in said(done)


@pytest.mark.parametrize("runner", RUNNERS)
class TestPush:
    @pytest.fixture
    def remote(self, repo: GitRepository, tmp_path: Path) -> str:
        repo.git("init", "-q", "--bare", tmp_path / "remote.git")
        repo.git("remote", "add", "origin", tmp_path / "remote.git")
        return "origin"

    def test_bad_outgoing_commits_are_stopped(self, repo: GitRepository, remote: str, runner: str) -> None:
        installed(repo, runner)
        repo.git("push", "-q", "--no-verify", remote, "main")
        repo.commit({"greet.py": BAD})
        done = repo.run("git", "push", remote, "main")
        assert done.returncode == 1
        assert "[ruff/F507]" in said(done)

    def test_a_bad_first_push_is_stopped(self, repo: GitRepository, remote: str, runner: str) -> None:
        installed(repo, runner)
        repo.commit({"bad.py": BAD})
        done = repo.run("git", "push", remote, "main")
        assert done.returncode == 1
        assert "[ruff/F507]" in said(done)
        assert repo.git("ls-remote", remote) == ""

    def test_a_good_new_branch_goes_through(self, repo: GitRepository, remote: str, runner: str) -> None:
        installed(repo, runner)
        repo.commit({"old.py": BAD})
        repo.git("push", "-q", "--no-verify", remote, "main")
        repo.git("checkout", "-q", "-b", "topic")
        repo.commit({"more.py": "LIMIT = 1\n"})
        done = repo.run("git", "push", remote, "topic")
        assert done.returncode == 0, said(done)
        assert "wardround: pass - no findings, 1 file, " in said(done)


@pytest.mark.parametrize("runner", [*RUNNERS, "git"])
class TestMerge:
    def test_a_clean_merge_of_a_bad_branch_is_stopped(self, repo: GitRepository, runner: str) -> None:
        installed(repo, runner)
        repo.git("checkout", "-q", "-b", "topic")
        repo.commit({"bad.py": "print(missing)\n"})
        repo.git("checkout", "-q", "main")
        before = repo.commit({"more.py": "LIMIT = 1\n"})
        done = repo.run("git", "merge", "--no-edit", "topic")
        assert done.returncode == 1
        assert "Undefined name `missing` [ruff/F821]" in said(done)
        assert repo.git("rev-parse", "HEAD").strip() == before


@pytest.mark.parametrize("runner", ["pre-commit", "prek"])
class TestNamedCommits:
    def test_from_ref_and_to_ref_name_the_change(self, repo: GitRepository, runner: str) -> None:
        installed(repo, runner)
        repo.commit({"more.py": "LIMIT = 1\n"})
        repo.commit({"greet.py": BAD})
        repo.stage({"staged.py": "LIMIT = 2\n"})
        bad = repo.run(runner, "run", "--from-ref", "HEAD~1", "--to-ref", "HEAD")
        assert bad.returncode == 1
        assert "[ruff/F507]" in said(bad)
        good = repo.run(runner, "run", "--from-ref", "HEAD~2", "--to-ref", "HEAD~1")
        assert good.returncode == 0, said(good)
        assert "wardround: pass - no findings, 1 file, " in said(good)

    def test_all_files_and_some_files_are_reviewed_where_nothing_is_staged(
        self, repo: GitRepository, runner: str
    ) -> None:
        installed(repo, runner)
        repo.write("greet.py", BAD)
        for options in (("--all-files",), ("--files", "greet.py")):
            done = repo.run(runner, "run", *options)
            assert done.returncode == 1
            assert "[ruff/F507]" in said(done)
        repo.git("checkout", "greet.py")
        empty = repo.run("git", "commit", "--allow-empty", "-m", "x")
        assert (empty.returncode, "tracked files" in said(empty)) == (0, False)

    def test_a_manual_run_reviews_what_is_staged(self, repo: GitRepository, runner: str) -> None:
        installed(repo, runner)
        repo.stage({"greet.py": BAD})
        done = repo.run(runner, "run", "--hook-stage", "manual", "wardround")
        assert done.returncode == 1
        assert "[ruff/F507]" in said(done)


def test_the_manifest_is_valid(repo: GitRepository) -> None:
    done = repo.run("pre-commit", "validate-manifest", MANIFEST)
    assert done.returncode == 0, said(done)


def test_the_manifest_offers_what_these_tests_use(repo: GitRepository) -> None:
    offered = MANIFEST.read_text(encoding="utf-8")
    for line in PRE_COMMIT_CONFIG.splitlines():
        if line.strip().startswith(("- id:", "entry:", "pass_filenames:", "require_serial:")):
            assert line.strip() in offered


def test_git_started_without_a_terminal_shows_plain_text(repo: GitRepository) -> None:
    repo.commit({"greet.py": GOOD})
    repo.git_hook("pre-commit", "exec wardround hook")
    repo.stage({"greet.py": BAD})
    done = repo.run("setsid", "git", "commit", "-m", "bad", env={"TERM": "", "LANG": "", "LC_ALL": ""})
    assert done.returncode == 1
    assert "[ruff/F507]" in said(done)
    assert "\x1b[" not in said(done)


RECORDS = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
RECORD_LEFTHOOK = RECORDS.partition("With lefthook:\n\n```yaml\n")[2].partition("```")[0]
RECORD_STAGES = re.findall(r"(-t) ([\w-]+)", RECORDS.partition("installed with `")[2].partition("`")[0])
RECORD_HOOKS = [
    {key: value for key, value in hook.items() if not key.startswith("minimum")} | {"language": "system"}
    for hook in yaml.safe_load(MANIFEST.read_text())
    if "(record of the commit)" in hook["name"]
]


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("mode", ["trailer", "note"])
def test_a_commit_names_the_record_of_its_review(repo: GitRepository, runner: str, mode: str) -> None:
    repo.write(".wardround.toml", f'records = {{commit = "{mode}"}}\n')
    if runner == "lefthook":
        repo.commit({"lefthook.yml": LEFTHOOK_CONFIG + RECORD_LEFTHOOK, "greet.py": GOOD})
        done = repo.run("lefthook", "install")
    else:
        config = yaml.safe_load(PRE_COMMIT_CONFIG)
        config["repos"][0]["hooks"] += RECORD_HOOKS
        repo.commit({".pre-commit-config.yaml": yaml.safe_dump(config), "greet.py": GOOD})
        options = [word for option in STAGES + RECORD_STAGES for word in option]
        done = repo.run(runner, "install", *options)
    assert done.returncode == 0, said(done)
    repo.stage({"greet.py": GOOD + "\n\ndef bye(name):\n    return name\n"})
    later = {"GIT_AUTHOR_DATE": "1950000000 +0000"}  # two commits in one second look like an amended one
    done = repo.run("git", "commit", "-m", "bye", env=later)
    assert done.returncode == 0, said(done)
    record = repo.wardround("records", "list").stdout[:12]
    message = repo.git("log", "-1", "--format=%B")
    noted = repo.run("git", "notes", "--ref=wardround", "show").stdout
    named = {"trailer": message, "note": noted}[mode]
    assert f"Wardround-Record: sha256:{record}" in named, said(done)
    assert ("Wardround-Record" in message) is (mode == "trailer")
