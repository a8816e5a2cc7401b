"""``wardround adapters list``."""

from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.run import emit


@click.command("list")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[FOLDER]...")
def command(folders: tuple[Path, ...]) -> None:
    """List the models in FOLDERs and those shipped with wardround: purpose, state and evaluation.

    A shadow model is only logged, a rank model orders results, a report model produces findings.
    """
    from wardround.inference.registry import default_registry
    from wardround.text.escaping import one_line

    shelf = default_registry(folders)
    lines = []
    seen: set[str] = set()
    for one in shelf.found:
        known = one.metadata
        size = sum(file.bytes for file in (known.model, known.shares, known.tokenizer) if file is not None)
        state = "hidden" if known.name in seen else known.state.value
        lines.append(
            f"{known.name:<24} {state:<7} {known.specialist or '-':<12} {size / 1e6:6.1f} MB  "
            f"{known.model.sha256[:12]}  {known.title or known.task}"
        )
        if one.overstated:
            lines.append(f"{'':<24} counts as shadow: {one.overstated}")
        if not one.is_built:
            lines.append(f"{'':<24} not built: {one.build_command}")
        seen.add(known.name)
    lines += [f"{refused.name:<24} refused: {refused.reason}" for refused in shelf.refused]
    emit("\n".join(map(one_line, lines or ["no model is installed"])) + "\n")
