"""The earlier reviews of a repository, for the reports that show them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wardround.cli.record_store import store_location
from wardround.cli.recording import uses_store
from wardround.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from wardround.cli.options import RecordSpec
    from wardround.review_history import ReviewHistory
    from wardround.review_result import ReviewResult


def add_history(review: ReviewResult, spec: RecordSpec, work_tree: Path) -> ReviewResult:
    """Return a review whose reports can read the store in which it is recorded.

    The store is opened when a report first shows the history, and not for others.
    """
    if not uses_store(spec, review):
        return review
    from msgspec.structs import replace

    return replace(review, read_history=partial(_history, review, spec.store, str(work_tree)))


def _history(review: ReviewResult, store_name: str, repository: str) -> ReviewHistory | None:
    from wardround.context.document import document_id
    from wardround.records.history import read_history
    from wardround.review_history import ReviewHistory

    try:
        location = store_location(store_name)
    except UsageError as cause:
        return ReviewHistory(problem=str(cause))
    return read_history(location, repository, document_id(review.conclusion.context))
