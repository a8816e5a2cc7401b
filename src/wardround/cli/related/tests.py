"""``wardround related --tests``: the tests that most likely cover a function or a change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.cli.related.corpus import searched_side, text_of
from wardround.cli.run import open_change
from wardround.errors import UsageError
from wardround.retrieval.file_search import is_beside, is_source
from wardround.retrieval.index import IndexedFile, SearchIndex, using
from wardround.retrieval.test_discovery import TestFile, holds_tests
from wardround.retrieval.test_selection import (
    TargetFunction,
    TestMatch,
    Tests,
    names,
    same_language,
    subject_named,
    subjects,
    users,
)
from wardround.text.search_terms import counted

if TYPE_CHECKING:
    from wardround.change.change_source import FileTexts
    from wardround.change.diff import Change
    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec
    from wardround.retrieval.results import RelatedTests

_MOST_SUBJECTS = 40
_MOST_FILES = 60
"""Files of tests that are read for one function, the nearest by their words."""
_MOST_USING = 25
_NAMED = 5

Progress = Callable[[str], None]


def of_function(
    asked: str, repo: Path | None, at: str | None, limit: int, progress: Progress
) -> RelatedTests:
    """Return the tests of a function named ``FILE::FUNCTION``, in a commit or as staged."""
    from wardround.change.repository import Repository

    path, _, name = asked.partition("::")
    if not path or not name:
        raise UsageError(f"{asked}: --tests requires a function, as in src/rows.py::parse_row")
    with Repository(repo) as repository:
        side = searched_side(repository, at)
        looked = _Looked(repository, side, {}, progress)
        subject = _subject(looked, _from_root(repository, path), name)
        return looked.related([subject], limit)


def of_change(target: ChangeSpec, limit: int, progress: Progress) -> RelatedTests:
    """Return the tests of the functions that a change adds or changes."""
    from wardround.change.change_source import FileTexts
    from wardround.change.repository import INDEX

    with open_change(target) as (origin, change, repository):
        assert repository is not None
        origin.fetch(change.files)
        texts = FileTexts(origin, change)
        side = INDEX if change.head.startswith(":") else change.head
        written = {file.path: texts.head(file.path) for file in change.files if holds_tests(file.path)}
        looked = _Looked(repository, side, written, progress)
        return looked.related(list(_touched(change, texts)), limit)


def _touched(change: Change, texts: FileTexts) -> Iterator[TargetFunction]:
    for file in change.files:
        head = None if file.lost or not file.is_regular else texts.head(file.path)
        if head is not None and is_source(file.path) and not is_beside(file.path):
            yield from subjects(file.path, texts.base(file.path) or "", head)


def _subject(looked: _Looked, path: str, name: str) -> TargetFunction:
    text = looked.text(path)
    if text is None:
        raise UsageError(
            f"{path}: no such text file in {looked.place}; use a path relative to the repository root"
        )
    found = subject_named(path, text, name)
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


class _Looked:
    """A side of a repository that is searched for tests.

    Args:
        written: path -> text of files of tests that are not as the side has them; None for a deleted one.
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

    def related(self, asked: Sequence[TargetFunction], limit: int) -> RelatedTests:
        """Merge the tests of several functions, each at its highest rank."""
        from wardround.retrieval.results import RelatedTests

        files = [path for path in sorted({*self._blobs, *self._written}) if holds_tests(path)]
        first = asked[:_MOST_SUBJECTS]
        best: dict[str, TestMatch] = {}
        for one in using(self._repository.git_dir, lambda index: list(self._ranked(first, files, index))):
            if one.case.id not in best or one.score > best[one.case.id].score:
                best[one.case.id] = one
        order = sorted(best.values(), key=lambda one: (-one.score, one.case.path, one.case.line))
        return RelatedTests(len(files), [one.id for one in first], len(asked), order[:limit])

    def _ranked(
        self, asked: Sequence[TargetFunction], files: Sequence[str], index: SearchIndex
    ) -> Iterator[TestMatch]:
        """Return the tests of each function that share evidence with it."""
        code = [path for path in self._blobs if is_source(path) and not is_beside(path)]
        entries = [IndexedFile(path, self._blobs[path]) for path in (*code, *files) if path in self._blobs]
        index.update(entries, lambda entry: self.text(entry.path), None, self._progress)
        for subject in asked:
            near = self._nearest(
                subject, [path for path in files if same_language(path, subject.path)], index
            )
            tests = Tests([TestFile(path, self.text(path) or "") for path in near])
            sources = [path for path in code if same_language(path, subject.path)]
            using_it = self._first(counted(subject.own), sources, index, _MOST_USING)
            used_by = users(subject, ((path, self.text(path) or "") for path in using_it))
            yield from (one for one in tests.rank(subject, used_by) if one.score > 0)

    def _nearest(self, subject: TargetFunction, files: Sequence[str], index: SearchIndex) -> list[str]:
        """Return the test files to read: all, or those that share most words with the function."""
        kept = [path for path in files if path in self._blobs and path not in self._written]
        written = [path for path in files if self._written.get(path) is not None]
        if len(kept) > _MOST_FILES:
            kept = self._first(subject.words, kept, index, _MOST_FILES)
        return sorted({*kept, *written})

    def _first(self, words: dict[str, int], paths: Sequence[str], index: SearchIndex, most: int) -> list[str]:
        """Return the files that share words, best first."""
        scores = index.words_scores(words, [IndexedFile(path, self._blobs[path]) for path in paths])
        order = sorted(range(len(paths)), key=lambda at: (-scores[at], paths[at]))
        return [paths[at] for at in order[:most] if scores[at] > 0]
