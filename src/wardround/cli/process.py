"""The process of the command line: standard streams, encoding, garbage collection, signals and exit.

No other module of the engine changes process-wide state, except that a run in the sandbox makes this process
the parent of orphaned processes. This module imports the standard library only, so that the process is set up
before slow modules are loaded.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NoReturn

_SWITCH_INTERVAL_S = 0.001
"""Starting a tool and reading its output takes the interpreter lock a dozen times. At the default of 5 ms, a
tool of 4 ms takes 60 ms while checks run."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """The program received a signal to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def set_up() -> None:
    """Prepare the process for one command."""
    _reopen_std_streams()
    if sys.getfilesystemencoding() != "utf-8":
        _reexec_with_utf8()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a handler, an interrupt ends the process
    gc.disable()  # a review is over before a collection would pay, and loading modules triggers dozens
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    warnings.simplefilter("ignore")  # Python warns about the text under review and its patterns


def collect_garbage() -> None:
    """Collect garbage again: for a process that reviews many changes."""
    gc.enable()


def run_and_exit(command: Callable[[], int]) -> NoReturn:
    """Run a command with signals as exceptions, then leave with its status.

    The interpreter is not finalised: that takes time and has no effect.
    """
    try:
        for number in _SIGNALS:
            signal.signal(number, _handle_interrupt)
        status = command()
        _ignore_signals()  # the status is known
    except Interrupted as interrupted:
        status = 128 + interrupted.number
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _handle_interrupt(number: int, frame: FrameType | None) -> None:
    _ignore_signals()  # one is enough; the clean-up must not be disturbed
    raise Interrupted(number)


def _ignore_signals() -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _reopen_std_streams() -> None:
    """Open the null device for closed standard streams, so that no other file gets their descriptor."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  (open until the exit)


def _reexec_with_utf8() -> NoReturn:
    """Start the program again in UTF-8 mode: paths are bytes, and reports must not depend on the locale.

    The interpreter gets its original arguments, so that no module of the folder under review is imported.
    """
    argv = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    os.execve(sys.executable, argv, {**os.environ, "PYTHONUTF8": "1"})  # noqa: S606
