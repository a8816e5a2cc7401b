"""Start, cancel and resume a training in a process of its own session.

A request names a recipe of the list and options; a command line cannot be given.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from wardround.errors import TrainingError, UsageError
from wardround_lab.dashboard.actions import training_supervisor
from wardround_lab.dashboard.actions.form_values import shown_path
from wardround_lab.dashboard.process_record import (
    TrainingProcess,
    TrainingRequest,
    read_process,
)
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.recipes import recipe_named, recipe_trouble
from wardround_lab.training.dependencies import require_extra

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}")
_START_S = 20.0
"""Maximum time until the supervisor has written its record; usually a tenth of a second."""
_LOOK_S = 0.02
_SECRETS = frozenset({"WARDROUND_DASHBOARD_PASSWORD"})


def command_line(stores: Stores, request: TrainingRequest) -> str:
    """Return the command line of a training as it is typed in a shell, in the root of the repository.

    Raises:
        UsageError: the recipe is not in the list, or the name of the run is unusable.
    """
    return shlex.join(["wardround", *_words(stores, request)])


def start_training(stores: Stores, request: TrainingRequest, environ: Mapping[str, str] = os.environ) -> Path:
    """Start a training in a new run directory and return that.

    Raises:
        UsageError: the request is invalid, the directory exists, or a part of the extra is missing.
        TrainingError: the recipe is invalid, or the process cannot be started.
    """
    _words(stores, request)
    require_extra()
    trouble = recipe_trouble(recipe_named(stores, request.recipe))
    if trouble:
        raise TrainingError(f"{request.recipe}: {trouble}")
    folder = stores.training / request.name
    try:
        folder.mkdir(parents=True)
    except FileExistsError as cause:
        raise UsageError(f"{request.name}: this run exists; resume it, or choose another name") from cause
    except OSError as cause:
        raise UsageError(f"{folder}: {cause.strerror}; choose a writable folder with --training") from cause
    _start(stores, request, environ)
    return folder


def resume_training(stores: Stores, folder: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Start the command of an interrupted training again; it goes on from its last checkpoint.

    Raises:
        UsageError: it is running, or was not started from a page.
        TrainingError: the process cannot be started.
    """
    process = _record_of(folder)
    if process.is_running:
        raise UsageError(f"{folder.name}: this training is running; cancel it first")
    name = folder.relative_to(stores.training).as_posix()
    _start(stores, msgspec.structs.replace(process.request, name=name), environ)


def cancel_training(folder: Path) -> None:
    """Interrupt a training: it ends as after Ctrl-C and can be resumed.

    Raises:
        UsageError: it is not running, or its process cannot be interrupted.
    """
    training = _record_of(folder).training
    try:
        is_sent = training is not None and training.send(signal.SIGINT)
    except OSError as cause:
        raise UsageError(f"{folder.name}: the training cannot be interrupted: {cause.strerror}") from cause
    if not is_sent:
        raise UsageError(f"{folder.name}: no process of this training is running; there is nothing to cancel")


def _words(stores: Stores, request: TrainingRequest) -> list[str]:
    if not _NAME.fullmatch(request.name):
        raise UsageError(f"{request.name!r}: a run has a name of letters, digits, dots and dashes")
    recipe, out = recipe_named(stores, request.recipe), stores.training / request.name
    words = [
        "adapters",
        "train",
        shown_path(stores.repository, recipe),
        "--out",
        shown_path(stores.repository, out),
    ]
    return [*words, *_options(request)]


def _options(request: TrainingRequest) -> Iterator[str]:
    if request.seed is not None:
        yield from ("--seed", str(request.seed))
    if request.only_train:
        yield "--only-train"


def _record_of(folder: Path) -> TrainingProcess:
    process = read_process(folder)
    if process is None:
        raise UsageError(
            f"{folder.name}: this training was not started from the dashboard; use the command line for it"
        )
    return process


def _start(stores: Stores, request: TrainingRequest, environ: Mapping[str, str]) -> None:
    folder = stores.training / request.name
    before = read_process(folder)
    encoded = msgspec.json.encode(request).decode()
    argv = [
        sys.executable, "-m", training_supervisor.__name__, str(folder), encoded,
        sys.executable, "-m", "wardround", *_words(stores, request),
    ]  # fmt: skip
    own = {name: value for name, value in environ.items() if name not in _SECRETS}
    try:
        supervisor = subprocess.Popen(
            argv, cwd=stores.repository, env=own, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    except OSError as cause:
        raise TrainingError(f"{folder.name}: the training cannot be started: {cause.strerror}") from cause
    _wait_for_record(folder, before, supervisor)
    # Waited for in a thread, so that it does not stay in the table of processes after its end.
    threading.Thread(target=supervisor.wait, daemon=True, name=f"training {folder.name}").start()


def _wait_for_record(
    folder: Path, before: TrainingProcess | None, supervisor: subprocess.Popen[bytes]
) -> None:
    """Wait until the run directory names the processes of the training.

    Raises:
        TrainingError: the supervisor ended without that.
    """
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        current = read_process(folder)
        if current is not None and current != before and current.supervisor.number == supervisor.pid:
            return
        status = supervisor.poll()
        if status == training_supervisor.ALREADY_RUNNING:
            raise UsageError(f"{folder.name}: this training is running already; look at its log")
        if status is not None:
            raise TrainingError(f"{folder}: the training was not started (status {status}); look at its disk")
        time.sleep(_LOOK_S)
    raise TrainingError(f"{folder}: the training did not start within {_START_S:g} s; look at its log")
