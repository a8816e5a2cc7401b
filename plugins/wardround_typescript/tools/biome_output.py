"""The output of biome; imported when there is output to read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawFinding, Severity
from wardround.languages import jsonc
from wardround.tools.parsing import collapse_whitespace, decoded, relative, span_of
from wardround.tools.tool import Invocation
from wardround_typescript.tools.biome import CONFIG_NAMES

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
    errors = _errors_of_project(run)
    findings = [_finding(diagnostic, run, errors) for diagnostic in report.diagnostics]
    if report.summary.errors and not report.diagnostics:
        raise ToolOutputError(f"biome counts {report.summary.errors} errors but lists none")
    return [finding for finding in findings if finding is not None]


def _finding(diagnostic: BiomeDiagnostic, run: Invocation, errors: frozenset[str]) -> RawFinding | None:
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
    is_error = diagnostic.severity == "error" and not errors.isdisjoint(category.split("/"))
    return RawFinding(
        code,
        file,
        span,
        collapse_whitespace(diagnostic.message),
        severity=Severity.ERROR if is_error else None,
        explicitly_enabled=is_error,
    )


def _errors_of_project(run: Invocation) -> frozenset[str]:
    """Return the rules and groups of rules that the configurations in the snapshot make errors."""
    folders = {folder for file in run.files for folder in PurePosixPath(file).parents}
    configs = (run.root / folder / name for folder in folders for name in CONFIG_NAMES)
    texts = [config.read_text("utf-8", "replace") for config in configs if config.is_file()]
    return frozenset(name for text in texts for name in _errors_in(jsonc.loads(text)))


def _errors_in(value: object) -> Iterator[str]:
    entries = value.items() if isinstance(value, dict) else ()
    for name, setting in entries:
        level = setting.get("level") if isinstance(setting, dict) else setting
        if level == "error":
            yield name
        yield from _errors_in(setting)
    for item in value if isinstance(value, list) else ():
        yield from _errors_in(item)
