"""The change-level checks: the view of the change that each specialist gets, and their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.change.change_source import FileTexts
from wardround.change.diff import FileStatus
from wardround.change.side_view import SideView
from wardround.checks.base import ChangeCheck, RuleDoc
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import Budget, ChangedFileView, ChangeView
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.surface.published import PublishedSurface
from wardround.errors import PLUGIN_EXCEPTIONS, GraphNotBuilt, OverBudget
from wardround.execution.base_texts import BaseTexts
from wardround.execution.check_runner import change_budget_s
from wardround.execution.model import (
    ChangeCheckResult,
    ChangeReview,
    MergedChangeResults,
    PartialReview,
    Results,
)
from wardround.execution.review_models import ReviewModels
from wardround.findings import RawFinding, Unreviewed
from wardround.inference.api import Models
from wardround.specialists import Specialist
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.context.change_tests import ChangeCoverage
    from wardround.context.code_graph.change_graphs import ChangeGraphs
    from wardround.context.surface.model import Surface

_INCOMPLETE_SEARCH = "this partial clone lacks files outside of its sparse checkout, which were not searched"
GRAPH_LIMITS = {Profile.COMMIT: UpdateLimit(2.0, 60), Profile.CI: UpdateLimit(300.0)}
"""The work on the code graphs: a file takes 2 to 4 ms, so a commit waits 0.2 s and builds none."""
_NO_REPOSITORY = "the code graph was not built because a diff file has no repository"

ModelScope = Callable[[Callable[[Models], list[RawFinding]]], list[RawFinding]]
"""Runs a check with the models of its specialist."""


class ChangeCheckRunner:
    """Runs the change-level checks of the selected specialists."""

    def __init__(
        self,
        review: ChangeUnderReview,
        base_texts: BaseTexts,
        models: ReviewModels,
        published: PublishedSurface,
    ) -> None:
        self._source = review.source
        self._change = review.change
        self._config = review.config
        self._profile = review.request.profile
        has_sides = not review.change.all_files  # the checks compare base and head
        self._specialists = review.specialists if has_sides else ()
        self._base_texts = base_texts
        self._models = models
        self._published = published
        self._texts = FileTexts(review.source, review.change)
        self._graphs: ChangeGraphs | None = None
        self._graph_problem = ""
        self._without_graph: set[str] = set()

    @cached_property
    def review(self) -> ChangeReview:
        """The checks as a piece of work, which need not run in this process."""
        budget_s = change_budget_s(self._profile, len(self._change.files))
        if any(specialist.uses_code_graph for specialist in self._specialists):
            budget_s += GRAPH_LIMITS[self._profile].seconds
        return ChangeReview(self._run, self._refuse, budget_s)

    def merge(self, results: Sequence[ChangeCheckResult], head: Results) -> MergedChangeResults:
        """Add the findings to the results of the head."""
        by_name = {specialist.name: specialist for specialist in self._specialists}
        reported: list[tuple[Specialist, str]] = []
        for result in results:
            if isinstance(result, tuple):
                specialist, finding = by_name[result[0]], result[1]
                head.by_file.setdefault((specialist, finding.file), [])
                head.by_file[specialist, finding.file] = [*head.by_file[specialist, finding.file], finding]
                reported.append((specialist, finding.file))
        return MergedChangeResults(
            tuple(reported),
            tuple(result for result in results if isinstance(result, Unreviewed)),
            tuple(result for result in results if isinstance(result, PartialReview)),
        )

    def _run(self) -> list[ChangeCheckResult]:
        try:
            return [result for specialist, change in self._views() for result in self._of(specialist, change)]
        finally:
            self._close_graphs()
            self.__dict__.pop("_files", None)

    def _of(self, specialist: Specialist, change: ChangeView) -> Iterator[ChangeCheckResult]:
        scope = partial(self._models.run_change_check, specialist)
        budget = Budget(self.review.budget_s)
        for found in run_change_checks(specialist, change, scope, budget, self.review.over_budget):
            yield found if isinstance(found, Unreviewed) else (specialist.name, found)
        if specialist.name in self._without_graph:
            yield PartialReview(specialist.name, self._graph_problem)
        source = self._source.in_repository
        if source is not None and source.repository.is_search_incomplete:
            yield PartialReview(specialist.name, _INCOMPLETE_SEARCH)

    def _refuse(self, reason: str) -> list[ChangeCheckResult]:
        return [refusal(specialist, view.files[0].path, reason) for specialist, view in self._views()]

    def _views(self) -> Iterator[tuple[Specialist, ChangeView]]:
        """Yield the specialists with change-level checks, and the change as each sees it."""
        for specialist in self._specialists if self._change.files else ():
            view = self._view(specialist) if specialist.change_checks else None
            if view is not None and view.files:
                yield specialist, view

    @cached_property
    def _files(self) -> tuple[ChangedFileView, ...]:
        """The files of the change without excluded files, links and fragments, for all specialists.

        Texts that a check has read are cached until the checks have run.
        """
        files = []
        for file in self._change.files:
            if not file.is_regular or self._config.for_file(file.path).excluded or file.fragment:
                continue
            is_deleted = file.status is FileStatus.DELETED
            read = (lambda: None) if is_deleted else partial(self._texts.head, file.path)
            read_base = partial(self._base_texts.text, file.path)
            files.append(ChangedFileView(file.path, file.base_path, file.is_added_line, read, read_base))
        return tuple(files)

    def _view(self, specialist: Specialist) -> ChangeView:
        options = self._config.for_file("").options.get(specialist.name)
        repository = SideView(self._source, "head")
        return ChangeView(
            self._files,
            repository,
            self._source.messages(self._change),
            options,
            open_graphs=partial(self._graphs_for, specialist.name),
            reports=partial(self._is_reported, specialist.name),
            open_surface=self._open_surface,
            open_coverage=self._read_coverage,
            in_ci=self._profile is Profile.CI,
        )

    def _read_coverage(self) -> ChangeCoverage | None:
        """Return the coverage of the changed lines; None at commit, where no profile requires tests."""
        if self._profile is not Profile.CI:
            return None
        from wardround.context.line_coverage.work_tree import work_tree_coverage  # loads grammars

        return work_tree_coverage(
            self._source,
            self._change,
            self._config.root.coverage_files,
            lambda file: True,
            self._texts.readable,
        )

    def _graphs_for(self, specialist: str) -> ChangeGraphs | None:
        """Return the code graphs, opened once; None, and the specialist is noted, if there are none."""
        if self._graphs is None and not self._graph_problem:
            try:
                self._graphs = self._opened_graphs()
            except GraphNotBuilt as problem:
                self._graph_problem = str(problem)
        if self._graphs is None:
            self._without_graph.add(specialist)
        return self._graphs

    def _opened_graphs(self) -> ChangeGraphs:
        source = self._source.in_repository
        if source is None:
            raise GraphNotBuilt(_NO_REPOSITORY)
        from wardround.context.code_graph.change_graphs import (
            open_graphs,  # loads grammars, which few changes need
        )

        limit = GRAPH_LIMITS[self._profile]
        return open_graphs(source.repository, self._change, source, limit)

    def _open_surface(self) -> Surface | None:
        """Return the changes of published surfaces, which take seconds."""
        return self._published.surface if self._published.is_compared else None

    def _is_reported(self, specialist: str, check: type[RuleDoc]) -> bool:
        """Return True if the settings of the repository's root show findings of a check."""
        settings, rule = self._config.for_file(""), check.rule(specialist)
        default = rule.severity if rule.runs(preview=settings.preview) else None
        return settings.severity(rule.id, default) is not None

    def _close_graphs(self) -> None:
        if self._graphs is not None:
            self._graphs.close()
        self._graphs, self._graph_problem = None, ""
        self._without_graph.clear()


def run_change_checks(
    specialist: Specialist, change: ChangeView, scope: ModelScope, budget: Budget, over_budget: str
) -> Iterator[RawFinding | Unreviewed]:
    """Run a specialist's change-level checks; one that crashes or exceeds the budget is unreviewed.

    Args:
        budget: the time of all of them; the rest is not run when it is spent.
        over_budget: the reason that is reported then.
    """
    checks = specialist.change_checks
    candidates = checks.candidates_for_change(change.files) if isinstance(checks, CheckRegistry) else checks
    for check_type in candidates:
        try:
            budget.require()
            yield from scope(partial(_results_of, check_type, change))
        except OverBudget:
            yield refusal(specialist, change.files[0].path, over_budget)
            return
        except PLUGIN_EXCEPTIONS as cause:
            reason = f"check {check_type.ID} crashed: {type(cause).__name__}: {cause}"
            yield refusal(specialist, change.files[0].path, reason)


def refusal(specialist: Specialist, path: str, reason: str) -> Unreviewed:
    """Return the report that a specialist's change-level checks did not run."""
    return Unreviewed(path, specialist.name, specialist.name, reason)


def _results_of(check_type: type[ChangeCheck], change: ChangeView, models: Models) -> list[RawFinding]:
    check = check_type(replace(change, models=models))
    check.run()
    return check.results
