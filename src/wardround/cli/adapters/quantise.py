"""``wardround adapters quantise``."""

from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.adapters.train import humanize_duration, parity_lines
from wardround.cli.run import emit


@click.command("quantise")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--base", type=click.Path(path_type=Path), metavar="DIR",
              help="The exported frozen base (default: the one that comes with wardround).")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="The folder of the model (default: model, in the training's).")  # fmt: skip
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Where the files of the base stand.")  # fmt: skip
def command(folder: Path, base: Path | None, out: Path | None, base_folder: Path | None) -> int:
    """Make the model that ships, in eight bits, of the exported training in DIR.

    Tensors that are the base's stand in the base's folder alone.
    """
    from wardround_lab.training.dependencies import require_extra

    require_extra()
    from wardround_lab.training import packaging

    with humanize_duration() as progress:
        beside = packaging.shipped_base(folder, base, base_folder=base_folder, progress=progress)
        made = packaging.quantise(folder, beside, out, base_folder=base_folder)
    emit("\n".join(parity_lines(made)) + "\n")
    return 0
