from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from wardround.cli.lab.sequence_options import (
    condition_options,
    open_named_storage,
    sequence_query,
    storage_option,
)
from wardround.cli.messages import echo_err
from wardround.errors import UsageError

_STANDARD_OUTPUT = "-"


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@condition_options
@storage_option
def command(file: Path, storage_name: str, **conditions: Any) -> None:
    """Write the sequences that meet all conditions to FILE as lines of JSON; - is standard output."""
    from wardround_lab.experiments.storage.export import exported_lines

    query = sequence_query(conditions)
    with open_named_storage(storage_name, create=False) as storage:
        _write(file, exported_lines(storage, query))


def _write(file: Path, lines: Iterable[bytes]) -> None:
    from wardround.storage.atomic import open_atomic

    if os.fspath(file) == _STANDARD_OUTPUT:
        _write_output(lines)
        return
    try:
        with open_atomic(file) as stream:
            stream.writelines(lines)
    except OSError as cause:
        raise UsageError(f"{file} cannot be written: {cause.strerror}; name another file") from cause
    echo_err(f"wardround: {file} is written")


def _write_output(lines: Iterable[bytes]) -> None:
    """Write the lines as they are: escaped for a terminal, contents would not have their digests."""
    if sys.stdout.isatty():
        raise UsageError("the lines are not for a terminal; name a file, or redirect the output")
    sys.stdout.flush()
    sys.stdout.buffer.writelines(lines)
    sys.stdout.buffer.flush()
