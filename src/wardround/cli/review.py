from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wardround.cli.accepting import accept_option
from wardround.cli.change_options import (
    base_option,
    config_from_option,
    config_option,
    fail_level_option,
    head_option,
    only_option,
    profile_option,
    repo_option,
    skip_option,
    staged_option,
    worktree_option,
)
from wardround.cli.completion import complete_formats
from wardround.cli.exchange_options import exchange_options
from wardround.cli.fail_on_verdict import fail_on_verdict_option
from wardround.cli.model_request import COST, print_model_request
from wardround.cli.policy_floor import policy_floor_option
from wardround.cli.record_store import store_option
from wardround.cli.recording import record_options
from wardround.cli.run import apply_fixes, color_option, run_and_report
from wardround.cli.run_options import run_options
from wardround.cli.ticket import ticket_option

if TYPE_CHECKING:
    from wardround.cli.review_options import ReviewOptions

_FORMATS = (
    "text, json, sarif, github, gitlab, rdjson, rdjsonl, checkstyle, junit, warnings-ng, markdown, html or "
    "one of a plugin; add =FILE to write it there"
)


@click.command("review")
@staged_option
@worktree_option
@click.option("--all-files", is_flag=True,
              help="Review all tracked files, or those at PATHS, as they are on disk.")  # fmt: skip
@base_option
@head_option
@click.option("--diff-file", metavar="FILE", help="Review a unified diff; - reads standard input.")
@repo_option
@profile_option
@click.option(
    "--format", "formats", multiple=True, metavar="FORMAT", help=f"Repeatable: {_FORMATS}.",
    shell_complete=complete_formats,
)  # fmt: skip
@fail_level_option
@click.option(
    "--filter-mode", type=click.Choice(["added", "diff_context", "file", "nofilter"]),
    help="Findings that are shown: on added lines, also next to them, in the changed files, or all.",
)  # fmt: skip
@fail_on_verdict_option
@click.option("--fix", is_flag=True, help="Apply the safe fixes to the staged change and the work tree.")
@only_option
@skip_option
@click.option("--no-models", is_flag=True, help="Use no models.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Number of parallel tools.")
@config_option
@config_from_option
@policy_floor_option
@ticket_option
@record_options
@store_option
@accept_option
@run_options
@exchange_options
@click.option(
    "--show-prompt",
    type=click.Choice(["intent", "contract", "semantic", "tests", "security", "perf", COST]),
    help="Print the request to the language model for this plane, or the cost of all; nothing is sent.",
)
@click.option("--all", "show_all", is_flag=True, help="Unfold all findings in the text report.")
@color_option
@click.option("--verbose", is_flag=True, help="Show code, reasons and fixes even for many findings.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if blocked or inconclusive.")
@click.option("--offline", is_flag=True, help="Never use the network (it is not used by default either).")
@click.argument("paths", nargs=-1)
def command(**options: Any) -> int:
    """Review a change, print the findings, and decide gate and verdict.

    The change is the index by default; --worktree, --base and --diff-file select another one. --all-files
    reviews files instead of a change: all that git tracks, or those at PATHS.
    """
    from wardround.cli.review_options import ReviewOptions

    return review(ReviewOptions(**options))


def review(options: ReviewOptions) -> int:
    """Run the command."""
    options.require_consistent()
    target, request = options.target, options.request
    if options.show_prompt is not None:
        print_model_request(target, request, options.requested_ticket, options.show_prompt)
        return 0
    outputs = options.outputs
    if options.fix:
        apply_fixes(target, request)
    done = run_and_report(target, request, outputs, record=options.record, ticket=options.requested_ticket)
    return 0 if options.exit_zero else done.exit_status
