"""Sequences as text: a table of many, and the entries of one; the caller escapes the lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from wardround_lab.experiments.storage.model import Entry, SequenceSummary

_HEADINGS = ("sequence", "begun", "experiment", "instance", "outcome", "entries", "configuration", "rewards")
_INDENT = "    "


def table_lines(found: Sequence[SequenceSummary]) -> Iterator[str]:
    """Yield the lines of a table, with a heading unless it is empty."""
    rows = [_HEADINGS, *map(_cells, found)] if found else []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _cells(summary: SequenceSummary) -> tuple[str, ...]:
    header = summary.header
    return (
        header.id,
        header.created,
        header.experiment,
        header.instance,
        summary.outcome or "-",
        str(summary.entries),
        _pairs({name: _json(value) for name, value in header.configuration.items()}) or "-",
        _pairs({name: f"{value:.4g}" for name, value in summary.rewards.items()}),
    )


def _pairs(values: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in values.items())


def _json(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def entry_lines(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the lines of entries: a heading with position, kind and name, and the content below."""
    for position, entry in enumerate(entries):
        yield f"{position} {entry.kind} {entry.name}".rstrip()
        for line in _content(entry).split("\n"):
            yield f"{_INDENT}{line}"


def _content(entry: Entry) -> str:
    """Return a string as its text, and any other content as JSON on several lines."""
    content = bytes(entry.content)
    value = msgspec.json.decode(content)
    return value if isinstance(value, str) else msgspec.json.format(content, indent=2).decode()
