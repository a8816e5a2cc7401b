"""If there is much to check, idle cores run a part of it; the messages do not depend on it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from wardround_docker_ci.specialist import DockerCiSpecialist

from wardround import languages, lazy
from wardround.execution import check_keys

if TYPE_CHECKING:
    from tests.conftest import GitRepository

_ROOT = Path(__file__).parents[2]
_FILES = 40
_LONG = "a line of a file that is long enough to be worth another process\n" * 60


def _command(repo: GitRepository, cores: int, manner: str) -> list[str]:
    return [sys.executable, "-m", "tests.execution.reviewed_by_many", str(repo.root), str(cores), manner]


def _environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PID_FILE": str(tmp_path / "pid")}


def _said(repo: GitRepository, tmp_path: Path, cores: int, manner: str = "") -> list[str]:
    """Return the messages of a review without cached results for these files, one per line."""
    done = subprocess.run(
        _command(repo, cores, manner), cwd=_ROOT, env=_environment(tmp_path / f"{cores}{manner}"),
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def _impersonal(lines: list[str]) -> list[str]:
    return [line.replace("another", "first") for line in lines]


@pytest.fixture
def much(repo: GitRepository) -> GitRepository:
    """Many long files, staged, each with a committed version."""
    for number in range(_FILES):
        repo.write(f"part{number}.acme", f"before {number}\n")
    repo.commit()
    for number in range(_FILES):
        repo.write(f"part{number}.acme", f"{_LONG}{number}\n")
    repo.stage()
    return repo


needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="other systems are not forked on")


@needs_fork
def test_other_processes_look_at_files_and_at_the_whole(much: GitRepository, tmp_path: Path) -> None:
    reported = _said(much, tmp_path, cores=4)
    by_others = [line for line in reported if " another " in line]
    assert any("ACME001" in line for line in by_others)
    assert any("ACME002" in line for line in by_others)


def test_what_is_reported_is_the_same_on_one_core_and_on_many(much: GitRepository, tmp_path: Path) -> None:
    alone = _said(much, tmp_path, cores=1)
    assert len(alone) == _FILES + 2
    assert not any(" another " in line for line in alone)
    assert alone == _impersonal(_said(much, tmp_path, cores=2)) == _impersonal(_said(much, tmp_path, cores=4))


@pytest.mark.parametrize("manner", ["killed", "refused"])
def test_what_no_other_process_answers_is_inspected_here(
    much: GitRepository, tmp_path: Path, manner: str
) -> None:
    assert _said(much, tmp_path, cores=4, manner=manner) == _said(much, tmp_path, cores=1)


def test_a_small_change_is_left_to_one_process(repo: GitRepository, tmp_path: Path) -> None:
    repo.write("one.acme", "a line\n")
    repo.stage()
    assert not any(" another " in line for line in _said(repo, tmp_path, cores=4))


@pytest.mark.parametrize(
    "size", [pytest.param(1, marks=needs_fork, id="in one call"), pytest.param(0, id="in steps")]
)
@pytest.mark.parametrize("cores", [1, 4])
def test_a_file_whose_checks_take_too_long_is_unreviewed_and_the_others_are_not(
    much: GitRepository, tmp_path: Path, size: int, cores: int
) -> None:
    much.write("slow.acme", "slow\n" + _LONG * 10 * size)
    much.stage()
    reported = _said(much, tmp_path, cores, "slow")
    assert reported[-2:] == ["unreviewed slow.acme its checks took longer than 0.5 s", "unreviewed 1"]
    assert sum("ACME001" in line for line in reported) == _FILES
    assert not any(line.startswith("slow.acme ACME001") for line in reported)


@pytest.mark.parametrize(
    "cores", [pytest.param(1, id="here"), pytest.param(4, marks=needs_fork, id="killed")]
)
def test_a_change_whose_checks_take_too_long_is_unreviewed_and_its_files_are_not(
    much: GitRepository, tmp_path: Path, cores: int
) -> None:
    reported = _said(much, tmp_path, cores, "slow-change")
    assert reported[-2:] == [
        "unreviewed part0.acme its checks of the whole change took longer than 0.5 s",
        "unreviewed 1",
    ]
    assert sum("ACME001" in line for line in reported) == _FILES


@needs_fork
def test_an_interrupted_review_leaves_no_process_behind(much: GitRepository, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    deadline = time.monotonic() + 30
    with subprocess.Popen(
        _command(much, 2, "stuck"), cwd=_ROOT, env=_environment(tmp_path), stderr=subprocess.DEVNULL
    ) as review:
        while not (noted.is_file() and noted.read_text().strip()) and time.monotonic() < deadline:
            time.sleep(0.02)
        helper = int(noted.read_text())
        review.send_signal(signal.SIGINT)
        assert review.wait(timeout=30) != 0
    with pytest.raises(ProcessLookupError):
        os.kill(helper, 0)


@pytest.mark.parametrize("reader", ["shell.py", "python/tree.py", "yaml/tree.py"])
def test_checks_run_again_when_a_reader_they_share_changes(
    reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results in the cache are for the code that returned them."""
    stamps: dict[str, str] = {}
    monkeypatch.setattr(lazy, "file_stamp", lambda file: stamps.get(file, ""))
    monkeypatch.setattr(check_keys, "package_state", lazy.package_state.__wrapped__)
    before = check_keys.code_identity(DockerCiSpecialist())
    stamps[str(Path(languages.__file__).parent / reader)] = "changed"

    assert check_keys.code_identity(DockerCiSpecialist()) != before
