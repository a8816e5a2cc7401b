"""``wardround related --tests``: the tests that most likely cover a function or a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.cli.related.corpus import searched_revision, text_of
from wardround.cli.run import open_change
from wardround.errors import UsageError
from wardround.retrieval.file_search import is_accompanying_file, is_source
from wardround.retrieval.index import IndexedFile, SearchIndex, using
from wardround.retrieval.test_discovery import TestFile, contains_tests
from wardround.retrieval.test_selection import (
    TargetFunction,
    TestMatch,
    Tests,
    find_subject,
    names,
    same_language,
    subjects,
    users,
)
from wardround.text.search_terms import count_words

if TYPE_CHECKING:
    from wardround.change.change_source import FileTexts
    from wardround.change.diff import Change
    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec
    from wardround.retrieval.results import RelatedTests

_MOST_SUBJECTS = 40
_MOST_FILES = 60
"""Maximum number of test files read for one function, the most similar ones by their words."""
_MOST_USING = 25
_NAMED = 5

Progress = Callable[[str], None]


def of_function(
    requested: str, repo: Path | None, at: str | None, limit: int, progress: Progress
) -> RelatedTests:
    """Return the tests of a function named ``FILE::FUNCTION``, in a commit or as staged."""
    from wardround.change.repository import Repository

    path, _, name = requested.partition("::")
    if not path or not name:
        raise UsageError(f"{requested}: --tests requires a function, as in src/rows.py::parse_row")
    with Repository(repo) as repository:
        side = searched_revision(repository, at)
        looked = _SearchedRevision(repository, side, {}, progress)
        subject = _subject(looked, _from_root(repository, path), name)
        return looked.related_tests([subject], limit)


def of_change(target: ChangeSpec, limit: int, progress: Progress) -> RelatedTests:
    """Return the tests of the functions that a change adds or changes."""
    from wardround.change.change_source import FileTexts
    from wardround.change.repository import INDEX

    with open_change(target) as (origin, change, repository):
        assert repository is not None
        origin.fetch(change.files)
        texts = FileTexts(origin, change)
        side = INDEX if change.head.startswith(":") else change.head
        written = {file.path: texts.head(file.path) for file in change.files if contains_tests(file.path)}
        looked = _SearchedRevision(repository, side, written, progress)
        return looked.related_tests(list(_touched_functions(change, texts)), limit)


def _touched_functions(change: Change, texts: FileTexts) -> Iterator[TargetFunction]:
    for file in change.files:
        head = None if file.lost or not file.is_regular else texts.head(file.path)
        if head is not None and is_source(file.path) and not is_accompanying_file(file.path):
            yield from subjects(file.path, texts.base(file.path) or "", head)


def _subject(looked: _SearchedRevision, path: str, name: str) -> TargetFunction:
    text = looked.text(path)
    if text is None:
        raise UsageError(
            f"{path}: no such text file in {looked.place}; use a path relative to the repository root"
        )
    found = find_subject(path, text, name)
    if found is None:
        known = names(path, text)
        more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
        has = f"it has {', '.join(known[:_NAMED])}{more}" if known else "none were found in it"
        raise UsageError(f"{path} has no function {name!r}; {has}")
    return found


def _from_root(repository: Repository, path: str) -> str:
    """Return a path relative to the root: relative to the current directory if it exists there."""
    here = Path(path)
    if not repository.bare and here.exists() and here.resolve().is_relative_to(repository.root.resolve()):
        return here.resolve().relative_to(repository.root.resolve()).as_posix()
    return here.as_posix()


class _SearchedRevision:
    """The repository at base or head that is searched for tests.

    Args:
        written: path -> text of test files that differ from the reviewed version; None for a deleted one.
    """

    def __init__(
        self, repository: Repository, side: str, written: dict[str, str | None], progress: Progress
    ) -> None:
        self._repository = repository
        self._blobs = dict(repository.blobs_of(side))
        self._written = written
        self._progress = progress
        self.place = "what is staged" if side.startswith(":") else f"commit {side[:12]}"

    def text(self, path: str) -> str | None:
        if path in self._written:
            return self._written[path]
        return text_of(self._repository, self._blobs[path]) if path in self._blobs else None

    def related_tests(self, requested: Sequence[TargetFunction], limit: int) -> RelatedTests:
        """Merge the tests of several functions, each at its highest rank."""
        from wardround.retrieval.results import RelatedTests

        files = [path for path in sorted({*self._blobs, *self._written}) if contains_tests(path)]
        first = requested[:_MOST_SUBJECTS]
        best: dict[str, TestMatch] = {}
        for match in using(
            self._repository.git_dir, lambda index: list(self._ranked_tests(first, files, index))
        ):
            if match.case.id not in best or match.score > best[match.case.id].score:
                best[match.case.id] = match
        order = sorted(best.values(), key=lambda match: (-match.score, match.case.path, match.case.line))
        return RelatedTests(len(files), [case.id for case in first], len(requested), order[:limit])

    def _ranked_tests(
        self, requested: Sequence[TargetFunction], files: Sequence[str], index: SearchIndex
    ) -> Iterator[TestMatch]:
        """Return the tests of each function that share evidence with it."""
        code = [path for path in self._blobs if is_source(path) and not is_accompanying_file(path)]
        entries = [IndexedFile(path, self._blobs[path]) for path in (*code, *files) if path in self._blobs]
        index.update(entries, lambda entry: self.text(entry.path), None, self._progress)
        for subject in requested:
            own_tests = [path for path in files if same_language(path, subject.path)]
            own_code = [path for path in code if same_language(path, subject.path)]
            tests = Tests(list(starmap(TestFile, self._texts(self._nearest(subject, own_tests, index)))))
            using_it = self._first(count_words(subject.own), own_code, index, _MOST_USING)
            matches = tests.rank(subject, users(subject, self._texts(using_it)))
            yield from (match for match in matches if match.score > 0)

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
