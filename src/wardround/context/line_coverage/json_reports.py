"""Readers of the JSON formats: that of coverage.py, and ``coverage-final.json`` of Istanbul."""

from __future__ import annotations

import msgspec

from wardround.context.line_coverage.model import CoverageUnreadable, LineTable, MeasuredLines


class _PythonFile(msgspec.Struct):
    executed_lines: list[int]
    missing_lines: list[int]


class _PythonReport(msgspec.Struct):
    """The parts of a JSON report of coverage.py that are read."""

    files: dict[str, _PythonFile]


class _Position(msgspec.Struct):
    line: int


class _Location(msgspec.Struct):
    start: _Position


class _ScriptFile(msgspec.Struct, rename={"statements": "statementMap"}):
    """The parts of a file of Istanbul that are read: ``s`` counts the runs of each statement."""

    path: str
    statements: dict[str, _Location]
    s: dict[str, int]


def read_json(content: bytes) -> tuple[str, MeasuredLines]:
    """Return the format and the lines of a JSON report.

    Raises:
        CoverageUnreadable: it does not have one of these formats.
    """
    for name, read in (("coverage.py", _python), ("istanbul", _istanbul)):
        try:
            return name, read(content)
        except (msgspec.MsgspecError, RecursionError):
            continue
    raise CoverageUnreadable("it is neither a JSON report of coverage.py nor one of Istanbul")


def _python(content: bytes) -> MeasuredLines:
    table = LineTable()
    for path, file in msgspec.json.decode(content, type=_PythonReport).files.items():
        table.file(path)
        for line in file.missing_lines:
            table.add(path, line, ran=False)
        for line in file.executed_lines:
            table.add(path, line, ran=True)
    return MeasuredLines(table.files)


def _istanbul(content: bytes) -> MeasuredLines:
    table = LineTable()
    for file in msgspec.json.decode(content, type=dict[str, _ScriptFile]).values():
        table.file(file.path)
        for number, location in file.statements.items():
            table.add(file.path, location.start.line, ran=file.s.get(number, 0) > 0)
    return MeasuredLines(table.files)
