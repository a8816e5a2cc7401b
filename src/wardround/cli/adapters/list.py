from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.run import emit

if TYPE_CHECKING:
    from wardround.inference.registry import ModelEntry


@click.command("list")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[FOLDER]...")
def command(folders: tuple[Path, ...]) -> None:
    """List the models in FOLDERs and those shipped with wardround: purpose, state and evaluation.

    A shadow model is only logged, a rank model orders results, a report model produces findings.
    """
    from wardround.inference.registry import default_registry
    from wardround.text.escaping import one_line

    registry = default_registry(folders)
    lines: list[str] = []
    seen: set[str] = set()
    for entry in registry.found:
        name = entry.metadata.name
        lines += _lines_of(entry, is_hidden=name in seen)
        seen.add(name)
    lines += [f"{refused.name:<24} refused: {refused.reason}" for refused in registry.refused]
    emit("\n".join(map(one_line, lines or ["no model is installed"])) + "\n")


def _lines_of(entry: ModelEntry, *, is_hidden: bool) -> Iterator[str]:
    """Yield the lines about a model; another model with the same name overrides it."""
    metadata = entry.metadata
    files = filter(None, (metadata.model, metadata.shares, metadata.tokenizer))
    size = sum(file.bytes for file in files)
    state = "hidden" if is_hidden else metadata.state.value
    yield (
        f"{metadata.name:<24} {state:<7} {metadata.specialist or '-':<12} {size / 1e6:6.1f} MB  "
        f"{metadata.model.sha256[:12]}  {metadata.title or metadata.task}"
    )
    if entry.overstated:
        yield f"{'':<24} counts as shadow: {entry.overstated}"
    if not entry.is_built:
        yield f"{'':<24} not built: {entry.build_command}"
