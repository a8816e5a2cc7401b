"""The nearest existing test of a function, where a new case belongs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wardround.change.repository_view import RepositoryView
from wardround.checks.source import ChangedFileView
from wardround.retrieval.test_discovery import TestFile, contains_tests
from wardround.retrieval.test_selection import (
    TargetFunction,
    TestMatch,
    Tests,
    changed_lines,
    find_subject,
    nearness,
)

_READ = 4
"""Maximum number of test files read for one function."""
_LONGEST = 200_000
"""Maximum length in characters; longer test files are generated."""


def subject_of(file: ChangedFileView, name: str) -> TargetFunction:
    """Return a changed function as a search target; without a body if it cannot be parsed."""
    found = find_subject(file.path, file.text or "", name)
    if found is None:
        return TargetFunction(file.path, name, name)
    before = find_subject(file.base_path or file.path, file.base_text or "", name)
    return replace(found, changed=changed_lines(before.text if before else "", found.text))


class NearestTests:
    """The tests of a project; only the files nearest by path are read for each function.

    Callers of the function are ignored: measurements found no more of the right files with them.

    Args:
        paths: the test files to choose from.
    """

    def __init__(self, project: RepositoryView, paths: Sequence[str]) -> None:
        self._project = project
        self._paths = [path for path in paths if contains_tests(path)]
        self._files: dict[str, TestFile] = {}

    def to(self, subject: TargetFunction) -> TestMatch | None:
        """Return the nearest test with its score; None if there is none."""
        order = sorted(self._paths, key=lambda path: (-nearness(path, subject.path), path))
        found = Tests([self._file(path) for path in order[:_READ]]).rank(subject, (), 1)
        return found[0] if found else None

    def _file(self, path: str) -> TestFile:
        if path not in self._files:
            self._files[path] = TestFile(path, (self._project.read(path) or "")[:_LONGEST])
        return self._files[path]
