"""The output of biome; imported when there is output to read."""

from __future__ import annotations

import posixpath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawFinding
from wardround.tools.parsing import collapse_whitespace, decoded, relative, span_of
from wardround.tools.tool import Invocation

_FAILURES = ("fs/", "internalError/", "configuration", "deserialize", "project")


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
    report = decoded(output, BiomeOutput)
    findings = [_finding(diagnostic, run) for diagnostic in report.diagnostics]
    if report.summary.errors and not report.diagnostics:
        raise ToolOutputError(f"biome counts {report.summary.errors} errors but lists none")
    return [finding for finding in findings if finding is not None]


def _finding(diagnostic: BiomeDiagnostic, run: Invocation) -> RawFinding | None:
    category, location = diagnostic.category or "", diagnostic.location
    if category.startswith(_FAILURES):
        raise ToolOutputError(f"biome: {collapse_whitespace(diagnostic.message)}")
    if location is None or location.path is None or location.start is None:
        return None
    if not category.startswith(("lint/", "parse")):
        return None
    start, end = location.start, location.end or location.start
    span = span_of(start.line, start.column, end.line, end.column)
    code = "syntax-error" if category.startswith("parse") else category.rpartition("/")[2]
    file = relative(posixpath.join(run.folder, location.path), run)
    return RawFinding(code, file, span, collapse_whitespace(diagnostic.message))
