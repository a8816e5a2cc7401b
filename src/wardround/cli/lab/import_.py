from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.lab.sequence_options import open_named_storage, storage_option
from wardround.cli.run import emit_line


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@storage_option
def command(file: Path, storage_name: str) -> None:
    """Add what the storage lacks of FILE, which lab export wrote; nothing of a damaged file is added."""
    from wardround_lab.experiments.storage.transfer import import_file
    from wardround_lab.experiments.storage.transfer_file import TransferFile

    with open_named_storage(storage_name) as storage:
        added = import_file(storage, TransferFile(file))
    emit_line(
        f"added {_quantity(added.runs, 'run', 'runs')}, {_quantity(added.sequences, 'sequence', 'sequences')}"
        f" and {_quantity(added.entries, 'entry', 'entries')}"
    )


def _quantity(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"
