"""An interrupted review does not wait for its running programs."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import SCRIPTS, GitRepository

GIT_TAKES_S = 70
ENDS_WITHIN_S = 60


@pytest.fixture
def slow_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make git slow for the diff; the file exists once git was called."""
    requested = tmp_path / "asked"
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(
        f'#!/bin/sh\ncase "$*" in *" diff "*) touch {requested}; exec sleep {GIT_TAKES_S} ;; esac\n'
        f'PATH="{os.environ["PATH"]}" exec git "$@"\n'
    )
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
    return requested


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_review_that_waits_for_git_ends_at_once(
    repo: GitRepository, slow_git: Path, number: signal.Signals, status: int
) -> None:
    repo.stage({"a.py": "x = 1\n"})
    review = subprocess.Popen([SCRIPTS / "wardround", "review"], cwd=repo.root, stdout=subprocess.PIPE)
    while not slow_git.exists():
        assert review.poll() is None
        time.sleep(0.01)
    review.send_signal(number)
    assert review.wait(ENDS_WITHIN_S) == status
    assert review.communicate() == (b"", None)
