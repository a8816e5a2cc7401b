"""``wardround review``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wardround.cli.accepting import accept_option
from wardround.cli.exchange_options import exchange_options
from wardround.cli.policy_floor import policy_floor_option
from wardround.cli.record_store import store_option
from wardround.cli.recording import record_options
from wardround.cli.run import apply_fixes, color_option, require_one, run_and_report
from wardround.cli.run_options import parse_run, run_options
from wardround.cli.ticket import ticket_option

_FORMATS = "text, json, sarif or github; add =FILE to write it there"


@click.command("review")
@click.option("--staged", is_flag=True, help="Review the staged change (default).")
@click.option("--worktree", is_flag=True, help="Review all uncommitted changes, including untracked files.")
@click.option("--all-files", is_flag=True,
              help="Review all tracked files, or those at PATHS, as they are on disk.")  # fmt: skip
@click.option("--base", metavar="REF", help="Review from the merge base with REF ...")
@click.option("--head", metavar="REF", help="... to this commit (default HEAD).")
@click.option("--diff-file", metavar="FILE", help="Review a unified diff; - reads standard input.")
@click.option(
    "--repo", type=click.Path(path_type=Path), metavar="DIR", help="Repository (default: current directory)."
)
@click.option("--profile", type=click.Choice(["commit", "ci"]), default="commit", show_default=True)
@click.option("--format", "formats", multiple=True, metavar="FORMAT", help=f"Repeatable: {_FORMATS}.")
@click.option(
    "--fail-level", type=click.Choice(["none", "info", "warn", "error"]), help="Lowest severity that blocks."
)
@click.option("--filter-mode", type=click.Choice(["added", "diff_context", "file", "nofilter"]))
@click.option("--fix", is_flag=True, help="Apply the safe fixes to the staged change and the work tree.")
@click.option("--only", multiple=True, metavar="NAME", help="Run only this specialist. Repeatable.")
@click.option("--skip", multiple=True, metavar="NAME", help="Skip this specialist. Repeatable.")
@click.option("--no-models", is_flag=True, help="Use no models.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Number of parallel tools.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration file instead of the root's.",
)
@click.option("--config-from", type=click.Choice(["base", "head"]), help="Side whose configuration applies.")
@policy_floor_option
@ticket_option
@record_options
@store_option
@accept_option
@run_options
@exchange_options
@click.option(
    "--show-prompt",
    type=click.Choice(["intent", "contract", "semantic", "tests", "security", "perf"]),
    help="Print the request to the language model for this plane; nothing is sent.",
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
    reviews files in place of a change: all that git tracks, or those at PATHS.
    """
    return review(**options)


def review(
    *, staged: bool, worktree: bool, all_files: bool, paths: tuple[str, ...], base: str | None,
    head: str | None, diff_file: str | None, repo: Path | None, profile: str, formats: tuple[str, ...],
    fail_level: Any, filter_mode: Any, fix: bool, only: tuple[str, ...], skip: tuple[str, ...],
    no_models: bool, jobs: int | None, config: Path | None, config_from: Any, show_all: bool, colour: Any,
    verbose: bool, exit_zero: bool, offline: bool,
    ticket: str, policy_floor: Path | None, record_file: Path | None, sign_with: str, public_key: str,
    passphrase_env: str, store_name: str, accepted_record: str,
    show_prompt: str | None, run: str | None, sandbox: str | None,
    exchange: Path | None, exchange_wait: float,
) -> int:  # fmt: skip
    """Run the command."""
    from wardround.cli.options import ChangeSpec, RecordSpec, ReportSpec, TicketSpec
    from wardround.config.request import ReviewRequest
    from wardround.tools.tool import Profile

    ways = {"--staged": staged, "--worktree": worktree, "--all-files": all_files, "--base": base is not None,
            "--diff-file": diff_file is not None}  # fmt: skip
    require_one(ways, "name the change in one way")
    if all_files:
        of_changes = {
            "--filter-mode": filter_mode is not None, "--config-from": config_from == "base",
            "--ticket": bool(ticket), "--record": record_file is not None, "--store": bool(store_name),
            "--accept-record": bool(accepted_record), "--run": bool(run), "--show-prompt": bool(show_prompt),
        }  # fmt: skip
        _refuse_of_changes(of_changes)
    elif paths:
        raise click.UsageError(f"{paths[0]}: files are named with --all-files; a change has all of its files")
    if head is not None and base is None:
        raise click.UsageError("--head needs --base; name the commit it is compared with")
    target = ChangeSpec(
        staged=staged or not any(ways.values()), worktree=worktree, base=base, head=head,
        diff_file=diff_file, repo=repo, all_files=all_files, paths=paths,
    )  # fmt: skip
    request = ReviewRequest(
        profile=Profile(profile), fail_level=fail_level, filter_mode=filter_mode, only=only, skip=skip,
        jobs=jobs, config_file=config, config_from=config_from, use_models=not no_models,
        show_all=show_all, verbose=verbose, policy_floor=policy_floor, offline=offline,
        run=parse_run(run), sandbox=sandbox, exchange=exchange, exchange_wait=exchange_wait,
    )  # fmt: skip
    if show_prompt is not None:
        from wardround.cli.model_request import print_model_request

        print_model_request(target, request, TicketSpec(ticket, offline), show_prompt)
        return 0
    outputs = [ReportSpec.parse(text, colour) for text in formats or ("text",)]
    if fix:
        apply_fixes(target, request)
    record = RecordSpec(
        record_file, None, sign_with, public_key, passphrase_env, store_name, accept=accepted_record
    )
    done = run_and_report(target, request, outputs, record=record, ticket=TicketSpec(ticket, offline))
    return 0 if exit_zero else done.exit_status


def _refuse_of_changes(options: dict[str, bool]) -> None:
    """Reject the options that say something about a change."""
    given = [name for name, used in options.items() if used]
    if given:
        raise click.UsageError(f"{' and '.join(given)}: --all-files has no change; leave it out")
