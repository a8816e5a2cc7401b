from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.adapters.train import humanize_duration, parity_lines
from wardround.cli.run import emit


@click.command("quantise")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--base", type=click.Path(path_type=Path), metavar="DIR",
              help="Exported frozen base (default: the one shipped with wardround).")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="Output folder (default: DIR/model).")  # fmt: skip
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Folder with the files of the base.")  # fmt: skip
def command(folder: Path, base: Path | None, out: Path | None, base_folder: Path | None) -> int:
    """Quantise the exported training in DIR to the 8-bit model that ships.

    Tensors shared with the base are stored in the base's folder only.
    """
    from wardround_lab.training.dependencies import require_extra

    require_extra()
    from wardround_lab.training import packaging

    with humanize_duration() as progress:
        beside = packaging.shipped_base(folder, base, base_folder=base_folder, progress=progress)
        created = packaging.quantise(folder, beside, out, base_folder=base_folder)
    emit("\n".join(parity_lines(created)) + "\n")
    return 0
