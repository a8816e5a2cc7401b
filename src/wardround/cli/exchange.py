from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.change_options import (
    base_option,
    config_from_option,
    config_option,
    fail_level_option,
    head_option,
    profile_option,
    repo_option,
    staged_option,
    worktree_option,
)
from wardround.cli.messages import echo_err
from wardround.cli.policy_floor import policy_floor_option
from wardround.cli.record_store import store_option
from wardround.cli.recording import record_options
from wardround.cli.run import color_option, run_and_report
from wardround.cli.ticket import ticket_option
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.cli.options import ReportSpec
    from wardround.cli.review_options import ReviewOptions


@click.command("exchange")
@staged_option
@worktree_option
@base_option
@head_option
@repo_option
@profile_option
@click.option(
    "--format", "formats", multiple=True, metavar="FORMAT",
    help="Repeatable: text, to standard error (default), or FORMAT=FILE with a format of review.",
)  # fmt: skip
@fail_level_option
@config_option
@config_from_option
@policy_floor_option
@ticket_option
@record_options
@store_option
@click.option(
    "--wait", "exchange_wait", type=click.FloatRange(0), default=math.inf, metavar="SECONDS",
    help="Wait so long for each answer (default: until standard input ends).",
)  # fmt: skip
@color_option
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if blocked or inconclusive.")
def command(**options: Any) -> int:
    """Review a change with answers from standard input instead of a language model.

    Each request is one line of JSON on standard output: prompt, input, answer-schema and digest. Each answer
    is one line of JSON on standard input, in any order: {"digest": ..., "answer": ...}, where the answer is a
    JSON document or its text. The review ends when all planes are answered; planes without an answer at the
    end of standard input are inconclusive. Messages and the text report go to standard error.
    """
    from wardround.cli.review_options import ReviewOptions
    from wardround.config.request import ExchangeStreams

    streams = ExchangeStreams(
        sys.stdout.buffer, sys.stdin.buffer, lambda text: echo_err(f"wardround: {text}")
    )
    return exchange(ReviewOptions(**options, exchange=streams, accepted_record=None))


def exchange(options: ReviewOptions) -> int:
    """Run the command."""
    options.require_consistent()
    outputs = options.outputs
    _require_files(outputs)
    with redirect_stdout(sys.stderr):
        done = run_and_report(
            options.target, options.request, outputs, record=options.record, ticket=options.requested_ticket
        )
    return 0 if options.exit_zero else done.exit_status


def _require_files(outputs: Sequence[ReportSpec]) -> None:
    """Reject a report on standard output, which has the requests."""
    for output in outputs:
        if output.path is None and output.format != "text":
            raise UsageError(f"--format {output.format}: standard output has the requests; add =FILE")
