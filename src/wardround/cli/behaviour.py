from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.messages import echo_err
from wardround.cli.run import emit, open_change, progress_line, require_base, require_one
from wardround.cli.sandbox_option import sandbox_option
from wardround.errors import EnvironmentUnavailable, UsageError

if TYPE_CHECKING:
    from wardround.cli.options import ChangeSpec
    from wardround.context.run_evidence import BehaviourRun

_INCONCLUSIVE = 4


@click.command("behaviour")
@click.argument("function", metavar="[FILE::FUNCTION]", default="")
@click.option("--staged", is_flag=True, help="Compare the staged change (default).")
@click.option("--base", metavar="REF", help="Compare the change from the merge base with REF ...")
@click.option("--head", metavar="REF", help="... to this commit (default HEAD).")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--pin", "pinned", type=click.Choice(["old", "new"]),
    help="Write a pytest file that expects the results of the base (old) or of the head (new).",
)  # fmt: skip
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE",
    help="The new file for --pin (default: standard output); an existing one is not replaced.",
)  # fmt: skip
@sandbox_option
@repo_option
def command(
    function: str, staged: bool, base: str | None, head: str | None, form: str, pinned: str | None,
    output: Path | None, sandbox: str | None, repo: Path | None,
) -> int:  # fmt: skip
    """Show the inputs whose result a change altered.

    The tests of the base are run in the sandbox while the arguments of the changed Python functions are
    recorded; then the functions of base and head run on these arguments, and on small changes of them.
    """
    from wardround.cli.options import ChangeSpec
    from wardround.context.run_evidence import RunState
    from wardround.workflows.behaviour.report import as_json, as_text

    require_one({"--staged": staged, "--base": base is not None}, "name the change in one way")
    require_base(head, base)
    if output is not None and pinned is None:
        raise click.UsageError("--output needs --pin old or --pin new")
    if output is not None and os.path.lexists(output):
        raise UsageError(f"--output {output}: it exists, and is not replaced; give a new file")
    spec = ChangeSpec(staged=base is None, base=base, head=head, repo=repo)
    try:
        run = _compare_runs(spec, function, sandbox)
    except EnvironmentUnavailable as cause:
        echo_err(f"wardround: {cause}")
        return _INCONCLUSIVE
    if pinned is not None:
        _write_pin(run, pinned, output)
    else:
        emit(as_json(run) if form == "json" else as_text(run), escaped=form == "json")
    return 0 if run.conditions.state in (RunState.COMPLETE, RunState.PARTIAL) else _INCONCLUSIVE


def _write_pin(run: BehaviourRun, side: str, output: Path | None) -> None:
    """Write the test to standard output, or to a file that does not exist yet.

    Raises:
        UsageError: nothing differs, or the file cannot be made.
    """
    from wardround.workflows.behaviour.pin import PinnedSide, pinning_tests

    if not run.differences:
        raise UsageError("--pin: no result changed, so there is nothing to pin; run it without --pin")
    text = pinning_tests(run.differences, PinnedSide(side))
    if output is None:
        emit(text)
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as cause:
        raise UsageError(f"--output {output}: {cause.strerror}; give another file") from cause


def _compare_runs(spec: ChangeSpec, function: str, sandbox: str | None) -> BehaviourRun:
    from wardround.config.loader import read_sandbox
    from wardround.context.run_evidence import BehaviourRun, RunConditions, RunState
    from wardround.workflows.behaviour.compare import compare_behaviour
    from wardround.workflows.behaviour.limits import limits_within
    from wardround.workflows.behaviour.project_environment import environment_for

    with open_change(spec) as (_, change, repository), progress_line() as progress:
        assert repository is not None
        if not function and not any(file.path.endswith(".py") for file in change.files):
            return BehaviourRun(RunConditions(RunState.COMPLETE))
        environment = environment_for(repository, change, os.environ, progress)
        settings = read_sandbox(repository.tree(change.base).read)
        return compare_behaviour(
            repository, change, environment, request=function, limits=limits_within(settings.limits.wall_s),
            isolation=sandbox or settings.backend, progress=progress,
        )  # fmt: skip
