"""The log of tries continues where a command ended, however it ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.errors import UsageError
from wardround_lab.experiments.instances.try_log import Try, TryLog
from wardround_lab.experiments.instances.verification import Reason

FIRST, SECOND = Try("a" * 40, 1, 2, 1.5, "reason"), Try("b" * 40, 1, 2, 0.5)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    log = TryLog(tmp_path / "log.jsonl", "key")
    log.append(FIRST)
    log.append(SECOND)
    return tmp_path / "log.jsonl"


def test_a_log_with_the_same_key_is_continued(file: Path) -> None:
    assert TryLog(file, "key").tries == [FIRST, SECOND]


@pytest.mark.parametrize("reason", [Reason.NO_ENVIRONMENT, Reason.UNREADABLE])
def test_what_a_network_or_a_clone_lacked_is_tried_again(file: Path, reason: Reason) -> None:
    log = TryLog(file, "key")
    log.append(Try("c" * 40, 1, 2, 0.5, reason.value))

    assert len(log.tries) == 3
    assert TryLog(file, "key").tries == [FIRST, SECOND]


def test_a_log_with_another_key_begins_again(file: Path) -> None:
    assert TryLog(file, "other").tries == []
    assert TryLog(file, "key").tries == []


@pytest.mark.parametrize("lost", [1, 30])
def test_a_line_that_a_crash_left_incomplete_is_removed(file: Path, lost: int) -> None:
    file.write_bytes(file.read_bytes()[:-lost])

    log = TryLog(file, "key")
    log.append(SECOND)

    assert log.tries == TryLog(file, "key").tries == [FIRST, SECOND]


def test_a_file_that_is_no_log_is_replaced(file: Path) -> None:
    file.write_text("something else")

    assert TryLog(file, "key").tries == []


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    log = TryLog(tmp_path / "log.jsonl", "key")
    (tmp_path / "log.jsonl").unlink()
    (tmp_path / "log.jsonl").symlink_to("/dev/full")

    with pytest.raises(UsageError, match=r"log.jsonl: No space left on device; make room, or choose"):
        log.append(FIRST)


def test_a_folder_that_does_not_exist_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or directory; make room, or choose another folder"):
        TryLog(tmp_path / "missing" / "log.jsonl", "key")
