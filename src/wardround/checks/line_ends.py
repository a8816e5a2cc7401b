"""Checks of languages in which a single carriage return ends a line, as in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from wardround.checks.source import SourceFile
from wardround.findings import RawFinding
from wardround.text.line_ends import NewlinePositions
from wardround.text.line_index import has_lone_returns, with_newlines


def run_by_lines(
    run: Callable[[SourceFile], Iterable[RawFinding]], source: SourceFile
) -> Iterable[RawFinding]:
    """Run checks of a language in which a single carriage return ends a line; results are by newlines."""
    if not has_lone_returns(source.text):
        return run(source)
    positions = NewlinePositions(source.text)

    def base() -> str | None:
        text = source.read_base()
        return None if text is None else with_newlines(text)

    plain = replace(
        source,
        text=with_newlines(source.text),
        read_base=base,
        is_added=lambda number: source.is_added(positions.line(number)),
        added_lines=None,
    )
    return [positions.result(result) for result in run(plain)]
