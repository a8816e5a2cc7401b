"""Fixes are applied to index and work tree separately; unstaged changes survive, whenever a run is killed."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wardround import host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.findings import Edit, Span, SuggestedFix
from wardround.fixes import journal
from wardround.fixes.apply import fix
from wardround.fixes.journal import IndexEntry, Journal, WorktreeFile
from wardround.review import review_once
from wardround.review_result import ReviewResult

if TYPE_CHECKING:
    from tests.conftest import GitRepository

ODD = """\
def same(name):
    return name is "root"


def label(count):
    return str(count)
"""
MENDED = ODD.replace("is", "==")
UNSAFE = "def add(item, to=[]):\n    to.append(item)\n    return to\n"


def fixing(repo: GitRepository, *arguments: str) -> subprocess.CompletedProcess[str]:
    return repo.wardround("review", "--staged", "--fix", *arguments)


def state_folder(repo: GitRepository) -> Path:
    with Repository(repo.root) as repository:
        return journal.folder_of(repository)


def reviewed(repository: Repository, *, staged: bool = True) -> ReviewResult:
    change = repository.staged_change() if staged else repository.worktree()
    origin = GitChangeSource(repository, change)
    return review_once(origin, host.load(), ReviewRequest())


def with_fix(done: ReviewResult, edit: Edit) -> ReviewResult:
    """A review whose first finding suggests this fix."""
    first, *rest = done.findings
    return replace(done, findings=(replace(first, suggested_fix=SuggestedFix("edit", True, (edit,))), *rest))


def breakage(path: str, before: str, after: str) -> str | None:
    return host.load().breakage(path, before, after)


class TestSafeFixes:
    def test_they_are_made_in_index_and_work_tree(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD})
        done = fixing(repo)
        assert done.returncode == 0, done.stdout
        assert done.stderr == f"fixed 1 in a.py; as a patch: {state_folder(repo)}/last-fix.patch\n"
        assert repo.staged("a.py") == repo.read("a.py") == MENDED.encode()
        assert repo.git("status", "--porcelain") == "A  a.py\n"

    def test_the_patch_is_retained_and_can_be_taken_back(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD})
        fixing(repo)
        patch = (state_folder(repo) / "last-fix.patch").read_text(encoding="utf-8")
        assert '-    return name is "root"\n+    return name == "root"\n' in patch
        repo.git("apply", "--reverse", stdin=patch.encode())
        repo.git("apply", "--reverse", "--cached", stdin=patch.encode())
        assert repo.staged("a.py") == repo.read("a.py") == ODD.encode()

    def test_an_unsafe_fix_is_shown_and_not_made(self, repo: GitRepository) -> None:
        repo.stage({"a.py": UNSAFE})
        before = repo.fingerprint()
        done = fixing(repo, "--all")
        assert "(unsafe; check it first)" in " ".join(done.stdout.split())
        assert repo.fingerprint() == before

    def test_an_old_defect_is_unchanged(self, repo: GitRepository) -> None:
        repo.commit({"a.py": ODD})
        repo.stage({"a.py": ODD + "\n\nLIMIT = 1\n"})
        fixing(repo)
        assert repo.staged("a.py") == (ODD + "\n\nLIMIT = 1\n").encode()

    def test_several_files_are_mended_in_one_go(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD, "b.py": ODD, "c.py": "import os\n\n\nLIMIT = 1\n"})
        done = fixing(repo)
        assert done.stderr.startswith("fixed 3 in a.py, b.py, c.py; ")
        assert repo.staged("c.py") == repo.read("c.py") == b"\n\nLIMIT = 1\n"

    def test_without_any_fix_nothing_is_written(self, repo: GitRepository) -> None:
        repo.stage({"a.py": MENDED})
        before = repo.fingerprint()
        done = fixing(repo)
        assert (done.returncode, done.stderr) == (0, "")
        assert repo.fingerprint() == before
        assert not state_folder(repo).exists()

    def test_mode_and_links_survive(self, repo: GitRepository) -> None:
        file = repo.write("a.py", "#!/usr/bin/env python3\n" + ODD)
        file.chmod(0o755)
        repo.stage()
        fixing(repo)
        assert file.stat().st_mode & 0o777 == 0o755
        assert repo.git("ls-files", "--stage", "a.py").startswith("100755 ")
        assert repo.staged("a.py") == repo.read("a.py") == ("#!/usr/bin/env python3\n" + MENDED).encode()

    def test_a_name_that_is_not_utf8_is_not_a_obstacle(self, repo: GitRepository) -> None:
        path = os.fsdecode(b"caf\xe9 -x.py")
        repo.stage({path: ODD})
        done = fixing(repo)
        assert done.returncode == 0, done.stderr
        assert repo.staged(path) == repo.read(path) == MENDED.encode()

    def test_only_the_work_tree_is_mended_for_a_review_of_it(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD})
        repo.write("a.py", ODD + "\n\nLIMIT = 1\n")
        repo.write("untracked.py", ODD)
        done = repo.wardround("review", "--worktree", "--fix")
        assert done.stderr.startswith("fixed 2 in a.py, untracked.py; ")
        assert repo.read("a.py") == (MENDED + "\n\nLIMIT = 1\n").encode()
        assert repo.read("untracked.py") == MENDED.encode()
        assert repo.staged("a.py") == ODD.encode()

    def test_fixes_that_overlap_wait_for_the_next_run(self, repo: GitRepository) -> None:
        repo.stage({"a.py": "import os, sys\nprint('x')\n"})
        fixing(repo)
        assert repo.staged("a.py") == repo.read("a.py")
        assert b"os" not in repo.read("a.py") or b"sys" not in repo.read("a.py")
        assert b"print('x')\n" in repo.read("a.py")


class TestUnstagedEdits:
    def test_an_unstaged_hunk_next_to_the_fix_stays_unstaged(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD})
        repo.write("a.py", ODD.replace("str(count)", "str(count) + '!'"))
        done = fixing(repo)
        assert done.returncode == 0, done.stderr
        assert repo.staged("a.py") == MENDED.encode()
        assert repo.read("a.py") == MENDED.replace("str(count)", "str(count) + '!'").encode()

    def test_an_unstaged_edit_of_the_same_line_rejects_the_fix(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD})
        repo.write("a.py", ODD.replace('"root"', '"admin"'))
        before = repo.fingerprint()
        done = fixing(repo)
        reason = "unstaged edits touch the same lines; stage or stash them"
        assert done.stderr == f"not fixed: a.py: {reason}\n"
        assert repo.fingerprint() == before

    def test_a_refused_file_does_not_hold_back_another(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD, "b.py": ODD})
        repo.write("a.py", ODD.replace('"root"', '"admin"'))
        done = fixing(repo)
        assert "not fixed: a.py: " in done.stderr
        assert "fixed 1 in b.py; " in done.stderr
        assert repo.staged("a.py") == ODD.encode()
        assert repo.staged("b.py") == repo.read("b.py") == MENDED.encode()

    def test_a_file_removed_from_disk_is_mended_in_the_index_alone(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD})
        (repo.root / "a.py").unlink()
        fixing(repo)
        assert repo.staged("a.py") == MENDED.encode()
        assert not (repo.root / "a.py").exists()

    def test_a_link_instead_of_the_file_is_not_followed(self, repo: GitRepository, tmp_path: Path) -> None:
        (tmp_path / "elsewhere.py").write_text(ODD, encoding="utf-8")
        repo.stage({"a.py": ODD})
        (repo.root / "a.py").unlink()
        (repo.root / "a.py").symlink_to(tmp_path / "elsewhere.py")
        fixing(repo)
        assert repo.staged("a.py") == MENDED.encode()
        assert (repo.root / "a.py").is_symlink()
        assert (tmp_path / "elsewhere.py").read_text(encoding="utf-8") == ODD

    def test_the_line_ends_of_the_work_tree_stay(self, repo: GitRepository) -> None:
        repo.git("config", "core.autocrlf", "true")
        repo.write("a.py", ODD.replace("\n", "\r\n"))
        repo.git("add", "a.py")
        repo.write("a.py", ODD.replace("\n", "\r\n").replace("str(count)", "repr(count)"))
        done = fixing(repo)
        assert done.returncode == 0, done.stderr
        assert repo.staged("a.py") == MENDED.encode()
        assert repo.read("a.py") == MENDED.replace("\n", "\r\n").replace("str(count)", "repr(count)").encode()

    def test_committed_carriage_returns_stay(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD.replace("\n", "\r\n")})
        fixing(repo)
        assert repo.staged("a.py") == repo.read("a.py") == MENDED.replace("\n", "\r\n").encode()

    @pytest.mark.parametrize("side", ["--staged", "--worktree"])
    def test_a_byte_order_mark_is_retained_by_leaving_the_file_alone(
        self, repo: GitRepository, side: str
    ) -> None:
        repo.stage({"a.py": b"\xef\xbb\xbf" + ODD.encode()})
        before = repo.fingerprint()
        done = repo.wardround("review", side, "--fix")
        assert "not fixed: a.py: it starts with a byte order mark" in done.stderr
        assert repo.fingerprint() == before

    def test_an_edit_made_after_the_review_is_not_overwritten(self, repo: GitRepository) -> None:
        repo.write("a.py", ODD)
        with Repository(repo.root) as repository:
            done = reviewed(repository, staged=False)
            repo.write("a.py", "EDITED = 1\n\n\n" + ODD)
            fixed = fix(repository, done, breakage)
        assert fixed.files == ()
        assert fixed.refused[0].startswith("a.py: ")
        assert repo.read("a.py") == ("EDITED = 1\n\n\n" + ODD).encode()


class TestRefusals:
    def test_a_fix_that_would_not_parse(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD})
        before = repo.fingerprint()
        with Repository(repo.root) as repository:
            broken = with_fix(reviewed(repository), Edit("a.py", Span(2, 5, 2, 11), "return ("))
            fixed = fix(repository, broken, breakage)
        assert fixed.files == ()
        (reason,) = fixed.refused
        assert reason.startswith("a.py: the fixed file would not parse (")
        assert repo.fingerprint() == before

    def test_a_commit_cannot_be_changed(self, repo: GitRepository) -> None:
        repo.commit({"a.py": MENDED})
        repo.commit({"a.py": ODD})
        done = repo.wardround("review", "--base", "HEAD~1", "--fix")
        assert (done.returncode, done.stdout) == (2, "")
        reason = "--fix needs --staged, --worktree or --all-files; a commit cannot be changed"
        assert done.stderr == f"wardround: {reason}\n"

    @pytest.mark.skipif(sys.platform == "darwin", reason="/proc is Linux's")
    def test_a_state_folder_that_cannot_be_written(self, repo: GitRepository) -> None:
        repo.stage({"a.py": ODD})
        before = repo.fingerprint()
        done = repo.wardround("review", "--staged", "--fix", env={"XDG_STATE_HOME": "/proc/nowhere"})
        assert done.returncode not in (0, 1)
        assert "cannot be written" in done.stderr
        assert "nothing was changed" in done.stderr
        assert "Traceback" not in done.stderr
        assert repo.fingerprint() == before


class TestKilledRuns:
    def begun(self, repo: GitRepository) -> None:
        """Create the state of a run that is killed directly after writing its journal."""
        repo.stage({"a.py": ODD})
        repo.write("a.py", ODD + "\n\nUNSTAGED = 1\n")
        with Repository(repo.root) as repository:
            old = repository.staged_blob("a.py")
            assert old is not None
            entry = IndexEntry("a.py", "100644", old, repository.write_blob(MENDED.encode()))
            file = WorktreeFile("a.py", journal.digest(repo.read("a.py")), "content-0")
            log = Journal(str(repository.root), str(repository.index_file), (entry,), (file,))
            journal.begin(repository, log, {"content-0": (MENDED + "\n\nUNSTAGED = 1\n").encode()})

    def test_the_next_fix_completes_what_was_begun(self, repo: GitRepository) -> None:
        self.begun(repo)
        assert repo.staged("a.py") == ODD.encode()
        assert fixing(repo).returncode == 0
        assert repo.staged("a.py") == MENDED.encode()
        assert repo.read("a.py") == (MENDED + "\n\nUNSTAGED = 1\n").encode()
        assert sorted(p.name for p in state_folder(repo).iterdir()) == []

    def test_a_run_killed_between_work_tree_and_index_is_completed(self, repo: GitRepository) -> None:
        self.begun(repo)
        repo.write("a.py", MENDED + "\n\nUNSTAGED = 1\n")
        assert fixing(repo).returncode == 0
        assert repo.staged("a.py") == MENDED.encode()

    def test_two_fixes_of_one_repository_do_not_mix(self, repo: GitRepository) -> None:
        self.begun(repo)
        before = repo.fingerprint()
        held = os.open(state_folder(repo), os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)  # as another one that is writing
            done = fixing(repo)
        finally:
            os.close(held)
        assert done.returncode not in (0, 1)
        assert "another review --fix is running" in done.stderr
        assert repo.fingerprint() == before
        assert fixing(repo).returncode == 0
        assert repo.staged("a.py") == MENDED.encode()

    def test_a_plain_review_is_reported(self, repo: GitRepository) -> None:
        self.begun(repo)
        line = "wardround: an earlier --fix was interrupted; wardround review --fix completes it\n"
        assert line in repo.wardround("review").stderr
        repo.wardround("review", "--fix")
        assert line not in repo.wardround("review").stderr

    def test_another_clone_in_the_same_place_is_unchanged(self, repo: GitRepository) -> None:
        self.begun(repo)
        shutil.rmtree(repo.root / ".git")
        repo.git("init", "-q")
        repo.stage()
        before = repo.read("a.py")
        assert "interrupted" not in repo.wardround("review").stderr
        with Repository(repo.root) as repository:
            assert journal.recover(repository) == ["a.py"]
        assert repo.read("a.py") == before
        assert not (state_folder(repo) / "journal.json").exists()

    def test_a_review_without_fix_writes_nothing_of_it(self, repo: GitRepository) -> None:
        self.begun(repo)
        before = repo.fingerprint()
        repo.wardround("review")
        assert repo.fingerprint() == before

    def test_a_file_edited_since_is_left_as_it_is(self, repo: GitRepository) -> None:
        self.begun(repo)
        edited = ODD.replace('"root"', '"admin"')
        repo.write("a.py", edited)
        done = fixing(repo)
        assert "a.py: an unfinished fix was dropped, since the file or the clone has changed\n" in done.stderr
        assert repo.read("a.py") == edited.encode()
        assert repo.staged("a.py") == ODD.encode()

    def test_a_damaged_journal_is_named(self, repo: GitRepository) -> None:
        self.begun(repo)
        (state_folder(repo) / "journal.json").write_text("{", encoding="utf-8")
        before = repo.fingerprint()
        done = fixing(repo)
        assert done.returncode not in (0, 1)
        assert "journal.json is damaged: " in done.stderr
        assert done.stderr.endswith("; remove it\n")
        assert repo.fingerprint() == before

    def test_a_journal_without_its_contents_is_named(self, repo: GitRepository) -> None:
        self.begun(repo)
        (state_folder(repo) / "content-0").unlink()
        before = repo.fingerprint()
        done = fixing(repo)
        assert done.returncode not in (0, 1)
        assert "content-0: No such file or directory; fix that and run it again, or remove " in done.stderr
        assert repo.fingerprint() == before

    def test_a_kill_at_any_moment_leaves_the_old_text_or_the_new(self, repo: GitRepository) -> None:
        """Staged and unstaged content are either the old or the new one, and the next run completes the
        new one.
        """
        unstaged = "\n\nUNSTAGED = 1\n"
        files = [f"m{number}.py" for number in range(8)]
        chance = random.Random(1)
        fixing(repo)  # the rules are in the cache from here on
        cut = 0
        for _ in range(12):
            repo.stage(dict.fromkeys(files, ODD))
            for file in files:
                repo.write(file, ODD + unstaged)
            process = subprocess.Popen(
                [Path(sys.executable).with_name("wardround"), "review", "--staged", "--fix"],
                cwd=repo.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            time.sleep(chance.uniform(0.1, 0.6))
            process.send_signal(signal.SIGKILL)
            cut += process.wait() == -signal.SIGKILL
            for file in files:
                assert repo.staged(file).decode() in (ODD, MENDED)
                assert repo.read(file).decode() in (ODD + unstaged, MENDED + unstaged)
            (repo.root / ".git/index.lock").unlink(missing_ok=True)
            assert fixing(repo).returncode == 0
            for file in files:
                assert repo.staged(file).decode() == MENDED
                assert repo.read(file).decode() == MENDED + unstaged
            assert repo.git("ls-files", "--others") == ""
        assert cut > 0
