from __future__ import annotations

import click

from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit_line


@click.command("prune")
@click.option(
    "--keep-days", type=click.IntRange(min=1), metavar="N", help="Keep the records of the last N days."
)
@click.option("--keep-newest", type=click.IntRange(min=1), metavar="N", help="Keep the newest N records.")
@click.option("--apply", "applies", is_flag=True, help="Delete; without it, only show what would be deleted.")
@store_option
def command(keep_days: int | None, keep_newest: int | None, applies: bool, store_name: str) -> None:
    """Delete the oldest records, of which none is to be kept by any of the options.

    Without --apply nothing is deleted. The store lists the digests of deleted records, and its chain still
    holds; export the records first if you may need them.
    """
    import datetime

    from wardround.records import store
    from wardround.records.retention import retention_of

    if keep_days is None and keep_newest is None:
        raise click.UsageError("give --keep-days N, --keep-newest N or both")
    retention = retention_of(keep_days, keep_newest, datetime.datetime.now(datetime.UTC))
    with store.open_existing(store_location(store_name)) as records:
        found = records.prune(retention) if applies else records.prunable(retention)
    for record in reversed(found):
        verb = "deleted" if applies else "would delete"
        emit_line(f"{verb} {record.digest}  {record.created}  {record.repository}".rstrip())
    count = f"{len(found)} record{'s' if len(found) != 1 else ''}"
    emit_line(f"{count} deleted" if applies else f"{count} would be deleted; --apply deletes")
