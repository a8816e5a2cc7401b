"""``wardround adapters export``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wardround.cli.adapters.train import humanize_duration, parity_lines
from wardround.cli.run import emit
from wardround.errors import UsageError


@click.command("export")
@click.argument("name", required=False, metavar="[DIR]")
@click.option("--base", metavar="NAME", help="Export a frozen base: its name, or the file that describes it.")
@click.option("--merged", is_flag=True, help="One ONNX file that needs nothing of the base beside it.")
@click.option("--fp32/--int8", "fp32", default=None,
              help="With --merged: the kind of its weights (default: --fp32).")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="With --base or --merged: the folder to write to.")  # fmt: skip
@click.option("--with-optimum", is_flag=True,
              help="Of a training: export by optimum too, and say how far they are apart.")  # fmt: skip
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Where the files of the base stand.")  # fmt: skip
@click.option("--hub", is_flag=True, help="With --base: fetch it over the network if it is nowhere else.")
def command(name: str | None, **options: Any) -> int:
    """Write the adapter of a training, of a model, or a frozen base, as ONNX.

    Of the training in DIR the float32 graph stands in DIR/onnx, from which `quantise` makes the model. With
    --merged, DIR may be a model's folder too, or the name of one that comes with wardround; beside the graph
    stand a tokenizer that cuts at the model's window, and adapter.metadata.json, which says what they were
    made of and lets `wardround adapters verify` check them.
    """
    from wardround_lab.training.dependencies import require_extra

    if (name is None) == (options["base"] is None):
        raise UsageError("give either the folder of a training or a model, or --base NAME")
    _refuse(name, options)
    if options["out"] is None and (options["merged"] or name is None):
        raise UsageError("give the folder to write to with --out DIR")
    require_extra()
    if name is None:
        emit(_base(options))
    elif options["merged"]:
        emit(_alone(name, options))
    else:
        emit(_step(name, options))
    return 0


def _refuse(name: str | None, options: dict[str, Any]) -> None:
    """Refuse an option that would change nothing.

    Raises:
        UsageError: one is given.
    """
    merged = options["merged"]
    if merged and name is None:
        raise UsageError("--merged goes with the folder of an adapter; a base stands alone already")
    if options["fp32"] is not None and not merged:
        kind = "--fp32" if options["fp32"] else "--int8"
        made = (
            "a base is exported in eight bits"
            if name is None
            else "a training is exported in float32, and `wardround adapters quantise` makes eight bits of it"
        )
        raise UsageError(f"{kind} goes with --merged; {made}")
    if options["with_optimum"] and (merged or name is None):
        raise UsageError("--with-optimum compares the export of a training; leave out --merged and --base")
    if options["out"] is not None and not merged and name is not None:
        raise UsageError("--out goes with --merged or --base; of a training the graph stands in DIR/onnx")
    if options["hub"] and name is not None:
        raise UsageError("--hub goes with --base; give the files of the base with --base-folder")


def _base(options: dict[str, Any]) -> str:
    from wardround_lab.training.base_model import locate, read_base
    from wardround_lab.training.packaging import export_base

    located = locate(read_base(options["base"]), hub=options["hub"], folder=options["base_folder"])
    with humanize_duration() as progress:
        exported = export_base(located, options["out"], progress=progress)
    return "\n".join(parity_lines(exported)) + "\n"


def _alone(name: str, options: dict[str, Any]) -> str:
    from wardround_lab.training.merge import adapter_folder, read_trained
    from wardround_lab.training.packaging import export_alone

    trained = read_trained(adapter_folder(name), base_folder=options["base_folder"])
    made = export_alone(trained, options["out"], int8=options["fp32"] is False)
    return f"{made.folder / made.metadata.model.name}: {made.metadata.model.bytes / 1e6:.1f} MB\n"


def _step(name: str, options: dict[str, Any]) -> str:
    from wardround_lab.training import packaging
    from wardround_lab.training.merge import adapter_folder

    folder = adapter_folder(name)
    found = packaging.export(folder, base_folder=options["base_folder"])
    told = f"{folder / 'onnx'}: largest difference {found.largest:.2g}, correlation {found.correlation:.6f}\n"
    if options["with_optimum"]:
        other = packaging.against_optimum(folder, base_folder=options["base_folder"])
        told += f"optimum: largest difference {other.largest:.2g}, correlation {other.correlation:.6f}\n"
    return told
