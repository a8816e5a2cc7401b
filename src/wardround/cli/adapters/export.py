from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wardround.cli.adapters.train import humanize_duration, parity_lines
from wardround.cli.run import emit
from wardround.errors import UsageError

_OPTIMUM_OF_TRAINING = "--with-optimum compares the export of a training; leave out --merged and --base"
_HUB_OF_BASE = "--hub requires --base; name the files of the base with --base-folder"


@click.command("export")
@click.argument("name", required=False, metavar="[DIR]")
@click.option("--base", metavar="NAME", help="Export a frozen base: its name or description file.")
@click.option("--merged", is_flag=True, help="Write one self-contained ONNX file.")
@click.option("--fp32/--int8", "fp32", default=None,
              help="With --merged: weight type (default: --fp32).")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="With --base or --merged: output folder.")  # fmt: skip
@click.option("--with-optimum", is_flag=True,
              help="For a training: export with optimum as well and print the difference.")  # fmt: skip
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Folder with the files of the base.")  # fmt: skip
@click.option("--hub", is_flag=True, help="With --base: download it if it is not available locally.")
def command(name: str | None, **options: Any) -> int:
    """Write the adapter of a training, of a model, or a frozen base, as ONNX.

    The float32 graph of the training in DIR is written to DIR/onnx, the input of `quantise`. With --merged,
    DIR may also be a model's folder or the name of a model shipped with wardround; the output then includes
    a tokenizer that truncates at the model's window, and adapter.metadata.json with its provenance, which
    `wardround adapters verify` checks.
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
    if options["merged"]:
        _refuse_options_of_merged(name, options)
    elif name is None:
        _refuse_for_base(options)
    else:
        _refuse_for_training(options)


def _refuse_options_of_merged(name: str | None, options: dict[str, Any]) -> None:
    if name is None:
        raise UsageError(
            "--merged requires the folder of an adapter; an exported base is self-contained already"
        )
    if options["with_optimum"]:
        raise UsageError(_OPTIMUM_OF_TRAINING)
    if options["hub"]:
        raise UsageError(_HUB_OF_BASE)


def _refuse_for_base(options: dict[str, Any]) -> None:
    if options["fp32"] is not None:
        raise UsageError(f"{_precision(options)} requires --merged; a base is exported in eight bits")
    if options["with_optimum"]:
        raise UsageError(_OPTIMUM_OF_TRAINING)


def _refuse_for_training(options: dict[str, Any]) -> None:
    if options["fp32"] is not None:
        raise UsageError(
            f"{_precision(options)} requires --merged; a training is exported in float32; "
            "`wardround adapters quantise` converts it to eight bits"
        )
    if options["out"] is not None:
        raise UsageError("--out requires --merged or --base; the graph of a training is written to DIR/onnx")
    if options["hub"]:
        raise UsageError(_HUB_OF_BASE)


def _precision(options: dict[str, Any]) -> str:
    return "--fp32" if options["fp32"] else "--int8"


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
    created = export_alone(trained, options["out"], int8=options["fp32"] is False)
    return f"{created.folder / created.metadata.model.name}: {created.metadata.model.bytes / 1e6:.1f} MB\n"


def _step(name: str, options: dict[str, Any]) -> str:
    from wardround_lab.training import packaging
    from wardround_lab.training.merge import adapter_folder

    folder = adapter_folder(name)
    found = packaging.export(folder, base_folder=options["base_folder"])
    reported = (
        f"{folder / 'onnx'}: largest difference {found.largest:.2g}, correlation {found.correlation:.6f}\n"
    )
    if options["with_optimum"]:
        other = packaging.against_optimum(folder, base_folder=options["base_folder"])
        reported += f"optimum: largest difference {other.largest:.2g}, correlation {other.correlation:.6f}\n"
    return reported
