"""Where a case for a function would belong: the nearest of the tests there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wardround.checks.source import ChangedFileView, RepositoryView
from wardround.retrieval.test_discovery import TestFile, holds_tests
from wardround.retrieval.test_selection import (
    TargetFunction,
    TestMatch,
    Tests,
    changed_lines,
    nearness,
    subject_named,
)

_READ = 4
"""Files of tests that are read for one function."""
_LONGEST = 200_000
"""Characters; longer files of tests are generated."""


def subject_of(file: ChangedFileView, name: str) -> TargetFunction:
    """A function that a change touches, as tests are looked for it; without a body if it is written oddly."""
    found = subject_named(file.path, file.text or "", name)
    if found is None:
        return TargetFunction(file.path, name, name)
    before = subject_named(file.base_path or file.path, file.base_text or "", name)
    return replace(found, changed=changed_lines(before.text if before else "", found.text))


class Nearest:
    """The tests of a project; of each function's, those of the files nearest by their paths are read.

    What uses the function is not asked for: that was measured to find no more of the right files.

    Args:
        paths: the files of tests to choose from.
    """

    def __init__(self, project: RepositoryView, paths: Sequence[str]) -> None:
        self._project = project
        self._paths = [path for path in paths if holds_tests(path)]
        self._files: dict[str, TestFile] = {}

    def to(self, subject: TargetFunction) -> TestMatch | None:
        """The nearest test, whose score says how near; None where there is none."""
        order = sorted(self._paths, key=lambda path: (-nearness(path, subject.path), path))
        found = Tests([self._file(path) for path in order[:_READ]]).rank(subject, (), 1)
        return found[0] if found else None

    def _file(self, path: str) -> TestFile:
        if path not in self._files:
            self._files[path] = TestFile(path, (self._project.read(path) or "")[:_LONGEST])
        return self._files[path]
