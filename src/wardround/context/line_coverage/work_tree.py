"""The coverage files of a work tree, and the changed source files as they are there."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.change.repository import INDEX, WORKTREE
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
        read: path -> the content of a changed file at the head.
    """
    git_source = source.in_repository
    if git_source is None or git_source.repository.bare:
        return ChangeCoverage()
    root = source.root
    measurable = [file for file in change.files if _is_measurable(file) and is_source(file)]
    if not measurable or not (names or _has_usual_file(root)):
        return ChangeCoverage()
    under_control = INDEX if change.head == WORKTREE else change.head
    tracked = frozenset(git_source.repository.tracked_paths(under_control))
    sources = filter(None, (_source(root, file, read(file.path)) for file in measurable))
    contents = list(_contents(root, names or DEFAULT_FILES, tracked, is_required=bool(names)))
    return changed_coverage(list(sources), contents, root.as_posix(), tracked)


def _has_usual_file(root: Path) -> bool:
    return any((root / name).is_file() for name in DEFAULT_FILES)


def _is_measurable(file: ChangedFile) -> bool:
    is_code = language_of(file.path) in ("python", "script")
    return is_code and file.is_regular and file.status is not FileStatus.DELETED and not file.fragment


def _source(root: Path, file: ChangedFile, text: str | None) -> ChangedSource | None:
    if text is None:
        return None
    added = frozenset(file.added_line_numbers(text.count("\n") + 1))
    try:
        there = _read(root, file.path)
    except OSError:
        there = _Content(b"", 0)
    content = text.encode("utf-8", "surrogateescape")
    is_same = there.data.replace(b"\r\n", b"\n") == content.replace(b"\r\n", b"\n")
    path = escape_undecodable(file.path)
    problem = "" if is_same else f"{path} in the work tree is not the reviewed version"
    return ChangedSource(file.path, text, added, problem, there.changed_ns)


def _contents(
    root: Path, names: Sequence[str], tracked: Collection[str], *, is_required: bool
) -> Iterator[CoverageContent]:
    for name in dict.fromkeys(names):
        found = _coverage_content(root, name, tracked)
        if found.state is not CoverageState.MISSING or is_required:
            yield replace(found, is_required=is_required)


def _coverage_content(root: Path, name: str, tracked: Collection[str]) -> CoverageContent:
    if name in tracked:
        reason = "it is under version control; only a test run may write it"
        return CoverageContent(name, None, CoverageState.TRACKED, reason)
    try:
        found = _read(root, name)
    except (FileNotFoundError, NotADirectoryError):
        return CoverageContent(name, None, CoverageState.MISSING, "it does not exist")
    except OSError as cause:
        reason = f"it cannot be read: {cause.strerror}"
        return CoverageContent(name, None, CoverageState.UNREADABLE, reason)
    return CoverageContent(name, found.data, written_ns=found.changed_ns)


class _Content(NamedTuple):
    """The content of a file, up to one byte above the limit, and the time of its last change."""

    data: bytes
    changed_ns: int


def _read(root: Path, name: str) -> _Content:
    """Read a regular file of the work tree; links are not followed.

    Raises:
        OSError: there is none, or it cannot be read.
    """
    path = root / name
    if not path.parent.resolve().is_relative_to(root.resolve()):
        raise OSError(errno.EXDEV, "its folder is outside of the repository")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as stream:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return _Content(stream.read(MOST_BYTES + 1), known.st_mtime_ns)
