"""One run of a review: the head, and the part of the base to compare it with."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import Self

import msgspec
from msgspec.structs import replace

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.claims import files_to_fetch
from wardround.assignment.review_context import ReviewContext
from wardround.assignment.work_units import WorkUnit, work_units
from wardround.change.change_source import SideName
from wardround.change.diff import Change
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.context.surface.published import PublishedSurface
from wardround.execution.added_ignores_review import blank_base_and_head, reviews_failing_without_comments
from wardround.execution.base_comparison import BaseComparison
from wardround.execution.base_texts import BaseTexts
from wardround.execution.change_check_runner import ChangeCheckRunner
from wardround.execution.model import MergedChangeResults, PartialReview, Results
from wardround.execution.project_files import SnapshotLinker
from wardround.execution.resources import Resources
from wardround.execution.review_models import ReviewModels
from wardround.execution.review_side import BaseSide, HeadSide, ReviewSide
from wardround.execution.scheduler import Scheduler
from wardround.execution.trust import Trust
from wardround.findings import Unreviewed
from wardround.specialists import Specialist
from wardround.tools.tool import Profile

SideRequests = Generator[tuple[ReviewSide, list[WorkUnit]], Results, "RawReview"]
"""Requests the results of base and head one after the other."""


class RawReview(msgspec.Struct):
    """The results at base and head.

    Attributes:
        change: the change as it was reviewed: content that no review can have covered counts as added.
        claimed: path at the head -> the specialists that reviewed it.
        unreviewed: requested reviews that did not happen, at base or head.
        partial: the change-level checks that ran without a part of their input. unwaived_head, unwaived_base:
            the results of the files with tools' ignore comments that apply to changed code, without those
            comments.
        notes: hunks that models did not score, and why, and which configured tools are not installed.
    """

    change: Change
    head: Results
    base: Results
    claimed: dict[str, list[Specialist]] = msgspec.field(default_factory=dict)
    unreviewed: list[Unreviewed] = msgspec.field(default_factory=list)
    notes: tuple[str, ...] = ()
    unwaived_head: Results = msgspec.field(default_factory=Results)
    unwaived_base: Results = msgspec.field(default_factory=Results)
    partial: tuple[PartialReview, ...] = ()


class PlannedTools(msgspec.Struct, frozen=True):
    """The tools and models that would review the head.

    Attributes:
        programs: name, version and digest of each static tool.
        models: name -> version, as reports name them, of each model that could be used.
        required_models: the names of those for the checks of single files.
        missing: a reason why a file would not be reviewed; empty if there is none.
    """

    programs: frozenset[tuple[str, str, str]]
    models: Mapping[str, str]
    required_models: frozenset[str]
    missing: str


class ReviewRun:
    """Runs the specialists over base and head of a change. Use it as a context manager.

    Args:
        stores_findings: the cache keeps the findings of files without secrets; otherwise none.

    Attributes:
        published: the surfaces that others rely on.
    """

    def __init__(
        self,
        review: ChangeUnderReview,
        context: ReviewContext,
        resources: Resources,
        *,
        stores_findings: bool = True,
    ) -> None:
        self._review = review = review.with_change(context.change)
        self._stores_findings = stores_findings
        self._context = context
        self._resources = resources.of_part()
        self._snapshot: Snapshot | None = None
        source, change = review.source, review.change
        self._trust = Trust(review)
        self._models = ReviewModels(review)
        self._base_texts = BaseTexts(source, change, files_to_fetch(change, review.specialists))
        self.published = PublishedSurface(source, change, review.request.profile is Profile.CI)
        self._change_checks = ChangeCheckRunner(review, self._base_texts, self._models, self.published)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.processes.stop()  # before the folder is removed that an interrupted tool still reads
        self._models.close()
        if self._snapshot is not None:
            self._snapshot.__exit__(kind, error, trace)
            self._snapshot = None

    def review(self) -> RawReview:
        """Review the head, and the old versions of the files with results."""
        requests = self.side_requests()
        results: Results | None = None
        while True:
            try:
                side, units = next(requests) if results is None else requests.send(results)
            except StopIteration as finished:
                review: RawReview = finished.value
                return review
            change_review = self._change_checks.review if results is None else None
            results = self._scheduler.review(side, units, change_review)

    def planned_tools(self) -> PlannedTools:
        """Return the tools and models that would review the head; none is run but for its version."""
        units = self._work_units()
        results = Results()
        self._scheduler.plan(self.side("head"), units, results)
        unreviewed = [*self._context.unreviewed, *results.unreviewed]
        return PlannedTools(
            frozenset((run.tool, run.version, run.digest) for run in results.runs),
            self._models.versions(),
            frozenset(f"model {name}" for unit in units for name in unit.specialist.models),
            f"{unreviewed[0].tool} would not review {unreviewed[0].file}" if unreviewed else "",
        )

    def side_requests(self) -> SideRequests:
        """Request the results of base and head one after the other; they may be computed for many changes at
        once.
        """
        context = self._context
        units = self._work_units()
        head = yield self.side("head"), units
        claimed = {file.file.path: list(file.specialists) for file in context.claimed}
        merged = self._merge_change_checks(head, claimed)
        base_units = BaseComparison(self._review).units(units, head)
        base = (yield self.side("base"), base_units) if base_units else Results()
        self._mark_base_compared(merged.reported, base)
        unreviewed = [*context.unreviewed, *merged.unreviewed, *head.unreviewed, *_uncompared_files(base)]
        models = self._models.summarize(units, head)
        unreviewed += models.unreviewed
        partial = (f"{gap.specialist}: not reviewed in part: {gap.reason}" for gap in merged.partial)
        notes = (*sorted(head.notes), *models.notes, *partial)
        unwaived = yield from self._review_without_added_ignores(units, unreviewed)
        return RawReview(
            context.change, head, base, claimed, unreviewed, notes, *unwaived, partial=merged.partial
        )

    def side(self, name: SideName, copies: Mapping[str, bytes] | None = None) -> ReviewSide:
        """Return the base or head of the change; with copies that replace files, a version of its own."""
        source, change, trust = self._review.source, self._context.change, self._trust
        files = SnapshotLinker(name, source, change, trust)
        models = self._models.broker
        if name == "head":
            return HeadSide(source, change, trust, files, self._base_texts, models, copies)
        return BaseSide(source, change, trust, files, models, copies)

    def _merge_change_checks(
        self, head: Results, claimed: dict[str, list[Specialist]]
    ) -> MergedChangeResults:
        """Add the results of the change-level checks; a specialist with a result has reviewed the file."""
        results = self._change_checks.review.run() if head.change_level is None else head.change_level
        merged = self._change_checks.merge(results, head)
        for specialist, path in merged.reported:
            reviewers = claimed.setdefault(path, [])
            if specialist not in reviewers:
                reviewers.append(specialist)
        return merged

    def _mark_base_compared(self, reported: Sequence[tuple[Specialist, str]], base: Results) -> None:
        """Record that change-level checks, which compare by themselves, have reviewed the base."""
        files = {file.path: file for file in self._context.change.files}
        for specialist, path in reported:
            base.by_file.setdefault((specialist, files[path].base_path or path), [])

    def _review_without_added_ignores(
        self, units: Sequence[WorkUnit], unreviewed: list[Unreviewed]
    ) -> Generator[tuple[ReviewSide, list[WorkUnit]], Results, tuple[Results, Results]]:
        """Review files again without the ignore comments of tools that hold for changed code."""
        heads, bases = blank_base_and_head(
            self._review.source, self._context.change, units, self._review.host.ignore_comments
        )
        if not heads.units:
            return Results(), Results()
        head = yield self.side("head", heads.copies), heads.units
        base = (yield self.side("base", bases.copies), bases.units) if bases.units else Results()
        unreviewed += reviews_failing_without_comments(unreviewed, (*head.unreviewed, *base.unreviewed))
        return head, base

    @cached_property
    def _scheduler(self) -> Scheduler:
        request, settings, catalogue = (
            self._review.request,
            self._review.config.root,
            self._review.host.catalogue,
        )
        return Scheduler(
            root=self._review.source.root,
            profile=request.profile,
            trusted=self._trust,
            cache=self._resources.cache,
            processes=self._resources.processes,
            snapshot=self._open_snapshot,
            jobs=request.jobs or settings.jobs or os.cpu_count() or 1,
            timeout_s=settings.tool_timeout,
            is_secret=lambda rule: not self._stores_findings or catalogue.rule(rule).masked,
            progress=self._resources.progress,
            unrun_paths=self._trust.unrun_paths,
            executor=self._resources.executor,
        )

    def _work_units(self) -> list[WorkUnit]:
        units = work_units(self._context.claimed, self._review.host, self._review.config)
        return self._models.limit(units)

    def _open_snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = Snapshot(scratch_root(self._review.source.root))
        return self._snapshot


def _uncompared_files(base: Results) -> list[Unreviewed]:
    """Return the old versions that a tool could not review, as unreviewed files of the change."""
    return [
        replace(u, reason=f"its old version could not be compared: {u.reason}")
        for u in base.unreviewed
        if u.tool != u.specialist
    ]
