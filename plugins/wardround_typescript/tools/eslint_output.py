"""The output of eslint; imported when there is output to read."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import Edit, RawFinding, Severity, Span, SuggestedFix
from wardround.tools.parsing import collapse_whitespace, decode_output, relative, span_of
from wardround.tools.tool import Invocation

_ERROR = 2
"""The severity of a rule that the configuration of the project makes an error."""


class EslintFix(msgspec.Struct):
    range: tuple[int, int]
    text: str


class EslintMessage(msgspec.Struct, rename="camel"):
    rule_id: str | None
    message: str
    severity: int
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    fatal: bool = False
    fix: EslintFix | None = None


class EslintFile(msgspec.Struct, rename="camel"):
    file_path: str
    messages: list[EslintMessage]


def parse(output: bytes, run: Invocation) -> list[RawFinding]:
    """Read ``eslint -f json``, with columns and ranges in UTF-16 units and a message for ignored files.

    Raises:
        ToolOutputError: a requested file is missing from the output.
    """
    result = decode_output(output, list[EslintFile])
    spoken_of = {
        relative(os.path.realpath(lint_result.file_path), _resolve_root(run)) for lint_result in result
    }
    if missing := sorted(set(run.files) - spoken_of):
        raise ToolOutputError(f"eslint reports nothing about {missing[0]}")
    found = []
    for lint_result in result:
        file = relative(os.path.realpath(lint_result.file_path), _resolve_root(run))
        text = Utf16Text((run.root / file).read_text("utf-8-sig")) if lint_result.messages else Utf16Text("")
        found += [
            _result(file, message, text)
            for message in lint_result.messages
            if message.rule_id or message.fatal
        ]
    return found


def _resolve_root(run: Invocation) -> Invocation:
    return Invocation(run.program, Path(os.path.realpath(run.root)), run.files, run.environment, run.scratch)


class Utf16Text:
    """A string with positions in UTF-16 units."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._plain = text.isascii()
        self._units = text.encode("utf-16-le")

    def column(self, line: int, column: int) -> int:
        """Return the column in code points for a column in UTF-16 units, both 1-based."""
        if self._plain or line > len(self._lines):
            return column
        units = self._lines[line - 1].encode("utf-16-le")[: 2 * (column - 1)]
        return len(units.decode("utf-16-le", "replace")) + 1

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset from the start of the text."""
        before = self._units[: 2 * offset].decode("utf-16-le", "replace")
        return before.count("\n") + 1, len(before) - before.rfind("\n")


def _result(file: str, message: EslintMessage, text: Utf16Text) -> RawFinding:
    is_error = message.severity == _ERROR and not message.fatal
    return RawFinding(
        "syntax-error" if message.fatal else message.rule_id or "syntax-error",
        file,
        _span(message, text),
        collapse_whitespace(message.message),
        fix=_fix(file, message, text),
        severity=Severity.ERROR if is_error else None,
        explicitly_enabled=is_error,
    )


def _span(message: EslintMessage, text: Utf16Text) -> Span:
    """Return the span of a message; missing fields give the file's first position, or an empty span."""
    line, column = message.line or 1, message.column or 1
    end_line, end_column = message.end_line or line, message.end_column or column
    return span_of(line, text.column(line, column), end_line, text.column(end_line, end_column))


def _fix(file: str, message: EslintMessage, text: Utf16Text) -> SuggestedFix | None:
    if message.fix is None:
        return None
    start, end = message.fix.range
    span = Span(*text.position(start), *text.position(end))
    return SuggestedFix("apply eslint's fix", False, (Edit(file, span, message.fix.text),))
