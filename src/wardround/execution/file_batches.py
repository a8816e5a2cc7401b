"""A review of all files in batches, so that its memory and what an interruption loses do not grow with them.

The results of each batch are in the cache before the next one begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.review_context import ReviewContext, build_context
from wardround.execution.executor import Executor
from wardround.execution.model import Results
from wardround.execution.review_run import RawReview, ReviewRun
from wardround.execution.scheduler import summed_runs
from wardround.findings import Unreviewed
from wardround.host import PluginHost
from wardround.tools.process import Processes

BATCH_FILES = 250
"""Files of one batch: a start of all tools costs about as much as twenty files."""
_CANCELLED = "the review was cancelled"


@dataclass(frozen=True, slots=True)
class BatchReview:
    """Reviews the files of a change batch by batch; see ``review_run.ReviewRun`` for the fields."""

    source: ChangeSource
    host: PluginHost
    config: Config
    request: ReviewRequest
    processes: Processes
    progress: Callable[[str], None]
    executor: Executor

    def review(self, change: Change) -> tuple[ReviewContext, RawReview]:
        """Return the context of the whole change, and the results of all its files."""
        contexts: list[ReviewContext] = []
        reviews: list[RawReview] = []
        for done, files in _batches(change.files):
            context = self._context(replace(change, files=tuple(files)))
            contexts.append(context)
            reviews.append(self._batch(context, f"{done} of {len(change.files)} files"))
        return _joined_context(change, contexts), _joined_review(change, reviews)

    def _context(self, batch: Change) -> ReviewContext:
        return build_context(self.source, batch, self.host, self.config, self.request)

    def _batch(self, context: ReviewContext, done: str) -> RawReview:
        self.progress(done)
        if self.processes.is_stopped:
            return _cancelled(context)
        with ReviewRun(
            self.source, context, self.host, self.config, self.request, Processes(),
            lambda step: self.progress(f"{done}: {step}" if step else done), self.executor,
        ) as run:  # fmt: skip
            return run.review()


def _batches(files: Sequence[ChangedFile]) -> Iterator[tuple[int, Sequence[ChangedFile]]]:
    """Yield the number of files before each batch, and its files; one empty batch for no files."""
    for start in range(0, len(files) or 1, BATCH_FILES):
        yield start, files[start : start + BATCH_FILES]


def _cancelled(context: ReviewContext) -> RawReview:
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
