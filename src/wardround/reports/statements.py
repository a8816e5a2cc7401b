"""The sentences of a review besides its findings, for reports that show verdict and planes themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wardround.reports import terminal
from wardround.reports.conclusion_lines import analysis_lines
from wardround.reports.run import run_lines
from wardround.reports.text import plain
from wardround.review_result import ReviewResult


def notes(review: ReviewResult) -> list[str]:
    """Return the notes of the review and those of the analyses."""
    with terminal.disable_wrapping():
        analyses = [] if review.is_for_commit else analysis_lines(review, plain)
    return [*review.notes, *_without_margins(analyses)]


def run_results(review: ReviewResult) -> list[str]:
    """Return what running the change showed; empty without a run."""
    with terminal.disable_wrapping():
        lines = [] if review.is_for_commit else list(run_lines(review.conclusion.context.ran))
    return [line.removeprefix("run: ") for line in _without_margins(lines)]


def held_back(review: ReviewResult) -> Iterator[str]:
    """Yield how many findings the filter mode leaves out, and how to see them."""
    if count := review.filtered_count:
        noun = "finding is" if count == 1 else "findings are"
        yield f"{count} {noun} outside of the lines that --filter-mode {review.filter_mode} shows"


def folded_counts(review: ReviewResult) -> Iterator[str]:
    """Yield how many findings the triage folds, and which reports have them."""
    count = 0 if review.triage is None else len(review.triage.folded)
    if count:
        noun = "finding is" if count == 1 else "findings are"
        yield f"{count} {noun} folded as less useful here; the JSON and HTML reports have all"


def _without_margins(lines: Iterable[str]) -> list[str]:
    return list(filter(None, map(str.strip, lines)))
