"""The output of biome; imported when there is output to read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawFinding, Severity
from wardround.languages import jsonc
from wardround.tools.parsing import collapse_whitespace, decode_output, relative, span_of
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
    """Parse ``biome lint --reporter=json``; the exit status does not show the result, so the summary is
    parsed.

    Raises:
        ToolOutputError: it could not read a file, or it counts errors that are not in its output.
    """
    report = decode_output(output, BiomeOutput)
    errors = _errors_of_project(run)
    findings = [_to_finding(diagnostic, run, errors) for diagnostic in report.diagnostics]
    if report.summary.errors and not report.diagnostics:
        raise ToolOutputError(f"biome counts {report.summary.errors} errors but lists none")
    return [finding for finding in findings if finding is not None]


def _to_finding(diagnostic: BiomeDiagnostic, run: Invocation, errors: frozenset[str]) -> RawFinding | None:
    category, location = diagnostic.category or "", diagnostic.location
    if category.startswith(_FAILURES):
        raise ToolOutputError(f"biome: {collapse_whitespace(diagnostic.message)}")
    if location is None or not category.startswith(("lint/", "parse")):
        return None
    if location.path is None or location.start is None:
        return None
    end = location.end or location.start
    is_error = diagnostic.severity == "error" and not errors.isdisjoint(category.split("/"))
    return RawFinding(
        _code(category),
        relative(posixpath.join(run.folder, location.path), run),
        span_of(location.start.line, location.start.column, end.line, end.column),
        collapse_whitespace(diagnostic.message),
        severity=Severity.ERROR if is_error else None,
        explicitly_enabled=is_error,
    )


def _code(category: str) -> str:
    return "syntax-error" if category.startswith("parse") else category.rpartition("/")[2]


def _errors_of_project(run: Invocation) -> frozenset[str]:
    """Return the rules and groups of rules that the configurations in the snapshot make errors."""
    folders = {folder for file in run.files for folder in PurePosixPath(file).parents}
    configs = (run.root / folder / name for folder in folders for name in CONFIG_NAMES)
    names: set[str] = set()
    for config in configs:
        if config.is_file():
            names.update(_errors_in(jsonc.loads(config.read_text("utf-8", "replace"))))
    return frozenset(names)


def _errors_in(value: object) -> Iterator[str]:
    match value:
        case dict():
            for name, setting in value.items():
                if _level(setting) == "error":
                    yield name
                yield from _errors_in(setting)
        case list():
            for item in value:
                yield from _errors_in(item)


def _level(setting: object) -> object:
    return setting.get("level") if isinstance(setting, dict) else setting
