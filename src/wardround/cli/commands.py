"""The group of all commands; here errors and signals become messages and exit statuses."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence

import click

from wardround import __version__
from wardround.cli import completion
from wardround.cli.crash_report import redact, write_crash_report
from wardround.cli.lazy_group import PluginCommandGroup
from wardround.cli.messages import echo_err
from wardround.cli.process import Interrupted
from wardround.errors import PLUGIN_EXCEPTIONS, PluginLoadError, UsageError, WardroundError

USAGE = 2
INTERNAL = 5
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@click.group(
    cls=PluginCommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="wardround", message="%(prog)s %(version)s")
def cli() -> None:
    """Review a change with specialists for each kind of code, locally and offline.

    Exit status: 0 pass, 1 blocked, 2 usage or configuration error, 4 inconclusive, 5 internal error.
    """


def invoke(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; errors become text on standard error."""
    if (problem := _folder_problem()) is not None:
        echo_err(f"wardround: the current folder cannot be used ({problem}); change into one that exists")
        return USAGE
    try:
        if completion.is_requested(sys.argv[1:] if arguments is None else arguments):
            return completion.respond(cli)
        result = cli.main(args=arguments, prog_name="wardround", standalone_mode=False, complete_var="")
    except Interrupted as interrupted:
        return 128 + interrupted.number
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as without_command:
        without_command.show()
        return USAGE
    except click.ClickException as mistake:
        _show_usage(mistake)
        return USAGE
    except (UsageError, PluginLoadError) as mistake:
        echo_err(f"wardround: {mistake}")
        return USAGE
    except WardroundError as error:
        echo_err(f"wardround: {error}")
        return INTERNAL
    except PLUGIN_EXCEPTIONS as crash:  # the last line of defence: never a traceback, never status 1
        if _is_closed_pipe(crash):
            return 128 + signal.SIGPIPE
        _show_crash(crash)
        return INTERNAL
    return result if isinstance(result, int) else 0


def _folder_problem() -> str | None:
    """Return the reason why the current folder has no path: it was removed, or may not be read."""
    try:
        os.getcwd()
    except OSError as cause:
        return cause.strerror or str(cause)
    return None


def _is_closed_pipe(crash: BaseException) -> bool:
    """Return True if the reader of our output has closed it, which click answers by leaving with 1."""
    cause = crash.__context__ if isinstance(crash, SystemExit) else crash
    return isinstance(cause, BrokenPipeError)


def _show_crash(crash: BaseException) -> None:
    if isinstance(crash, OSError) and crash.errno in _DISK_FULL:
        echo_err(f"wardround: {crash.strerror}; make room, or write elsewhere, and run it again")
        return
    report = write_crash_report(crash)
    echo_err(f"wardround: internal error: {type(crash).__name__}: {redact(crash)}{report}")


def _show_usage(mistake: click.ClickException) -> None:
    """Print click's message about wrong arguments, which quotes them unchanged."""
    context = mistake.ctx if isinstance(mistake, click.UsageError) else None
    if context is not None:
        echo_err(" ".join(context.get_usage().split()))
        echo_err(f"Try '{context.command_path} -h' for help.")
    echo_err(f"Error: {mistake.format_message()}")
