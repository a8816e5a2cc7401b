"""The models of one review: opened for the first user, limited to the time of the profile, summarised."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.work_units import WorkUnit
from wardround.execution.model import Results
from wardround.findings import RawFinding, Unreviewed
from wardround.inference.api import Models, NoModels
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.execution.broker import ModelBroker


class ModelSummary(msgspec.Struct, frozen=True):
    """The part of models in a report: sentences for people, and the hunks that a required model did not
    review.
    """

    notes: tuple[str, ...] = ()
    unreviewed: tuple[Unreviewed, ...] = ()


class ReviewModels:
    """The model session of one review."""

    def __init__(self, review: ChangeUnderReview) -> None:
        self._root = review.source.root
        self._change = review.change
        self._config = review.config
        self._request = review.request
        self._specialists = review.specialists

    @cached_property
    def broker(self) -> ModelBroker | None:
        """None where no specialist uses a model that may report anything."""
        names = {name for specialist in self._specialists for name in specialist.models}
        if not names or self._are_silent(names):
            return None
        from wardround.execution.broker import open_broker

        changed = [path for file in self._change.files for path in (file.path, file.base_path) if path]
        return open_broker(
            self._config.root, self._request.profile, self._root, changed, self._request.use_models
        )

    def limit(self, units: list[WorkUnit]) -> list[WorkUnit]:
        """Return the units with as many marked for models as the profile has time for."""
        broker = self.broker
        if broker is None:
            return units
        from wardround.execution.broker import paths_within_budget

        users = set(filter(broker.is_used_by, {unit.specialist for unit in units}))
        limit = broker.limits.hunks
        scored = paths_within_budget(limit, [unit for unit in units if unit.specialist in users], self._hunks)
        return [replace(u, scored=u.path in scored) if u.specialist in users else u for u in units]

    def versions(self) -> dict[str, str]:
        """Return the version of each model that the specialists can use, by its name among the tools."""
        if self.broker is None:
            return {}
        names = {name for specialist in self._specialists for name in specialist.models}
        return {run.tool: run.version for run in self.broker.models.runs(dict.fromkeys(names, 1))}

    def run_change_check(
        self, specialist: Specialist, run: Callable[[Models], list[RawFinding]]
    ) -> list[RawFinding]:
        """Run a change-level check with the models of its specialist."""
        return run(NoModels()) if self.broker is None else self.broker.run_change_check(specialist, run)

    def summarize(self, units: Sequence[WorkUnit], head: Results) -> ModelSummary:
        """Add the runs of models to the results of the head, summarise the rest, and close the session."""
        if self.broker is None:
            return ModelSummary()
        first = self._change.files[0].path if self._change.files else ""
        report = self.broker.summarize(units, self._hunks, first)
        self.broker.close()
        head.runs = sorted([*head.runs, *report.runs], key=lambda run: run.tool)
        return ModelSummary(report.notes, report.unreviewed)

    def close(self) -> None:
        """Close the session, if there is one."""
        broker = self.__dict__.get("broker")
        if broker is not None:
            broker.close()

    def _are_silent(self, names: Collection[str]) -> bool:
        """Return True if a report with these models is the same as one without."""
        root = self._config.root
        if root.models != "on" or root.log_shadow or root.model_folders:
            return False
        from wardround.inference.locations import all_shadow

        return all_shadow(names)

    @cached_property
    def _hunks(self) -> dict[str, int]:
        return {file.path: len(file.hunks) for file in self._change.files}
