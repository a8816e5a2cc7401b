from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.lab.sequence_options import (
    condition_options,
    open_named_storage,
    sequence_query,
    storage_option,
)
from wardround.cli.run import emit, emit_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround_lab.experiments.storage.model import SequenceSummary
    from wardround_lab.experiments.storage.sequence_storage import SequenceStorage


@click.command("query")
@condition_options
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
              help="Number of sequences, the oldest first.")  # fmt: skip
@click.option("--show", metavar="SEQUENCE", help="Print the entries of one sequence instead.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@storage_option
def command(limit: int, show: str | None, form: str, storage_name: str, **conditions: Any) -> None:
    """List the sequences that meet all conditions, or print the entries of one."""
    query = sequence_query(conditions, limit + 1)
    with open_named_storage(storage_name, create=False) as storage:
        if show is not None:
            _show_entries(storage, show, form)
            return
        found = list(storage.find(query))
    if form == "json":
        _show_json([{"sequence": summary.header.id, "summary": summary} for summary in found[:limit]])
    else:
        _show_table(found[:limit], has_more=len(found) > limit)


def _show_table(found: Sequence[SequenceSummary], *, has_more: bool) -> None:
    from wardround_lab.experiments.storage.text import table_lines

    _emit_lines(table_lines(found))
    counted = f"{len(found)} sequence{'' if len(found) == 1 else 's'}"
    emit_line(f"{counted}; there are more, see --limit" if has_more else counted)


def _show_entries(storage: SequenceStorage, sequence: str, form: str) -> None:
    from wardround_lab.experiments.storage.text import entry_lines

    entries = storage.entries(sequence)
    if not entries:
        raise UsageError(
            f"sequence {sequence!r} has no entries; lab query without --show lists the sequences"
        )
    if form == "json":
        _show_json(entries)
        return
    _emit_lines(entry_lines(entries))


def _emit_lines(lines: Iterable[str]) -> None:
    """Print lines with stored text, which is escaped but not changed otherwise."""
    from wardround.text.escaping import one_line

    emit("".join(f"{one_line(line)}\n" for line in lines))


def _show_json(values: Sequence[Any]) -> None:
    import msgspec

    from wardround.text.escaping import json_text

    emit(json_text(msgspec.json.format(msgspec.json.encode(values), indent=1)) + "\n", escaped=True)
