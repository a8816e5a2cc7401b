"""The command line: one module for each command; here errors and signals become text and exit statuses."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import click

from wardround import __version__
from wardround.cli.lazy_group import LazyGroup
from wardround.errors import PLUGIN_EXCEPTIONS, PluginLoadError, UsageError, WardroundError

USAGE = 2
INTERNAL = 5
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_COMMANDS = (
    "adapters",
    "baseline",
    "ci",
    "data",
    "dismiss",
    "doctor",
    "eval",
    "explain",
    "hook",
    "plugins",
    "related",
    "review",
    "rules",
)


class Interrupted(BaseException):
    """A signal asks the program to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@click.group(
    cls=LazyGroup,
    package=__name__,
    names=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="wardround", message="%(prog)s %(version)s")
def cli() -> None:
    """Review a change with specialists for each kind of code, locally and offline.

    Exit status: 0 pass, 1 blocked, 2 usage or configuration error, 4 inconclusive, 5 internal error.
    """


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> NoReturn:
    """Run the command line and leave with its status.

    A hook that takes a second is uninstalled, and taking the interpreter down in order is a part of that
    which nobody misses: it is not done.
    """
    warnings.simplefilter(
        "ignore"
    )  # Python warns of the text under review, of its patterns say: no news of ours
    try:
        for number in _SIGNALS:
            signal.signal(number, _interrupt)
        status = invoke()
        for number in _SIGNALS:  # the answer is known
            signal.signal(number, signal.SIG_IGN)
    except Interrupted as signalled:
        status = 128 + signalled.number
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for other in _SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # one is enough; what follows must tidy up undisturbed
    raise Interrupted(number)


def invoke(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; errors have become text on standard error."""
    try:
        answer = cli.main(args=arguments, prog_name="wardround", standalone_mode=False)
    except Interrupted as signalled:
        return 128 + signalled.number
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as mistake:
        _show_usage(mistake)
        return USAGE
    except (UsageError, PluginLoadError) as mistake:
        echo_err(f"wardround: {mistake}")
        return USAGE
    except WardroundError as trouble:
        echo_err(f"wardround: {trouble}")
        return INTERNAL
    except BrokenPipeError:  # whoever read our output is gone
        return 128 + signal.SIGPIPE
    except PLUGIN_EXCEPTIONS as crash:  # the last line of defence: never a traceback, never status 1
        if isinstance(crash, OSError) and crash.errno in _FULL:
            echo_err(f"wardround: {crash.strerror}; make room, or write elsewhere, and run it again")
            return INTERNAL
        echo_err(
            f"wardround: internal error: {type(crash).__name__}: {_redact(crash)}{_write_crash_report(crash)}"
        )
        return INTERNAL
    return answer if isinstance(answer, int) else 0


def echo_err(text: str) -> None:
    """Print one line on standard error; where that cannot be written, the exit status alone must do.

    The text may quote the change, its paths and its messages: it is escaped for a terminal and a CI log.
    """
    from wardround.text.escaping import lines_for_log, one_line

    with suppress(OSError):
        print(lines_for_log(one_line(text), os.environ), file=sys.stderr)


def _show_usage(mistake: click.ClickException) -> None:
    """Print what click says of wrong arguments, which it quotes as they were given."""
    context = mistake.ctx if isinstance(mistake, click.UsageError) else None
    if context is not None:
        echo_err(" ".join(context.get_usage().split()))
        echo_err(f"Try '{context.command_path} -h' for help.")
    echo_err(f"Error: {mistake.format_message()}")


def _redact(crash: BaseException) -> str:
    """What a crash says, without what it quotes: that may be text under review, with a secret in it."""
    import re

    unquoted = re.sub(r"""(["'`])(?:(?!\1).)*\1""", "'***'", " ".join(str(crash).split()))
    words = (
        word if re.fullmatch(r"[A-Za-z_.'(*):,;-]{1,40}|\d{1,6}[:,.]?", word) else "***"
        for word in unquoted.split()
    )
    return " ".join(words)


def _write_crash_report(crash: BaseException) -> str:
    """Write the traceback to the state folder, where the user finds it and the terminal is spared."""
    from wardround.storage.paths import state_dir

    try:
        folder = state_dir()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / "crash.txt"
        file.write_text("\n".join(_traced(crash)) + "\n", encoding="utf-8", errors="backslashreplace")
    except OSError:
        return "; please report it"
    return f"; please report it with {file}"


def _traced(crash: BaseException | None) -> list[str]:
    """The frames of an exception and of those that led to it, with what they say but for what they quote."""
    import traceback

    if crash is None:
        return []
    told = _traced(crash.__cause__ or (None if crash.__suppress_context__ else crash.__context__))
    frames = [line.rstrip("\n") for line in traceback.format_tb(crash.__traceback__)]
    return [*told, "Traceback (most recent call last):", *frames, f"{type(crash).__name__}: {_redact(crash)}"]
