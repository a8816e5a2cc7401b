"""``wardround adapters export``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wardround.cli.adapters_train import parity_lines, spoken
from wardround.cli.reviewing import emit
from wardround.errors import UsageError


@click.command("export")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option("--base", metavar="NAME", help="Export a frozen base: its name, or the file that describes it.")
@click.option("--merged", is_flag=True, help="One ONNX file that needs nothing of the base beside it.")
@click.option("--fp32/--int8", "fp32", default=True, help="With --merged: the kind of its weights.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="With --base or --merged: the folder to write to.")  # fmt: skip
@click.option("--with-optimum", is_flag=True, help="Export by optimum too, and say how far they are apart.")
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Where the files of the base stand.")  # fmt: skip
@click.option("--hub", is_flag=True, help="Fetch the base over the network if it is nowhere else.")
def command(folder: Path | None, **options: Any) -> int:
    """Write the adapter of a training, of a model, or a frozen base, as ONNX.

    Of the training in DIR the float32 graph stands in DIR/onnx, from which `quantise` makes the model. With
    --merged, DIR may be a model's folder too.
    """
    from wardround.training.extra import require_extra

    if (folder is None) == (options["base"] is None):
        raise UsageError("give either the folder of a training or a model, or --base NAME")
    if options["out"] is None and (options["merged"] or folder is None):
        raise UsageError("give the folder to write to with --out DIR")
    require_extra()
    if folder is None:
        emit(_base(options))
    elif options["merged"]:
        emit(_alone(folder, options))
    else:
        emit(_step(folder, options))
    return 0


def _base(options: dict[str, Any]) -> str:
    from wardround.training.base import locate, read_base
    from wardround.training.shipped import export_base

    located = locate(read_base(options["base"]), hub=options["hub"], folder=options["base_folder"])
    with spoken() as progress:
        shipped = export_base(located, options["out"], progress=progress)
    return "\n".join(parity_lines(shipped)) + "\n"


def _alone(folder: Path, options: dict[str, Any]) -> str:
    from wardround.training.merge import read_trained
    from wardround.training.shipped import export_alone

    trained = read_trained(folder, base_folder=options["base_folder"])
    file = export_alone(trained, options["out"], int8=not options["fp32"])
    return f"{file}: {file.stat().st_size / 1e6:.1f} MB\n"


def _step(folder: Path, options: dict[str, Any]) -> str:
    from wardround.training import shipped

    found = shipped.export(folder, base_folder=options["base_folder"])
    told = f"{folder / 'onnx'}: largest difference {found.largest:.2g}, correlation {found.correlation:.6f}\n"
    if options["with_optimum"]:
        other = shipped.against_optimum(folder, base_folder=options["base_folder"])
        told += f"optimum: largest difference {other.largest:.2g}, correlation {other.correlation:.6f}\n"
    return told
