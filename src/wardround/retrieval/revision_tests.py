"""The tests of one version of a repository that most likely cover some functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap

from wardround.change.repository import Repository
from wardround.retrieval.blob_text import blob_text
from wardround.retrieval.file_search import is_accompanying_file, is_source
from wardround.retrieval.index import IndexedFile, Progress, SearchIndex, using
from wardround.retrieval.test_discovery import TestFile, contains_tests
from wardround.retrieval.test_selection import TargetFunction, TestMatch, Tests, same_language, users
from wardround.text.search_terms import count_words

MOST_SUBJECTS = 40
_MOST_FILES = 60
"""Maximum number of test files read for one function, the most similar ones by their words."""
_MOST_USING = 25


class RevisionTests:
    """The tests of a commit, or of the index.

    Args:
        written: path -> text of test files that differ from that version; None for a deleted one.

    Attributes:
        files: the paths of the test files, sorted.
    """

    def __init__(
        self,
        repository: Repository,
        blobs: Mapping[str, str],
        written: Mapping[str, str | None],
        progress: Progress = lambda text: None,
    ) -> None:
        self._repository = repository
        self._blobs = blobs
        self._written = written
        self._progress = progress
        self.files = [path for path in sorted({*blobs, *written}) if contains_tests(path)]

    def text(self, path: str) -> str | None:
        """Return the text of a file; None if it is missing or not text."""
        if path in self._written:
            return self._written[path]
        return blob_text(self._repository, self._blobs[path]) if path in self._blobs else None

    def matches(self, requested: Sequence[TargetFunction]) -> list[TestMatch]:
        """Return the tests of the first functions, best first, each at its highest score."""
        best: dict[str, TestMatch] = {}
        first = requested[:MOST_SUBJECTS]
        for match in using(self._repository.git_dir, lambda index: list(self._ranked_tests(first, index))):
            if match.case.id not in best or match.score > best[match.case.id].score:
                best[match.case.id] = match
        return sorted(best.values(), key=lambda match: (-match.score, match.case.path, match.case.line))

    def _ranked_tests(self, requested: Sequence[TargetFunction], index: SearchIndex) -> Iterator[TestMatch]:
        """Return the tests of each function that share evidence with it."""
        code = [path for path in self._blobs if is_source(path) and not is_accompanying_file(path)]
        paths = (*code, *self.files)
        entries = [IndexedFile(path, self._blobs[path]) for path in paths if path in self._blobs]
        index.update(entries, lambda entry: self.text(entry.path), None, self._progress)
        for subject in requested:
            yield from self._tests_of(subject, code, index)

    def _tests_of(self, subject: TargetFunction, code: Sequence[str], index: SearchIndex) -> list[TestMatch]:
        own_tests = [path for path in self.files if same_language(path, subject.path)]
        own_code = [path for path in code if same_language(path, subject.path)]
        tests = Tests(list(starmap(TestFile, self._texts(self._nearest(subject, own_tests, index)))))
        using_it = self._first(count_words(subject.own), own_code, index, _MOST_USING)
        matches = tests.rank(subject, users(subject, self._texts(using_it)))
        return [match for match in matches if match.score > 0]

    def _texts(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        for path in paths:
            yield path, self.text(path) or ""

    def _nearest(self, subject: TargetFunction, files: Sequence[str], index: SearchIndex) -> list[str]:
        """Return the test files to read: all, or those that share the most words with the function."""
        retained = [path for path in files if path in self._blobs and path not in self._written]
        written = [path for path in files if self._written.get(path) is not None]
        if len(retained) > _MOST_FILES:
            retained = self._first(subject.words, retained, index, _MOST_FILES)
        return sorted({*retained, *written})

    def _first(self, words: dict[str, int], paths: Sequence[str], index: SearchIndex, most: int) -> list[str]:
        """Return the files that share words, best first."""
        scores = index.words_scores(words, [IndexedFile(path, self._blobs[path]) for path in paths])
        order = sorted(range(len(paths)), key=lambda at: (-scores[at], paths[at]))
        return [paths[at] for at in order[:most] if scores[at] > 0]
