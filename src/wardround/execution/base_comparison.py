"""The old versions to review: of files with findings, and of files that lost the code with findings to them,
by the reporters of these findings alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.config.schema import Config
from wardround.context.base_coverage import BaseCoverage
from wardround.context.readability import why_unreadable
from wardround.context.work_units import WorkUnit, content_digest
from wardround.execution.model import Results, ResultSource, reviewers_of
from wardround.execution.move_sources import MoveSources
from wardround.rules.catalogue import Catalogue
from wardround.rules.off_in import runs_in
from wardround.tools.tool import Tool


class BaseComparison:
    """Selects the work of the base side by the results of the head.

    Args:
        coverage: the specialists that reviewed old versions: only their results excuse moved code.
    """

    def __init__(
        self,
        source: ChangeSource,
        change: Change,
        config: Config,
        catalogue: Catalogue,
        coverage: BaseCoverage,
    ) -> None:
        self._source = source
        self._files = {file.path: file for file in change.files}
        self._move_sources = MoveSources(source, change)
        self._config = config
        self._catalogue = catalogue
        self._coverage = coverage

    def units(self, units: Sequence[WorkUnit], head: Results) -> list[WorkUnit]:
        """Return the units of the base: the old versions of files with results, for the codes that were
        reported.
        """
        reported: list[WorkUnit] = []
        codes_by: dict[ResultSource, set[str]] = defaultdict(set)
        for unit in units:
            codes = {r: found for r in reviewers_of(unit.specialist) if (found := self._codes(unit, r, head))}
            reported += [unit] if codes else []
            for reviewer, found in codes.items():
                codes_by[reviewer] |= found
        tools = frozenset(reviewer for reviewer in codes_by if isinstance(reviewer, Tool))
        compared = {(unit.specialist, unit.path): (unit, self._files[unit.path]) for unit in reported}
        for unit in reported:
            for file in self._move_sources.of(self._files[unit.path], self._reported_lines(unit, head)):
                if unit.specialist in self._coverage.covering(file, [unit.specialist]):
                    compared.setdefault((unit.specialist, file.path), (unit, file))
        base_units = (
            self._base_unit(unit, file, frozenset(codes_by.get(unit.specialist, ())), tools)
            for unit, file in compared.values()
        )
        return [unit for unit in base_units if unit is not None]

    def _reported_lines(self, unit: WorkUnit, head: Results) -> set[int]:
        reviewers = reviewers_of(unit.specialist)
        return {result.span.line for one in reviewers for result in head.get(one, unit.path) or ()}

    def _base_unit(
        self, unit: WorkUnit, file: ChangedFile, codes: frozenset[str], tools: frozenset[Tool]
    ) -> WorkUnit | None:
        """The old version of a file, reviewed like a unit; None if its specialist cannot read it."""
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
        """The codes a reviewer reported for a file, without those that are disabled there."""
        settings = self._config.for_file(unit.path)
        is_added = self._files[unit.path].is_added_line
        results = head.get(reviewer, unit.path) or ()
        enabled = set()
        chosen = {result.code for result in results if result.is_error_of_project}
        for code in {r.code for r in results if not (r.only_caused and is_added(r.span.line))}:
            rule = self._catalogue.rule(f"{reviewer.name}/{code}")
            is_on = code in chosen or runs_in(rule, unit.path, preview=settings.preview)
            default = rule.severity if is_on else None
            if settings.severity(rule.id, default) is not None:
                enabled.add(code)
        return enabled
