"""``wardround related --tests``: the tests that most likely cover a function or a change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.cli.related.corpus import searched_revision
from wardround.cli.run import open_change
from wardround.errors import UsageError
from wardround.retrieval.file_search import is_accompanying_file, is_source
from wardround.retrieval.revision_tests import MOST_SUBJECTS, RevisionTests
from wardround.retrieval.test_discovery import contains_tests
from wardround.retrieval.test_selection import TargetFunction, find_subject, names, subjects

if TYPE_CHECKING:
    from wardround.change.change_source import FileTexts
    from wardround.change.diff import Change
    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec
    from wardround.retrieval.results import RelatedTests

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
        tests = RevisionTests(repository, dict(repository.blobs_of(side)), {}, progress)
        subject = _subject(tests, side, _from_root(repository, path), name)
        return _related_tests(tests, [subject], limit)


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
        tests = RevisionTests(repository, dict(repository.blobs_of(side)), written, progress)
        return _related_tests(tests, list(_touched_functions(change, texts)), limit)


def _related_tests(tests: RevisionTests, requested: Sequence[TargetFunction], limit: int) -> RelatedTests:
    from wardround.retrieval.results import RelatedTests

    names = [function.id for function in requested[:MOST_SUBJECTS]]
    return RelatedTests(len(tests.files), names, len(requested), tests.matches(requested)[:limit])


def _touched_functions(change: Change, texts: FileTexts) -> Iterator[TargetFunction]:
    for file in change.files:
        head = None if file.lost or not file.is_regular else texts.head(file.path)
        if head is not None and is_source(file.path) and not is_accompanying_file(file.path):
            yield from subjects(file.path, texts.base(file.path) or "", head)


def _subject(tests: RevisionTests, side: str, path: str, name: str) -> TargetFunction:
    text = tests.text(path)
    if text is None:
        place = "what is staged" if side.startswith(":") else f"commit {side[:12]}"
        raise UsageError(f"{path}: no such text file in {place}; use a path relative to the repository root")
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
