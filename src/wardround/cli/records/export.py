from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit, emit_line
from wardround.errors import UsageError

_ENVELOPE_SUFFIX = ".json"


@click.command("export")
@click.argument("digest", required=False)
@click.option("--all", "every", is_flag=True, help="Export every record; needs --out.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="Folder for the files (default: standard output).")  # fmt: skip
@click.option("--predicate", type=click.Choice(["review", "svr", "test-result", "vsa"]),
              help="Only the envelope of this predicate.")  # fmt: skip
@store_option
def command(
    digest: str | None, every: bool, out: Path | None, predicate: str | None, store_name: str
) -> None:
    """Export the record whose digest begins with DIGEST as a file that wardround verify reads."""
    from wardround.records import store

    if every == (digest is not None):
        raise click.UsageError("give either DIGEST or --all")
    if every and out is None:
        raise click.UsageError("--all needs --out DIR")
    with store.open_existing(store_location(store_name)) as records:
        found = (records.get(digest),) if digest is not None else records.query(store.Query())
        for record in reversed(found):
            _write(record.digest, _record_part(records.data(record), predicate), out, predicate)


def _record_part(data: bytes, predicate: str | None) -> bytes:
    from wardround.records.statement import PREDICATE_NAMES

    if predicate is None:
        return data
    lines = data.splitlines(keepends=True)
    line = list(PREDICATE_NAMES).index(predicate)
    if line >= len(lines):
        raise UsageError(f"the record has no {predicate}: its version is too old; export another predicate")
    return lines[line]


def _write(digest: str, content: bytes, out: Path | None, predicate: str | None) -> None:
    from wardround.cli.work_tree import current_work_tree
    from wardround.records.bundle import SUFFIX
    from wardround.storage import directories

    if out is None:
        emit(content.decode(), escaped=True)
        return
    file = out / f"{digest}{SUFFIX if predicate is None else f'.{predicate}{_ENVELOPE_SUFFIX}'}"
    try:
        directories.replace_file(file, content, current_work_tree())
    except OSError as cause:
        raise UsageError(
            f"{file} cannot be written: {cause.strerror}; give another folder with --out"
        ) from cause
    emit_line(str(file))
