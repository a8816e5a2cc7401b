"""The output of biome; imported when there is output to read."""

from __future__ import annotations

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawFinding
from wardround.tools.parsing import collapse_whitespace, decoded, relative, span_of
from wardround.tools.tool import Invocation


class BiomePlace(msgspec.Struct):
    line: int
    column: int


class BiomeLocation(msgspec.Struct):
    path: str | None = None
    start: BiomePlace | None = None
    end: BiomePlace | None = None


class BiomeDiagnostic(msgspec.Struct):
    message: str
    severity: str
    category: str | None = None
    location: BiomeLocation | None = None


class BiomeSummary(msgspec.Struct):
    changed: int
    unchanged: int
    errors: int


class BiomeOutput(msgspec.Struct):
    summary: BiomeSummary
    diagnostics: list[BiomeDiagnostic]


def parse(output: bytes, run: Invocation) -> list[RawFinding]:
    """Read ``biome lint --reporter=json``; its exit status carries no result, so the summary is read.

    Raises:
        ToolOutputError: it could not read a file, or it counts errors that are not in its output.
    """
    answer = decoded(output, BiomeOutput)
    found = []
    for one in answer.diagnostics:
        category = one.category or ""
        if category.startswith(("fs/", "internalError/", "configuration", "deserialize", "project")):
            raise ToolOutputError(f"biome: {collapse_whitespace(one.message)}")
        if one.location is None or one.location.path is None or one.location.start is None:
            continue
        start, end = one.location.start, one.location.end or one.location.start
        span = span_of(start.line, start.column, end.line, end.column)
        code = "syntax-error" if category.startswith("parse") else category.rpartition("/")[2]
        if category.startswith(("lint/", "parse")):
            found.append(
                RawFinding(code, relative(one.location.path, run), span, collapse_whitespace(one.message))
            )
    if answer.summary.errors and not answer.diagnostics:
        raise ToolOutputError(f"biome counts {answer.summary.errors} errors but lists none")
    return found
