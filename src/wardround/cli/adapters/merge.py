from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.run import emit

if TYPE_CHECKING:
    from wardround.inference.metadata import Parity


@click.command("merge")
@click.argument("name", metavar="DIR")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="Output folder (default: DIR/merged).")  # fmt: skip
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Folder with the files of the base.")  # fmt: skip
def command(name: str, out: Path | None, base_folder: Path | None) -> int:
    """Fold the LoRA weights of the training in DIR into its base.

    The merged model is written to DIR/merged in the format of transformers; untrained layers are the
    base's. With
    --out, DIR may also be a model's folder or the name of a model shipped with wardround.
    """
    from wardround_lab.training.dependencies import require_extra

    require_extra()
    from wardround_lab.training.merge import adapter_folder

    folder = adapter_folder(name)
    found = _merge(folder, out, base_folder)
    target = out or folder / "merged"
    emit(f"{target}: largest difference {found.largest:.2g}, correlation {found.correlation:.6f}\n")
    return 0


def _merge(folder: Path, out: Path | None, base_folder: Path | None) -> Parity:
    from wardround_lab.training.run_directory import CHAT_RUN_FILE

    if (folder / CHAT_RUN_FILE).is_file():
        from wardround_lab.training.chat.merge import TrainedChat

        return TrainedChat.read(folder, base_folder).merge(out)
    from wardround_lab.training import packaging

    return packaging.merge(folder, out, base_folder=base_folder)
