"""Parsing the output of static tools, and the maps of their codes."""

from __future__ import annotations

import os
from functools import cache
from typing import TypeVar

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import Span
from wardround.rules.tool_map import ToolMapFile, load_tool_map
from wardround.tools.tool import Invocation

RAN = frozenset({0, 1})
"""The exit statuses of most linters that ran, with findings or without."""

Decoded = TypeVar("Decoded")


def decode_output(output: bytes, kind: type[Decoded]) -> Decoded:
    """Decode JSON into the values of a tool's output.

    Raises:
        ToolOutputError: it is nested too deeply.
        msgspec.MsgspecError: it does not have the known form of the tool's output.
    """
    try:
        return msgspec.json.decode(output, type=kind)
    except RecursionError as cause:
        raise ToolOutputError("its output is nested too deeply") from cause


def relative(path: str, run: Invocation) -> str:
    """Return a path from a tool's output, relative to the snapshot's root.

    Raises:
        ToolOutputError: it is none of the files that were passed to the tool.
    """
    relative = os.path.normpath(os.path.relpath(path, run.root) if os.path.isabs(path) else path)
    if relative not in run.files:
        raise ToolOutputError(f"it named {path!r}, which is not one of its files")
    return relative


def collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def span_of(line: int, column: int, end_line: int | None = None, end_column: int | None = None) -> Span:
    """Return a span from a tool that may omit or swap the end; values below 1 count as 1."""
    line, column = max(line, 1), max(column, 1)
    end = (end_line or line, end_column or column)
    return Span(line, column, *(end if end >= (line, column) else (line, column)))


def selection(tool: str) -> str:
    """Return the disabled codes of a tool, as text: its results depend on them."""
    tool_map = map_of(tool)
    return repr((tool_map.ignore, sorted(tool_map.ignore_in.items())))


@cache
def map_of(tool: str) -> ToolMapFile:
    return load_tool_map(tool).content
