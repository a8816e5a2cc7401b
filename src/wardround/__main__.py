"""The door of the ``wardround`` command: what must hold before the first import that takes time."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn

_SWITCH_S = 0.001
"""Starting a tool and reading it takes the interpreter lock a dozen times. At the usual 5 ms each, a tool of
4 ms takes 60 beside checks that run meanwhile."""


def main() -> NoReturn:
    """Set the process up, then run the command line."""
    _reopen_std_streams()
    if sys.getfilesystemencoding() != "utf-8":
        _reexec_with_utf8()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a handler, an interrupt just ends it
    gc.disable()  # a review is over before a collection would pay, and loading modules triggers dozens
    sys.setswitchinterval(_SWITCH_S)
    from wardround.cli import main as run

    run()


def _reopen_std_streams() -> None:
    """Let standard streams that are closed lead nowhere: what is opened later must not take their place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  (for good)


def _reexec_with_utf8() -> NoReturn:
    """Git's paths are bytes, nearly always UTF-8: what is reported must not depend on the locale.

    It is started as it was the first time, so that no module of the folder under review takes its place.
    """
    argv = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    os.execve(sys.executable, argv, {**os.environ, "PYTHONUTF8": "1"})  # noqa: S606


if __name__ == "__main__":
    main()
