"""Attacks on the reports: links that a change commits, and files at the paths of reports."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import ci_runs
from tests.ci_runs import Event, Runner
from tests.conftest import GitRepository

PRECIOUS = "precious\n"
REPORTS = [
    "issues.json", "planes.xml", "report.html", "report.json", "report.md", "report.sarif", "report.txt",
    "review.intoto.jsonl",
]  # fmt: skip


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file outside the repository, in a folder a link can lead to."""
    (tmp_path / "outside").mkdir()
    file = tmp_path / "outside" / "victim"
    file.write_text(PRECIOUS)
    return file


def _file_link(repo: GitRepository, victim: Path) -> None:
    (repo.root / "reports").mkdir()
    (repo.root / "reports" / "report.txt").symlink_to("../../outside/victim")


def _dangling_file_link(repo: GitRepository, victim: Path) -> None:
    (repo.root / "reports").mkdir()
    (repo.root / "reports" / "report.txt").symlink_to("../../outside/created")


def _directory_link(repo: GitRepository, victim: Path) -> None:
    (repo.root / "reports").symlink_to("../outside")
    (victim.parent / "report.txt").write_text(PRECIOUS)


def _link_above(repo: GitRepository, victim: Path) -> None:
    (repo.root / "build").symlink_to("../outside")
    (repo.root / "reports").symlink_to("build/made")


def _chain(repo: GitRepository, victim: Path) -> None:
    (repo.root / "a").symlink_to("b")
    (repo.root / "b").symlink_to("../outside")
    (repo.root / "reports").symlink_to("a")


def _link_to_its_own_parent(repo: GitRepository, victim: Path) -> None:
    (repo.root / "reports").symlink_to(".")
    (repo.root / "report.txt").symlink_to(victim)


def _loop(repo: GitRepository, victim: Path) -> None:
    (repo.root / "reports").symlink_to("reports")


def _git_hook(repo: GitRepository, victim: Path) -> None:
    (repo.root / "reports").symlink_to(".git/hooks")


LINKS = [
    _file_link, _dangling_file_link, _directory_link, _link_above, _chain, _link_to_its_own_parent, _loop,
    _git_hook,
]  # fmt: skip
Attack = Callable[[GitRepository, Path], None]


def _outside(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "outside"
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("plant", LINKS, ids=lambda attack: attack.__name__.strip("_"))
def test_a_report_does_not_follow_a_link_of_the_change(
    repo: GitRepository, victim: Path, tmp_path: Path, plant: Attack
) -> None:
    repo.commit({"a.txt": "a\n"})
    (repo.root / ".git/hooks").mkdir()
    plant(repo, victim)
    repo.commit({"b.txt": "b\n"})
    before, tree = _outside(tmp_path), repo.fingerprint()
    hooks = sorted(os.listdir(repo.root / ".git/hooks"))

    done = repo.wardround("review", "--base", "HEAD~1", "--format", "text=reports/report.txt")

    assert (_outside(tmp_path), repo.fingerprint()) == (before, tree)
    assert sorted(os.listdir(repo.root / ".git/hooks")) == hooks
    assert done.returncode == 2
    (sentence,) = done.stderr.splitlines()
    assert "is a symbolic link inside the repository under review" in sentence


@pytest.mark.parametrize("plant", LINKS, ids=lambda attack: attack.__name__.strip("_"))
def test_a_report_directory_is_not_made_behind_a_link_of_the_change(
    repo: GitRepository, victim: Path, tmp_path: Path, plant: Attack
) -> None:
    base = repo.commit({"a.txt": "a\n"})
    plant(repo, victim)
    head = repo.commit({"b.txt": "b\n"})
    before, tree = _outside(tmp_path), repo.fingerprint()

    ran = Runner(tmp_path / "runner").run(
        repo.root, Event.push(base, head), {"reports-dir": str(repo.root / "reports")}
    )

    assert ran.done.returncode == 2, ran.done.stderr
    assert (_outside(tmp_path), repo.fingerprint()) == (before, tree)


@pytest.mark.parametrize("command", ["baseline", "dismiss"])
@pytest.mark.parametrize("where", ["directory", "file"])
def test_a_baseline_is_not_written_through_a_link(
    repo: GitRepository, victim: Path, tmp_path: Path, command: str, where: str
) -> None:
    repo.stage({"pyproject.toml": '[tool.wardround]\nbaseline = "conf/base.json"\n', "app.py": "print(x)\n"})
    if where == "directory":
        (repo.root / "conf").symlink_to("../outside")
    else:
        (repo.root / "conf").mkdir()
        for name in ("base.json", "base.dismissed.json", ".wardround-dismissed.json"):
            (repo.root / "conf" / name).symlink_to("../../outside/victim")
    before = _outside(tmp_path)
    if command == "baseline":
        repo.wardround("baseline", "write")
    else:
        shown = repo.report("--staged", "--only", "python")["findings"][0]["fingerprint"]
        repo.wardround("dismiss", shown, "--reason", "because")
    assert _outside(tmp_path) == before


def test_links_of_the_user_outside_the_repository_are_followed(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit()
    repo.commit({"b.txt": "b\n"})
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to("disk")
    (tmp_path / "disk" / "old.txt").write_text(PRECIOUS)
    (tmp_path / "latest.txt").symlink_to("link/old.txt")
    for name in ("link/new/report.txt", "latest.txt"):
        done = repo.wardround("review", "--base", "HEAD~1", "--format", f"text={tmp_path / name}")
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).read_text().splitlines()[-1].startswith("wardround: pass")
    assert (tmp_path / "latest.txt").is_symlink()


def test_a_report_may_go_to_a_device_and_over_an_older_report(repo: GitRepository) -> None:
    repo.commit()
    repo.commit({"b.txt": "b\n"})
    done = repo.wardround("review", "--base", "HEAD~1", "--format", "text=/dev/stdout")
    assert done.stdout.splitlines()[-1].startswith("wardround: pass"), done.stderr
    for _ in range(2):
        done = repo.wardround("review", "--base", "HEAD~1", "--format", "text=out/report.txt")
        assert done.returncode == 0, done.stderr
    assert repo.read("out/report.txt").splitlines()[-1].startswith(b"wardround: pass")


def test_a_fix_is_not_written_behind_a_link(repo: GitRepository, victim: Path) -> None:
    source = "import os\nx = 1\n"
    repo.commit({"a.txt": "a\n"})
    repo.stage({"src/app.py": source})
    (repo.root / "src" / "app.py").unlink()
    (repo.root / "src").rmdir()
    (repo.root / "src").symlink_to("../outside")
    (victim.parent / "app.py").write_text(source)
    repo.wardround("review", "--fix", "--only", "python")
    assert (victim.parent / "app.py").read_text() == source


@pytest.mark.parametrize("content", ["# all green\n", "::add-mask::x\n"], ids=["markdown", "command"])
def test_committed_reports_become_neither_the_summary_nor_the_artifact(
    repo: GitRepository, tmp_path: Path, content: str
) -> None:
    base = repo.commit({"a.txt": "a\n"})
    folders = ("wardround-reports", "reports", "wardround/reports")
    head = repo.commit({f"{folder}/{name}": content for folder in folders for name in REPORTS})
    ran = Runner(tmp_path / "runner").run(repo.root, Event.push(base, head))
    assert ran.done.returncode == 0, ran.done.stderr
    assert content.strip() not in ran.summary + ran.done.stdout
    assert ran.summary.splitlines()[-1].startswith("wardround: pass")
    assert [path.name for path in ran.uploaded] == REPORTS
    assert not any(path.is_relative_to(repo.root) for path in ran.uploaded)
    assert all(content not in path.read_text() for path in ran.uploaded)


def test_a_report_directory_that_is_in_use_is_rejected(repo: GitRepository, tmp_path: Path) -> None:
    base, head = repo.commit(), repo.commit({"b.txt": "b\n"})
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "report.txt").write_text(PRECIOUS)
    ran = Runner(ci_runs.fresh(tmp_path)).run(
        repo.root, Event.push(base, head), {"reports-dir": str(tmp_path / "used")}
    )
    assert ran.done.returncode == 2
    assert "is not an empty directory of this user alone" in ran.done.stderr
    assert (tmp_path / "used" / "report.txt").read_text() == PRECIOUS
