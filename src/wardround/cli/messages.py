"""Messages for people on standard error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def echo_err(text: str) -> None:
    """Print one line on standard error; if that fails, only the exit status reports the error.

    The message may quote the change, its paths and its messages: it is escaped for a terminal and a CI log.
    """
    from wardround.own_command import use_own_command
    from wardround.text.escaping import lines_for_log, one_line

    with suppress(OSError):
        print(lines_for_log(one_line(use_own_command(text)), os.environ), file=sys.stderr)
