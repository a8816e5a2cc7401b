from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.change_options import repo_option
from wardround.cli.exchange_options import exchange_options
from wardround.cli.messages import echo_err
from wardround.cli.process import Interrupted, collect_garbage
from wardround.cli.run import emit, emit_line, progress_line
from wardround.cli.sandbox_option import sandbox_option
from wardround.errors import EnvironmentUnavailable, SandboxError

if TYPE_CHECKING:
    from wardround.authoring.packet import Packet
    from wardround.authoring.solving import SolveResult
    from wardround.authoring.written_files import WrittenFiles
    from wardround.change.repository import Repository
    from wardround.cli.solve_options import SolveOptions

_NO_PATCH, _INCONCLUSIVE, _INTERRUPTED = 1, 4, 130


@click.command("solve")
@click.option("--task", "task_text", default="", metavar="TEXT|FILE|TICKET", help="The task in words.")
@click.option(
    "--test", "tests", multiple=True, metavar="TEST",
    help="A failing test that must pass, such as tests/test_x.py::test_y; repeatable.",
)  # fmt: skip
@click.option(
    "--constraints", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Demands on every patch: a list in Markdown or YAML.",
)  # fmt: skip
@click.option("--base", metavar="REF", help="The commit to start from (default: HEAD with the work tree).")
@click.option(
    "--author", default="", metavar="edits|endpoint|samples|NAME",
    help="Who writes the patch (default: the endpoint with the role author, else edits).",
)  # fmt: skip
@click.option(
    "--localization", default="", metavar="NAME",
    help="The localization: words, embeddings, fusion, context, executed, hierarchical, or that of a plugin.",
)  # fmt: skip
@click.option("--selection", default="", metavar="first|vote|score|ranking|NAME",
              help="The selection among several patches (default: first).")  # fmt: skip
@click.option(
    "--rounds", type=click.IntRange(1, 20), default=3, show_default=True, help="Rounds of revision."
)
@click.option(
    "--samples", type=click.IntRange(1, 100), default=3, show_default=True,
    help="Patches at a time, with --author samples.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=15.0, show_default=True,
    help="CPU seconds for the validation of edits.",
)  # fmt: skip
@click.option(
    "--tokens", type=click.IntRange(min=500), default=8000, show_default=True,
    help="Tokens of the context that an endpoint gets.",
)  # fmt: skip
@click.option(
    "--most-tokens", type=click.IntRange(min=1), metavar="N",
    help="Tokens of all requests and answers together (default: no limit).",
)  # fmt: skip
@exchange_options
@click.option("--offline", is_flag=True, help="Contact nothing on a network.")
@click.option(
    "--show-prompt", "shown_step", default=None,
    type=click.Choice(["author", "localization", "verifier", "proposer", "ranker"]),
    help="Print the next request of a step, and do not send it.",
)  # fmt: skip
@click.option("--resume", default="", metavar="SEQUENCE", help="Continue an interrupted run.")
@click.option(
    "--replay", default="", metavar="SEQUENCE",
    help="Derive the packet of a run again; nothing is sent and nothing runs.",
)  # fmt: skip
@click.option(
    "--propose-weak", "proposes_weak", is_flag=True,
    help="Evaluate edits as patches, too; most edits that pass all tests are wrong.",
)  # fmt: skip
@click.option("--apply", "is_applied", is_flag=True, help="Write an accepted patch to the work tree.")
@click.option("--open-branch", default="", metavar="NAME", help="Make a branch with the accepted patch.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="The packet on standard output.",
)  # fmt: skip
@sandbox_option
@repo_option
def command(**options: Any) -> int:
    """Write and verify a patch for a task or a failing test; it ends in a packet for review.

    Without a language model, edits of the code that a failing test runs are tried in the sandbox. Nothing is
    committed, and the work tree changes only with --apply.

    Exit status: 0 a patch, 1 no patch, 4 the tests or an endpoint could not be used, 130 interrupted.
    """
    from wardround.cli.solve_options import SolveOptions

    collect_garbage()  # a run is long
    return solve(SolveOptions(**options))


def solve(options: SolveOptions) -> int:
    """Run the command."""
    from wardround.authoring.endpoint.roles import PromptRequested
    from wardround.authoring.written_files import WrittenFiles
    from wardround.change.repository import Repository

    options.require_consistent()
    with Repository(options.repo) as repository, progress_line() as progress:
        files = WrittenFiles(repository.root, None)
        try:
            result = _result(options, repository, files.folder, progress)
        except PromptRequested as request:
            progress("")
            emit(f"{request.body.decode()}\n", escaped=True)
            return 0
        except (EnvironmentUnavailable, SandboxError) as cause:
            progress("")
            echo_err(f"wardround: {cause}")
            return _INCONCLUSIVE
        progress("")
        _report(options, files, result)
        _use_patch(options, repository, result.packet)
    return _status(result)


def _result(
    options: SolveOptions, repository: Repository, logs: Path, progress: Callable[[str], None]
) -> SolveResult:
    from wardround import host
    from wardround.authoring.sequence import SequenceStore
    from wardround.authoring.solving import Solver, SolveRequest
    from wardround.authoring.starting_commit import starting_commit
    from wardround.config import loader
    from wardround.storage.paths import state_dir

    loaded = host.load()
    tree = repository.tree(repository.head() or repository.empty_tree)
    config = loader.read(tree.read, (), loaded.specialists)
    store = SequenceStore(state_dir() / "sequences")
    solver = Solver(repository, loaded, config, store, logs, progress)
    base = "" if options.is_recorded else starting_commit(repository, options.base)
    request = SolveRequest(
        options.instance(base),
        options.settings,
        options.access(config),
        options.stages,
        Interrupted,
        options.shown_step or "",
    )
    if options.resume:
        return solver.resume(options.resume, request)
    if options.replay:
        return solver.replay(options.replay, request)
    return solver.begin(request)


def _report(options: SolveOptions, files: WrittenFiles, result: SolveResult) -> None:
    """Print the packet, and write both of its forms below the repository."""
    from wardround.authoring.context.model import as_json as context_json
    from wardround.authoring.packet_text import as_json, as_markdown

    packet = result.packet
    rendered = {"json": as_json(packet), "text": as_markdown(packet)}
    emit(rendered[options.form], escaped=options.form == "json")
    if options.replay:
        return
    files.write("packet.json", rendered["json"])
    files.write("packet.md", rendered["text"])
    if result.context is not None:
        files.write("write-context.json", context_json(result.context))
        files.write("patch-plan.md", result.plan)
    if options.form == "text":
        emit_line(f"packet: {files.name}/packet.md and packet.json")


def _use_patch(options: SolveOptions, repository: Repository, packet: Packet) -> None:
    if not packet.patch or options.replay:
        return
    from wardround.authoring.application import apply_patch, branch_commit
    from wardround.authoring.packet_text import subject_of

    if options.open_branch:
        commit = branch_commit(repository, packet.base, packet.commit, subject_of(packet))
        repository.create_branch(options.open_branch, commit)
        echo_err(f"wardround: branch {options.open_branch} has the patch")
    if options.is_applied:
        paths = apply_patch(repository, packet.base, packet.commit)
        echo_err(f"wardround: the patch is applied to {', '.join(paths)}")


def _status(result: SolveResult) -> int:
    if result.is_interrupted:
        return _INTERRUPTED
    if result.packet.patch:
        return 0
    return _INCONCLUSIVE if result.is_stopped else _NO_PATCH
