"""``wardround adapters merge``."""

from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.reviewing import emit


@click.command("merge")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Where the files of the base stand.")  # fmt: skip
def command(folder: Path, base_folder: Path | None) -> int:
    """Fold the LoRA weights of the training in DIR into its base.

    The model stands in DIR/merged, as transformers reads it; layers that were not trained are the base's.
    """
    from wardround.training.extra import require_extra

    require_extra()
    from wardround.training import shipped

    found = shipped.merge(folder, base_folder=base_folder)
    emit(
        f"{folder / 'merged'}: largest difference {found.largest:.2g}, correlation {found.correlation:.6f}\n"
    )
    return 0
