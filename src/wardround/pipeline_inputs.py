"""The inputs of the pipeline: the only part of it that reads the repository, the clock and the rules."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import ReviewContext
from wardround.change.change_source import ChangeSource, FileTexts
from wardround.change.side_view import SideView
from wardround.config.schema import JUDGE_OFF
from wardround.context.test_data import TestData
from wardround.errors import ConfigError
from wardround.execution.review_run import RawReview
from wardround.processors import baseline_file, dismissals_file
from wardround.processors.baseline_file import BaselineEntry
from wardround.processors.dismissals_file import Dismissal
from wardround.processors.model import PipelineInputs, SideResults

if TYPE_CHECKING:
    from wardround.processors.judge.model import Judge


def pipeline_inputs(review: ChangeUnderReview, context: ReviewContext, results: RawReview) -> PipelineInputs:
    """Return the inputs for the results of a review.

    Raises:
        ConfigError: the baseline or the dismissals cannot be read.
    """
    source, request, config = review.source, review.request, review.config
    side, settings = request.trusted_side, config.root
    dismissals_path = dismissals_file.path_for(settings.baseline)
    dismissals = dismissals_file.load(review.read_trusted(dismissals_path), dismissals_path)
    accepted = review.read_trusted(settings.baseline) if request.use_baseline else None
    baseline = baseline_file.load(accepted, settings.baseline)
    return PipelineInputs(
        change=context.change,
        results=SideResults(results.head, results.base),
        unwaived_results=SideResults(results.unwaived_head, results.unwaived_base),
        reviewers=results.claimed,
        unreviewed=results.unreviewed,
        specialists=review.host.specialists,
        ignore_comments=review.host.ignore_comments,
        catalogue=review.host.catalogue,
        config=config,
        fail_level=request.fail_level or settings.fail_level,
        filter_mode=request.filter_mode or settings.filter_mode,
        is_trusted=side == "head",
        texts=FileTexts(source, context.change),
        other_text=SideView(source, "head").read,
        tracked_paths=source.tracked_paths,
        test_data=TestData(SideView(source, side).read, lambda: review.host.excluded_files),
        baseline=baseline,
        dismissals=dismissals,
        added_entries=_added_entries(source, settings.baseline, (*baseline.findings, *dismissals.dismissed))
        if side == "head"
        else frozenset(),
        today=datetime.datetime.now(datetime.UTC).date(),
        ranks=settings.fold and not request.show_all,
        judge=partial(read_judge, settings.judge, review.read_trusted),
    )


def _added_entries(
    source: ChangeSource, baseline: str, entries: Collection[BaselineEntry | Dismissal]
) -> frozenset[BaselineEntry | Dismissal]:
    """Return the entries of the baseline and the dismissals that the target does not have, or has less often;
    all if its files cannot be read.
    """
    if not entries:
        return frozenset()
    dismissals = dismissals_file.path_for(baseline)
    try:
        known = baseline_file.load(source.read(baseline, "target"), baseline).findings
        dismissed = dismissals_file.load(source.read(dismissals, "target"), dismissals).dismissed
    except ConfigError:
        return frozenset(entries)
    return frozenset(Counter(entries) - Counter([*known, *dismissed]))


def read_judge(name: str, read: Callable[[str], bytes | None]) -> Judge | None:
    """Return the judge that a configuration names; None if it is off.

    Args:
        read: path -> the content at the trusted side.

    Raises:
        ConfigError: it does not exist, or its file is invalid.
    """
    if name == JUDGE_OFF:
        return None
    from wardround.processors.judge.model import load_judge  # only reviews with findings

    return load_judge(name, read)
