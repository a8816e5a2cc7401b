"""The review records of the commits of a range: those that commits name, and those of a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from wardround.change.repository import Repository
from wardround.records.commit_message import NOTES, records_of
from wardround.records.location import Location
from wardround.records.predicates import timestamp
from wardround.records.store import Query, opened_if_present
from wardround.release_notes.history.history import HistoryCommit
from wardround.release_notes.history.revisions import Revisions

RecordsByCommit = Mapping[str, tuple[str, ...]]


def records_by_commit(
    repository: Repository, revisions: Revisions, commits: Iterable[HistoryCommit], location: Location | None
) -> RecordsByCommit:
    """Return the digests of the records of each commit that has any.

    Args:
        location: of a store; None for the records that trailers and notes of commits name.
    """
    known = list(commits)
    found: dict[str, set[str]] = defaultdict(set)
    for commit, digest in (*_trailer_records(repository, revisions, known), *_store_records(known, location)):
        found[commit].add(digest)
    return {commit: tuple(sorted(digests)) for commit, digests in found.items()}


def _trailer_records(
    repository: Repository, revisions: Revisions, commits: Iterable[HistoryCommit]
) -> Iterator[tuple[str, str]]:
    for commit in commits:
        yield from ((commit.id, digest) for digest in commit.message.records)
    notes = repository.commit_log.notes(NOTES, revisions.base_commit, revisions.head_commit)
    for name, text in notes.items():
        yield from ((name, digest) for digest in records_of(text))


def _store_records(commits: Iterable[HistoryCommit], location: Location | None) -> Iterator[tuple[str, str]]:
    """Yield the commits that are the head of a stored review; a record is younger than its commit."""
    times = {commit.id: commit.logged.time for commit in commits}
    if location is None or not times:
        return
    first = timestamp(datetime.fromtimestamp(min(times.values()), UTC))
    with opened_if_present(location) as store:
        for record in store.query(Query(since=first)) if store is not None else ():
            if record.head in times:
                yield record.head, record.digest
