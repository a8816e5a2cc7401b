from __future__ import annotations

import math
from pathlib import Path

import click

from wardround.cli.change_options import repo_option
from wardround.cli.run import emit


@click.command("index")
@click.option("--at", metavar="REF", default="HEAD", show_default=True, help="Index this commit.")
@repo_option
@click.option(
    "--background", is_flag=True, hidden=True, help="As a review starts it: with the lowest priority."
)
def command(at: str, repo: Path | None, background: bool) -> None:
    """Build the code graph of a commit, outside of the work tree.

    Reviews use it to find what a change breaks elsewhere. In CI a review builds it by itself; at commit it
    reads at most 60 new files, and a process in the background reads the others for the next review. Later
    runs read changed files only. Nothing of the repository is run.
    """
    from contextlib import nullcontext

    from wardround.change.repository import Repository
    from wardround.context.code_graph.background_index import BUDGET_S, alone
    from wardround.context.code_graph.graph import CodeGraph
    from wardround.context.code_graph.tree_files import tree_at

    with Repository(repo) as repository, CodeGraph.open(repository.git_dir) as graph:
        seconds = BUDGET_S if background else math.inf
        with alone(graph.file) if background else nullcontext():
            done = graph.update(tree_at(repository, repository.commit(at)), seconds)
    partly = f"; {len(done.unparsed)} not, or not entirely, parsed" if done.unparsed else ""
    emit(f"{done.files} files indexed, {done.read} of them new{partly}\n")
