"""The coverage of the changed lines, from the coverage files that belong to the tree under review."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from wardround.context.change_tests import ChangeCoverage, CoverageFile, CoverageState, CoveredFile
from wardround.context.code_graph.extraction import language_of
from wardround.context.line_coverage.belonging import has_code, mismatch
from wardround.context.line_coverage.formats import read_coverage
from wardround.context.line_coverage.model import CoverageUnreadable, Lines, MeasuredLines
from wardround.context.line_coverage.paths import measured_paths
from wardround.context.line_coverage.python_statements import executable_lines
from wardround.context.line_coverage.ranges import adjacent

_MOST_RANGES = 200
"""Ranges of lines of a file that a record lists."""


class ChangedSource(msgspec.Struct, frozen=True):
    """A changed source file at the head.

    Attributes:
        added: the numbers of its added lines.
        problem: the reason why no coverage file can belong to it: the work tree contains another version.
        changed_ns: the time of its last change in the work tree, in nanoseconds; 0 if it does not matter.
    """

    path: str
    text: str
    added: frozenset[int]
    problem: str = ""
    changed_ns: int = 0


class CoverageContent(msgspec.Struct, frozen=True):
    """The content of a coverage file.

    Attributes:
        path: relative to the root.
        content: None if it cannot be read; ``problem`` is the reason.
        written_ns: the time of its last change, in nanoseconds.
    """

    path: str
    content: bytes | None
    state: CoverageState = CoverageState.FRESH
    problem: str = ""
    written_ns: int = 0
    is_required: bool = False


class _FreshCoverage(msgspec.Struct, frozen=True):
    """A fresh coverage file: the lines of the changed files, and the languages that it measures."""

    lines: Mapping[str, Lines]
    languages: frozenset[str]


def changed_coverage(
    sources: Sequence[ChangedSource], contents: Iterable[CoverageContent], root: str, tracked: Collection[str]
) -> ChangeCoverage:
    """Return the coverage of the changed lines.

    Args:
        root: the absolute path of the work tree.
        tracked: the paths under version control.
    """
    files, fresh = [], []
    for content in contents:
        file, lines = _coverage_file(content, sources, root, tracked)
        files.append(file)
        if lines is not None:
            fresh.append(lines)
    return ChangeCoverage(tuple(sorted(files)), *_merge_coverage(sources, fresh))


def _coverage_file(
    content: CoverageContent, sources: Sequence[ChangedSource], root: str, tracked: Collection[str]
) -> tuple[CoverageFile, _FreshCoverage | None]:
    file = CoverageFile(content.path, "", content.state, content.problem, content.is_required)
    if content.content is None or content.state is not CoverageState.FRESH:
        return file, None
    try:
        name, measured = read_coverage(content.content)
    except CoverageUnreadable as cause:
        return replace(file, state=CoverageState.UNREADABLE, reason=str(cause)), None
    file = replace(file, format=name)
    found, problem = _lines(content, measured, sources, root, tracked)
    if problem:
        return replace(file, state=CoverageState.STALE, reason=problem), None
    return file, found


def _lines(
    content: CoverageContent,
    measured: MeasuredLines,
    sources: Sequence[ChangedSource],
    root: str,
    tracked: Collection[str],
) -> tuple[_FreshCoverage, str]:
    """Return the lines of the changed files, and the reason why they are not those of the tree."""
    paths = measured_paths(measured, root, content.path.rpartition("/")[0], tracked)
    found: dict[str, Lines] = {}
    for source in sources:
        if source.path in paths:
            lines = measured.files[paths[source.path]]
            problem = source.problem or mismatch(source.path, source.text, lines)
            if not problem and source.changed_ns > content.written_ns:
                problem = f"{source.path} was changed after it was written"
            if problem and not (measured.is_executed_only and not lines):
                return _FreshCoverage({}, frozenset()), problem
            found[source.path] = _executable(source, measured, lines)
    return _FreshCoverage(found, frozenset(map(language_of, paths))), ""


def _executable(source: ChangedSource, measured: MeasuredLines, lines: Lines) -> Lines:
    if measured.is_executed_only:
        return executable_lines(source.text, lines) or {}
    text = source.text.split("\n")
    return {number: ran for number, ran in lines.items() if has_code(source.path, text[number - 1])}


def _merge_coverage(
    sources: Sequence[ChangedSource], fresh: Sequence[_FreshCoverage]
) -> tuple[tuple[CoveredFile, ...], tuple[str, ...]]:
    """Return the coverage of the measured files, and the files that should be measured and are not."""
    languages = frozenset(language for file in fresh for language in file.languages)
    covered, unmeasured = [], []
    for source in sorted(sources, key=lambda source: source.path):
        tables = [file.lines[source.path] for file in fresh if source.path in file.lines]
        if tables:
            covered.append(_covered_file(source, tables))
        elif language_of(source.path) in languages:
            unmeasured.append(source.path)
    return tuple(covered), tuple(unmeasured)


def _covered_file(source: ChangedSource, tables: Sequence[Lines]) -> CoveredFile:
    """Return the coverage of a file: a line ran if it did in one of the test runs."""
    changed = sorted(source.added.intersection(*[frozenset().union(*tables)]))
    missed = [number for number in changed if not any(table.get(number, False) for table in tables)]
    ranges = tuple(adjacent(missed)[:_MOST_RANGES])
    return CoveredFile(source.path, len(changed) - len(missed), ranges)
