"""The process above a training: it survives the page and the server, and records how the training ended.

``python -m wardround_lab.dashboard.actions.training_supervisor RUN_DIRECTORY REQUEST PROGRAM...`` runs the
program in the working directory, with its output in the log of the run directory.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import msgspec

from wardround_lab.dashboard.process_record import (
    LOG_FILE,
    TrainingProcess,
    TrainingRequest,
    identity_of,
    own_identity,
    write_process,
)

ALREADY_RUNNING = 75  # EX_TEMPFAIL of sysexits.h
_NOT_FOUND = 127  # as a shell reports it


def supervise(folder: Path, request: TrainingRequest, argv: Sequence[str]) -> int:
    """Run a training to its end, and return the status of this process."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return ALREADY_RUNNING
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):  # a training that ends is recorded here
        signal.signal(number, _go_on)
    record = TrainingProcess(request=request, began=_now(), supervisor=own_identity())
    write_process(folder, record)
    write_process(folder, _run(folder, argv, record, lock))
    return 0


def _run(folder: Path, argv: Sequence[str], record: TrainingProcess, lock: int) -> TrainingProcess:
    """Run the training and return the record of its end; it holds the lock as long as it lives."""
    with (folder / LOG_FILE).open("ab") as log:
        try:
            training = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(lock,)
            )
        except OSError as cause:
            trouble = f"{argv[0]}: {cause.strerror}"
            return msgspec.structs.replace(record, status=_NOT_FOUND, ended=_now(), trouble=trouble)
    record = msgspec.structs.replace(record, training=identity_of(training.pid))
    write_process(folder, record)
    return msgspec.structs.replace(record, status=training.wait(), ended=_now())


def _go_on(number: int, frame: FrameType | None) -> None:
    """Leave a signal to the training, which has its own handler."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


if __name__ == "__main__":
    run_directory, encoded, *program = sys.argv[1:]
    sys.exit(supervise(Path(run_directory), msgspec.json.decode(encoded, type=TrainingRequest), program))
