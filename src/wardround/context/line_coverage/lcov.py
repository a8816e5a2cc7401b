"""Reader of LCOV tracefiles."""

from __future__ import annotations

from wardround.context.line_coverage.model import CoverageUnreadable, LineTable, MeasuredLines

_FIELDS = 2


def read_lcov(content: bytes) -> MeasuredLines:
    """Return the lines of an LCOV tracefile.

    Raises:
        CoverageUnreadable: a record has another form.
    """
    table, path = LineTable(), ""
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        key, _, value = line.strip().partition(":")
        if key == "SF":
            path = value
            table.file(path)
        elif key == "end_of_record":
            path = ""
        elif key == "DA":
            fields = value.split(",")
            if not path or len(fields) < _FIELDS or not (fields[0].isdigit() and _is_count(fields[1])):
                raise CoverageUnreadable(f"line {number} is not a record of LCOV")
            table.add(path, int(fields[0]), ran=int(fields[1]) > 0)
    if not table.files:
        raise CoverageUnreadable("it has no record of a file")
    return MeasuredLines(table.files)


def _is_count(text: str) -> bool:
    """Return True for a number of runs, which some writers let overflow below 0."""
    return text.removeprefix("-").isdigit() and len(text) < 20
