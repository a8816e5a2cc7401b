from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.messages import echo_err
from wardround.cli.run import emit, progress_line
from wardround.errors import ToolFailed

if TYPE_CHECKING:
    from wardround.authoring.types.offering import Offer
    from wardround.change.repository import Repository

_INCONCLUSIVE = 4


@click.command("types")
@click.argument("paths", nargs=-1, metavar="[PATH ...]")
@click.option("--apply", "is_applied", is_flag=True, help="Write the annotations to the work tree.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@repo_option
def command(paths: tuple[str, ...], is_applied: bool, form: str, repo: Path | None) -> int:
    """Show type annotations for public functions that lack them, each with its evidence.

    PATH is a module or a folder of the repository (default: all modules except tests). Only annotations that
    the type checker accepts are shown.

    Exit status: 0 done, 4 the type checker is missing or failed.
    """
    from wardround.authoring.types.annotation_writer import require_editor
    from wardround.authoring.types.report import as_json, as_text
    from wardround.change.repository import Repository

    require_editor()
    with Repository(repo) as repository, progress_line() as progress:
        try:
            offer = _offer(repository, paths, progress)
        except ToolFailed as cause:
            progress("")
            echo_err(f"wardround: types cannot be checked: {cause}")
            return _INCONCLUSIVE
        progress("")
        emit(as_json(offer) if form == "json" else as_text(offer), escaped=form == "json")
        if is_applied:
            _apply(repository, offer)
    return 0


def _offer(repository: Repository, paths: tuple[str, ...], progress: Callable[[str], None]) -> Offer:
    from wardround import host
    from wardround.authoring.types.offering import offer_types
    from wardround.authoring.types.targets import TypeTargets

    targets = TypeTargets(repository, host.load())
    modules = targets.modules_of(paths)
    return offer_types(repository.root, modules, targets.project, targets.settings(), progress)


def _apply(repository: Repository, offer: Offer) -> None:
    from wardround.authoring.types.application import apply_types

    written = apply_types(repository, offer)
    if written:
        echo_err(f"wardround: annotations are written to {', '.join(written)}")
