"""``wardround write``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.run import emit_line, progress_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wardround.authoring.context.assembly import ContextRequest
    from wardround.authoring.context.model import WriteContext
    from wardround.authoring.plan.model import PatchPlan
    from wardround.authoring.task import Task
    from wardround.change.repository import Repository

_LEAST_TOKENS, _MOST_TOKENS = 500, 1_000_000
_SHOWN = 5


@click.command("write")
@click.option(
    "--task", required=True, metavar="TEXT|FILE|TICKET",
    help="The task: a text, a file of Markdown, or a ticket as in --ticket of review.",
)  # fmt: skip
@click.option(
    "--constraints", type=click.Path(path_type=Path), metavar="FILE",
    help="Demands on the patch: items and paragraphs of Markdown, or a YAML list of texts.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR",
    help="Folder for write-context.json and patch-plan.md (default: artifacts/wardround).",
)  # fmt: skip
@click.option(
    "--tokens", type=click.IntRange(_LEAST_TOKENS, _MOST_TOKENS), default=8000, show_default=True,
    metavar="N", help="Limit of the context's text, four characters for each token.",
)  # fmt: skip
@click.option("--base", metavar="REF", default="HEAD", show_default=True, help="Commit to start from.")
@repo_option
def command(
    task: str, constraints: Path | None, out: Path | None, tokens: int, base: str, repo: Path | None
) -> None:
    """Write the context and the plan of a task: where to change what, by which rules, and what to run.

    write-context.json has the code, tests, conventions and documentation that the task is probably about,
    each with the reason, and a ready text for a patch author, human or model. patch-plan.md has the files to
    change in order, tests, checks, risks and open questions. No model is used, and nothing is run; only a
    ticket of a service is fetched. The same input gives the same bytes on any machine.
    """
    from wardround.authoring.task import read_task
    from wardround.change.repository import Repository

    described = read_task(task, os.environ, Path.cwd())
    with Repository(repo) as repository:
        request = _request(repository, described, constraints, tokens, base)
        context, plan = _context_and_plan(repository, request)
        folder = _write(repository, out, context, plan)
    for line in _summary(context, plan):
        emit_line(line)
    emit_line(f"context: {folder}/write-context.json")
    emit_line(f"plan: {folder}/patch-plan.md")


def _request(
    repository: Repository, task: Task, constraints: Path | None, tokens: int, base: str
) -> ContextRequest:
    from wardround.authoring.constraints import read_constraints
    from wardround.authoring.context.assembly import ContextRequest
    from wardround.authoring.instance import Instance

    demands = () if constraints is None else read_constraints(constraints)
    commit = _base_commit(repository, base)
    return ContextRequest(Instance(commit, task.text, ticket=task.ticket, constraints=demands), task, tokens)


def _base_commit(repository: Repository, base: str) -> str:
    from wardround.change.revisions import require_revision

    if base == "HEAD" and repository.head() is None:
        raise UsageError("the repository has no commit yet; commit the code that the task starts from")
    return repository.commit(require_revision(base, "--base"))


def _context_and_plan(repository: Repository, request: ContextRequest) -> tuple[WriteContext, PatchPlan]:
    from wardround.authoring.context.assembly import build_context
    from wardround.authoring.context.base_code import BaseCode, with_base_code
    from wardround.authoring.plan.planning import plan_of

    def write(code: BaseCode) -> tuple[WriteContext, PatchPlan]:
        context = build_context(code, request)
        return context, plan_of(context, code)

    with progress_line() as progress:
        result = with_base_code(repository, request.instance.base, write, progress)
        progress("")
    return result


def _write(repository: Repository, out: Path | None, context: WriteContext, plan: PatchPlan) -> str:
    """Write both files, and return the folder as a reader finds it."""
    from wardround.authoring.context.model import as_json
    from wardround.authoring.plan.markdown import as_markdown
    from wardround.authoring.written_files import WrittenFiles

    files = WrittenFiles(repository.root, out)
    files.write("write-context.json", as_json(context))
    files.write("patch-plan.md", as_markdown(plan))
    return files.name


def _summary(context: WriteContext, plan: PatchPlan) -> Iterator[str]:
    from wardround.text.escaping import one_line

    kind = plan.kind.kind or "kind not stated"
    yield f"{one_line(plan.title)} ({kind})"
    for number, file in enumerate(plan.files, 1):
        places = ", ".join(place for place, _ in file.functions[:2])
        yield f"  {number}  {one_line(file.path)}  {one_line(places)}"
    for test in plan.tests[:_SHOWN]:
        yield f"  {'add' if test.is_new else 'test'}  {one_line(test.path)}"
    counts = (
        _count(len(plan.risks), "risk"),
        _count(len(plan.questions), "open question"),
        _count(len(plan.constraints), "constraint"),
    )
    yield f"{', '.join(counts)}; {context.tokens.used} of {context.tokens.limit} tokens"


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
