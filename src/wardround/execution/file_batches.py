"""A review of all files in batches, so that its memory and what an interruption loses do not grow with them.

The results of each batch are in the cache before the next one begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import ReviewContext, build_context
from wardround.change.diff import Change, ChangedFile
from wardround.execution.model import Results
from wardround.execution.resources import Resources
from wardround.execution.review_run import RawReview, ReviewRun
from wardround.execution.scheduler import summed_runs
from wardround.findings import Unreviewed

BATCH_FILES = 250
"""Files of one batch: a start of all tools costs about as much as twenty files."""
_CANCELLED = "the review was cancelled"


@dataclass(frozen=True, slots=True)
class BatchReview:
    """Reviews the files of a change batch by batch."""

    reviewed: ChangeUnderReview
    resources: Resources

    def review(self) -> tuple[ReviewContext, RawReview]:
        """Return the context of all files, and their results."""
        change = self.reviewed.change
        contexts: list[ReviewContext] = []
        reviews: list[RawReview] = []
        for done, files in _batches(change.files):
            batch = self.reviewed.with_change(replace(change, files=tuple(files)))
            context = build_context(batch)
            contexts.append(context)
            reviews.append(self._batch(context, f"{done} of {len(change.files)} files"))
        return _joined_context(change, contexts), _joined_review(change, reviews)

    def _batch(self, context: ReviewContext, done: str) -> RawReview:
        show = self.resources.progress
        show(done)
        if self.resources.processes.is_stopped:
            return _cancelled_review(context)
        resources = self.resources.of_part(lambda step: show(f"{done}: {step}" if step else done))
        with ReviewRun(self.reviewed, context, resources) as run:
            return run.review()


def _batches(files: Sequence[ChangedFile]) -> Iterator[tuple[int, Sequence[ChangedFile]]]:
    """Yield the number of files before each batch, and its files; one empty batch for no files."""
    for start in range(0, len(files) or 1, BATCH_FILES):
        yield start, files[start : start + BATCH_FILES]


def _cancelled_review(context: ReviewContext) -> RawReview:
    missing = [
        Unreviewed(file.file.path, specialist.name, "wardround", _CANCELLED)
        for file in context.claimed
        for specialist in file.specialists
    ]
    return RawReview(context.change, Results(), Results(), unreviewed=missing)


def _joined_context(change: Change, contexts: Sequence[ReviewContext]) -> ReviewContext:
    files = tuple(file for context in contexts for file in context.document.files)
    return ReviewContext(
        replace(contexts[0].document, files=tuple(sorted(files, key=lambda file: file.path))),
        replace(change, files=tuple(file for context in contexts for file in context.change.files)),
        tuple(claimed for context in contexts for claimed in context.claimed),
        tuple(missing for context in contexts for missing in context.unreviewed),
    )


def _joined_review(change: Change, reviews: Sequence[RawReview]) -> RawReview:
    head = Results()
    joined = RawReview(change, head, Results())
    for review in reviews:
        head.by_file |= review.head.by_file
        head.runs += review.head.runs
        head.tampered_paths |= review.head.tampered_paths
        joined.claimed |= review.claimed
        joined.unreviewed += review.unreviewed
    head.runs = summed_runs(head.runs)
    joined.notes = tuple(dict.fromkeys(note for review in reviews for note in review.notes))
    return joined
