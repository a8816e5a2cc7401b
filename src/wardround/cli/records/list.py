from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit, emit_line

if TYPE_CHECKING:
    from wardround.records.store import StoredRecord

_DIGITS = 12
"""Digits of a digest that a list shows; enough to name a record."""


@click.command("list")
@click.option("--verdict", help="Only this verdict.")
@click.option("--tier", help="Only this tier.")
@click.option("--rule", help="Only reviews with a finding of this rule.")
@click.option("--author", help="Only authors that contain this text.")
@click.option("--since", metavar="TIME", help="Only from this date or time on (UTC, ISO 8601).")
@click.option("--until", metavar="TIME", help="Only up to this date, included, or before this time.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N",
              help="Number of records, the newest first.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@store_option
def command(
    since: str | None, until: str | None, limit: int, form: str, store_name: str, **conditions: Any
) -> None:
    """List the records that meet all conditions, the newest first."""
    from wardround.records import store, time_bounds

    query = store.Query(
        since=time_bounds.since(since) if since else None,
        until=time_bounds.until(until) if until else None,
        **conditions,
    )
    with store.opened_if_present(store_location(store_name)) as records:
        found = records.query(query, limit) if records else ()
    if form == "json":
        _show_json(found)
    else:
        _show_text(found)


def _show_text(found: Sequence[StoredRecord]) -> None:
    for record in found:
        emit_line(
            f"{record.digest[:_DIGITS]}  {record.created}  {record.tier} {record.verdict:<13} "
            f"{record.head[:_DIGITS]:<{_DIGITS}}  {record.repository}  {record.author}".rstrip()
        )
    emit_line(f"{len(found)} record{'s' if len(found) != 1 else ''}")


def _show_json(found: Sequence[StoredRecord]) -> None:
    import msgspec

    from wardround.text.escaping import json_text

    emit(json_text(msgspec.json.format(msgspec.json.encode(found), indent=1)) + "\n", escaped=True)
