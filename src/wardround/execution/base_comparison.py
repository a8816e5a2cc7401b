"""The old versions to review: of files with findings, and of files from which the code with findings was
moved, only by the reporters of these findings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from wardround.assignment.base_coverage import BaseCoverage
from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.readability import why_unreadable
from wardround.assignment.work_units import WorkUnit, content_digest
from wardround.change.diff import ChangedFile
from wardround.execution.model import Results, ResultSource, reviewers_of
from wardround.execution.move_sources import MoveSources
from wardround.rules.off_in import runs_in
from wardround.tools.tool import Tool


class BaseComparison:
    """Selects the work at the base by the results of the head.

    Only the results of specialists that reviewed an old version excuse moved code.
    """

    def __init__(self, review: ChangeUnderReview) -> None:
        self._source = review.source
        self._files = {file.path: file for file in review.change.files}
        self._move_sources = MoveSources(review.source, review.change)
        self._config = review.config
        self._catalogue = review.host.catalogue
        self._coverage = BaseCoverage(review)

    def units(self, units: Sequence[WorkUnit], head: Results) -> list[WorkUnit]:
        """Return the units of the base: the old versions of files with results, for the codes that were
        reported.
        """
        reported: list[WorkUnit] = []
        codes_by: dict[ResultSource, set[str]] = defaultdict(set)
        for unit in units:
            codes = self._codes_by_reviewer(unit, head)
            reported += [unit] if codes else []
            for reviewer, found in codes.items():
                codes_by[reviewer] |= found
        tools = frozenset(reviewer for reviewer in codes_by if isinstance(reviewer, Tool))
        base_units = (
            self._base_unit(unit, file, frozenset(codes_by.get(unit.specialist, ())), tools)
            for unit, file in self._units_at_base(reported, head)
        )
        return [unit for unit in base_units if unit is not None]

    def _codes_by_reviewer(self, unit: WorkUnit, head: Results) -> dict[ResultSource, set[str]]:
        codes = {reviewer: self._codes(unit, reviewer, head) for reviewer in reviewers_of(unit.specialist)}
        return {reviewer: found for reviewer, found in codes.items() if found}

    def _units_at_base(
        self, reported: Sequence[WorkUnit], head: Results
    ) -> Iterable[tuple[WorkUnit, ChangedFile]]:
        """Return the files to review at the base, including those from which code may have been moved."""
        compared = {(unit.specialist, unit.path): (unit, self._files[unit.path]) for unit in reported}
        for unit in reported:
            for file in self._move_sources.of(self._files[unit.path], self._reported_lines(unit, head)):
                if unit.specialist in self._coverage.covering(file, [unit.specialist]):
                    compared.setdefault((unit.specialist, file.path), (unit, file))
        return compared.values()

    def _reported_lines(self, unit: WorkUnit, head: Results) -> set[int]:
        reviewers = reviewers_of(unit.specialist)
        return {result.span.line for reviewer in reviewers for result in head.get(reviewer, unit.path) or ()}

    def _base_unit(
        self, unit: WorkUnit, file: ChangedFile, codes: frozenset[str], tools: frozenset[Tool]
    ) -> WorkUnit | None:
        """Return the old version of a file, reviewed like a unit; None if its specialist cannot read it."""
        if file.base_path is None or file.fragment or (unit.first and unit.path == file.path):
            return None
        content = self._source.content(file, base=True)
        if why_unreadable(file, file.base_path, content, unit.specialist) is not None or content is None:
            return None
        return WorkUnit(
            file.base_path, unit.specialist, content_digest(content), len(content), unit.options,
            scored=unit.scored, codes=codes, tools=tools, requested=unit.requested,
        )  # fmt: skip

    def _codes(self, unit: WorkUnit, reviewer: ResultSource, head: Results) -> set[str]:
        """Return the codes a reviewer reported for a file, without those that are disabled there."""
        is_added = self._files[unit.path].is_added_line
        results = head.get(reviewer, unit.path) or ()
        chosen = {result.code for result in results if result.is_error_of_project}
        codes: set[str] = set()
        for result in results:
            if not result.only_caused or not is_added(result.span.line):
                codes.add(result.code)
        return {
            code for code in codes if self._is_on(f"{reviewer.name}/{code}", unit, is_chosen=code in chosen)
        }

    def _is_on(self, rule_id: str, unit: WorkUnit, *, is_chosen: bool) -> bool:
        """Return True if a rule runs for a file and has a severity there."""
        settings = self._config.for_file(unit.path)
        rule = self._catalogue.rule(rule_id)
        runs = is_chosen or runs_in(rule, unit.path, preview=settings.preview)
        return settings.severity(rule.id, rule.severity if runs else None) is not None
