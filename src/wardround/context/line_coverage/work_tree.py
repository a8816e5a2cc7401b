"""The coverage files of a work tree, and the changed source files as they are there."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from wardround.change.change_source import ChangeSource, GitChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.change_tests import ChangeCoverage, CoverageState
from wardround.context.code_graph.extraction import language_of
from wardround.context.line_coverage.changed_lines import ChangedSource, CoverageContent, changed_coverage
from wardround.context.line_coverage.formats import MOST_BYTES

DEFAULT_FILES = (
    "coverage.xml", "coverage.json", ".coverage", "lcov.info", "coverage/lcov.info",
    "coverage/coverage-final.json", "coverage/cobertura-coverage.xml", "coverage/clover.xml", "clover.xml",
)  # fmt: skip
"""The paths that test runners write to if nothing else is configured."""


def work_tree_coverage(
    source: ChangeSource,
    change: Change,
    names: Sequence[str],
    is_source: Callable[[ChangedFile], bool],
    read: Callable[[str], str | None],
) -> ChangeCoverage:
    """Return the coverage of the changed lines; nothing without a work tree or changed source.

    Args:
        names: the coverage files that the configuration names, relative to the root; by default the usual
            ones.
        is_source: True for a changed file whose lines a test run can execute.
        read: path -> the text of a changed file at the head.
    """
    if not isinstance(source, GitChangeSource) or source.repository.bare:
        return ChangeCoverage()
    root = source.root
    measurable = [file for file in change.files if _is_measurable(file) and is_source(file)]
    if not measurable or not (names or any((root / name).is_file() for name in DEFAULT_FILES)):
        return ChangeCoverage()
    tracked = frozenset(source.repository.tracked(change.head))
    sources = [one for file in measurable if (one := _source(root, file, read(file.path))) is not None]
    contents = list(_contents(root, names or DEFAULT_FILES, tracked, is_required=bool(names)))
    return changed_coverage(sources, contents, root.as_posix(), tracked)


def _is_measurable(file: ChangedFile) -> bool:
    is_code = language_of(file.path) in ("python", "script")
    return is_code and file.is_regular and file.status is not FileStatus.DELETED and not file.fragment


def _source(root: Path, file: ChangedFile, text: str | None) -> ChangedSource | None:
    if text is None:
        return None
    added = frozenset(file.added_line_numbers(text.count("\n") + 1))
    try:
        with open(root / file.path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            there, changed = stream.read(), os.fstat(stream.fileno()).st_mtime_ns
    except OSError:
        there, changed = "", 0
    is_same = there.replace("\r\n", "\n") == text.replace("\r\n", "\n")
    path = escape_undecodable(file.path)
    problem = "" if is_same else f"{path} in the work tree is not the reviewed version"
    return ChangedSource(file.path, text, added, problem, changed)


def _contents(
    root: Path, names: Sequence[str], tracked: Collection[str], *, is_required: bool
) -> Iterator[CoverageContent]:
    for name in dict.fromkeys(names):
        if name in tracked:
            reason = "it is under version control; only a test run may write it"
            yield CoverageContent(name, None, CoverageState.TRACKED, reason, is_required=is_required)
            continue
        found = _content(root, name, is_required=is_required)
        if found.state is not CoverageState.MISSING or is_required:
            yield found


def _content(root: Path, name: str, *, is_required: bool) -> CoverageContent:
    """Read a file inside of the work tree, up to the limit; links are not followed."""
    path = root / name
    if not path.parent.resolve().is_relative_to(root.resolve()):
        reason = "its folder is outside of the repository"
        return CoverageContent(name, None, CoverageState.UNREADABLE, reason, is_required=is_required)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        reason = "it does not exist"
        return CoverageContent(name, None, CoverageState.MISSING, reason, is_required=is_required)
    except OSError as cause:
        reason = f"it cannot be read: {cause.strerror}"
        return CoverageContent(name, None, CoverageState.UNREADABLE, reason, is_required=is_required)
    with open(descriptor, "rb") as stream:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            reason = "it is not a regular file"
            return CoverageContent(name, None, CoverageState.UNREADABLE, reason, is_required=is_required)
        content = stream.read(MOST_BYTES + 1)
    return CoverageContent(name, content, written_ns=known.st_mtime_ns, is_required=is_required)
