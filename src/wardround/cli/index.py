"""``wardround index``."""

from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.run import emit


@click.command("index")
@click.option("--at", metavar="REF", default="HEAD", show_default=True, help="Index this commit.")
@click.option(
    "--repo", type=click.Path(path_type=Path), metavar="DIR", help="Repository (default: current directory)."
)
def command(at: str, repo: Path | None) -> None:
    """Build the code graph of a commit, outside of the work tree.

    Reviews use it to find what a change breaks elsewhere. In CI a review builds it by itself; at commit it
    only updates a graph that exists. Later runs read changed files only. Nothing of the repository is run.
    """
    from wardround.change.repository import Repository
    from wardround.context.code_graph.graph import CodeGraph
    from wardround.context.code_graph.tree_files import tree_at

    with Repository(repo) as repository, CodeGraph.open(repository.git_dir) as graph:
        done = graph.update(tree_at(repository, repository.commit(at)))
    partly = f"; {len(done.unparsed)} not, or not entirely, parsed" if done.unparsed else ""
    emit(f"{done.files} files indexed, {done.read} of them new{partly}\n")
