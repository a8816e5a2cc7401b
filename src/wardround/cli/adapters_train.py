"""``wardround adapters train``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli import Interrupted, say
from wardround.cli.reviewing import emit, progress_line

if TYPE_CHECKING:
    from wardround.training.run import Run
    from wardround.training.shipped import Shipped

_RUNS = "wardround-runs"
_SECONDS_BETWEEN_LINES = 60.0


@click.command("train")
@click.argument("recipe", type=click.Path(path_type=Path), metavar="RECIPE")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="The folder of the training (default: wardround-runs/NAME-SEED).")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Another seed than the recipe's.")
@click.option("--base", type=click.Path(path_type=Path), metavar="DIR",
              help="The exported frozen base (default: the one that comes with wardround).")  # fmt: skip
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Where the files of the base to train on stand.")  # fmt: skip
@click.option("--hub", is_flag=True, help="Fetch the base over the network if it is nowhere else.")
@click.option("--only-train", is_flag=True, help="Leave out merge, export and quantise.")
def command(recipe: Path, out: Path | None, **options: Any) -> int:
    """Train the adapter that RECIPE describes, then merge, export and quantise it.

    The records must have passed `wardround data audit`. Interrupted, the same command goes on from the last
    checkpoint. The model stands in DIR/model, as a shadow until it is evaluated and promoted.
    """
    from wardround.training.extra import require_extra

    require_extra()
    from wardround.training.recipe import read_recipe

    read = read_recipe(recipe)
    seed = read.training.seed if options["seed"] is None else options["seed"]
    folder = out or Path(_RUNS) / f"{read.name}-{seed}"
    try:
        with spoken() as progress:
            run = _train(recipe, folder, options, progress)
            shipped = None if options["only_train"] else _finish(folder, recipe, options, progress)
    except Interrupted:
        say(f"wardround: interrupted; the same command goes on from the last checkpoint in {folder}")
        raise
    emit(_told(run, folder, shipped))
    return 0


def _train(recipe: Path, folder: Path, options: dict[str, Any], progress: Callable[[str], None]) -> Run:
    from wardround.training.train import train

    return train(
        recipe, folder, seed=options["seed"], hub=options["hub"], base_folder=options["base_folder"],
        progress=progress,
    )  # fmt: skip


def _finish(folder: Path, recipe: Path, options: dict[str, Any], progress: Callable[[str], None]) -> Shipped:
    from wardround.training.shipped import finish, shipped_base

    base = shipped_base(folder, options["base"], base_folder=options["base_folder"], progress=progress)
    return finish(folder, base, base_folder=options["base_folder"], progress=progress)


def _told(run: Run, folder: Path, shipped: Shipped | None) -> str:
    best = "" if run.best is None else f", mrr {run.best:.3f} on validation at step {run.kept}"
    lines = [f"{run.name}: {run.steps} steps in {run.seconds / 60:.1f} minutes, seed {run.seed}{best}"]
    if shipped is None:
        lines.append(f"{folder}: trained; `wardround adapters merge`, `export` and `quantise` make the model")
    else:
        lines += parity_lines(shipped)
    return "\n".join(lines) + "\n"


def parity_lines(shipped: Shipped) -> list[str]:
    """What became of the model on its way, and where it stands."""
    metadata = shipped.metadata
    lines = [
        f"  {one.step:<10} largest difference {one.largest:.2g}, correlation of scores {one.correlation:.5f}"
        for one in metadata.parity
    ]
    size = (metadata.model.bytes + (metadata.shares.bytes if metadata.shares else 0)) / 1e6
    common = f", {len(metadata.shared)} tensors shared" if metadata.shared else ""
    return [*lines, f"{shipped.folder}: {size:.1f} MB{common}, state {metadata.state.value}"]


@contextmanager
def spoken() -> Iterator[Callable[[str], None]]:
    """A line on the terminal; where there is none, a line in a minute for whoever reads the log later."""
    with progress_line() as show:
        if sys.stderr.isatty():
            yield show
            return
        said = [-_SECONDS_BETWEEN_LINES]

        def log(text: str) -> None:
            now = time.monotonic()
            if now - said[0] >= _SECONDS_BETWEEN_LINES:
                said[0] = now
                say(text)

        said[0] = time.monotonic() - _SECONDS_BETWEEN_LINES
        yield log
