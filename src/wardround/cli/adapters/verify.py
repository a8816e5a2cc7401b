from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.run import emit


@click.command("verify")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[FOLDER]...")
def command(folders: tuple[Path, ...]) -> int:
    """Verify every model in FOLDERs, or those shipped with wardround.

    All files are compared with the digests in the metadata, and every graph is scanned for references
    outside itself. If onnxruntime is installed, each model is also loaded and run once. For a model that is
    not built (a recipe without weights) metadata and recipe are checked. A state that the recorded evaluation
    does not allow and manually changed settings are errors too. Exit status: 1 if anything is wrong.
    """
    from wardround.inference.locations import METADATA_FILE, package_folder
    from wardround.inference.registry import ModelRegistry, contains_models
    from wardround.inference.verify import verify
    from wardround.models.loading import run_once
    from wardround.text.escaping import one_line

    own = package_folder()
    shelf = ModelRegistry.of(folders or ([own] if own is not None else []))
    lines = []
    wrong = False
    for checked in verify(shelf, run_once):
        wrong = wrong or bool(checked.troubles)
        lines.append(f"{checked.name:<24} {'WRONG' if checked.troubles else 'sound'}  {checked.said}")
        lines += [f"  {reported}" for reported in (*checked.troubles, *checked.notes)]
    for folder in folders:
        if not contains_models(folder):
            wrong = True
            lines.append(f"{folder}: no model of wardround's, nor one it exported: no {METADATA_FILE} there")
    emit("\n".join(map(one_line, lines or ["no model is installed"])) + "\n")
    return 1 if wrong else 0
