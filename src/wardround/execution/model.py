"""The values of a run: the reporters of results, the change-level checks, and the results of base or head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
from msgspec.structs import replace

from wardround.assignment.work_units import WorkUnit
from wardround.findings import RawFinding, ToolRun, Unreviewed
from wardround.inference.api import Models
from wardround.specialists import Specialist
from wardround.tools.tool import Tool


class ModelProvider(Protocol):
    """Provides the models of a review to the checks of a specialist."""

    def identity(self, unit: WorkUnit) -> str:
        """Return a string that changes with the models used to check a file."""

    def run_with_models(
        self, unit: WorkUnit, run: Callable[[Models], list[RawFinding]]
    ) -> tuple[list[RawFinding], bool]:
        """Run checks with models, and without one that fails during the run.

        Returns:
            The findings, and True if the models in their current state would return the same again.
        """


ResultSource = Tool | Specialist
"""The reporter of a finding: a tool, or a specialist by its own checks."""


def reviewers_of(specialist: Specialist) -> tuple[ResultSource, ...]:
    """Return the reporters of a specialist: its own checks, then its tools, then those shared with other
    specialists.
    """
    return (specialist, *specialist.tools, *specialist.borrowed_tools)


class PartialReview(msgspec.Struct, frozen=True):
    """The checks of a specialist for the entire change ran without something that they need, or in part.

    The gate is not inconclusive, since the other results of the specialist exist; its plane is.
    """

    specialist: str
    reason: str


ChangeCheckResult = tuple[str, RawFinding] | Unreviewed | PartialReview
"""A finding of a change-level check with the name of its specialist; or a report that it did not run, or only
in part.
"""


class MergedChangeResults(msgspec.Struct, frozen=True):
    """The results of the change-level checks after their findings were added to those of the head.

    Attributes:
        reported: the specialists that reported something, with the path.
        unreviewed: the checks that did not run.
        partial: those that ran in part.
    """

    reported: tuple[tuple[Specialist, str], ...] = ()
    unreviewed: tuple[Unreviewed, ...] = ()
    partial: tuple[PartialReview, ...] = ()


class ChangeReview(msgspec.Struct, frozen=True):
    """The change-level checks as a piece of work.

    Attributes:
        run: runs them.
        refuse: the results where they do not run, for a reason.
        budget_s: processor time for the checks of one specialist.
    """

    run: Callable[[], Sequence[ChangeCheckResult]] = lambda: ()
    refuse: Callable[[str], Sequence[ChangeCheckResult]] = lambda reason: ()
    budget_s: float = 0.0

    @property
    def over_budget(self) -> str:
        return f"its checks of the whole change took longer than {self.budget_s:g} s"


NO_CHANGE_REVIEW = ChangeReview()


class Results(msgspec.Struct):
    """The results of base or head by (reporter, path), and the unreviewed files.

    Attributes:
        change_level: the results of change-level checks; None if they did not run with this version.
        notes: sentences for people that do not affect the verdict.
        tampered_paths: paths of the work tree where tools are looked up, and where the change adds
            something.
    """

    by_file: dict[tuple[ResultSource, str], list[RawFinding]] = msgspec.field(default_factory=dict)
    unreviewed: list[Unreviewed] = msgspec.field(default_factory=list)
    runs: list[ToolRun] = msgspec.field(default_factory=list)
    fresh: dict[bytes, tuple[str, list[RawFinding]]] = msgspec.field(default_factory=dict)
    change_level: Sequence[ChangeCheckResult] | None = None
    notes: set[str] = msgspec.field(default_factory=set)
    tampered_paths: set[str] = msgspec.field(default_factory=set)

    def get(self, reviewer: ResultSource, path: str) -> list[RawFinding] | None:
        """Return the results of a reporter for a file; None if it did not review it."""
        return self.by_file.get((reviewer, path))

    def is_reviewed_by(self, name: str, path: str) -> bool:
        """Return True if a reporter of this name reviewed a file."""
        return any(reviewer.name == name and path == where for reviewer, where in self.by_file)


def replace_path(result: RawFinding, path: str) -> RawFinding:
    """Return a result about a file that its reporter knew by another name."""
    if result.file == path:
        return result
    fix = result.fix
    if fix is not None:
        fix = replace(fix, edits=tuple(replace(edit, file=path) for edit in fix.edits))
    return replace(result, file=path, fix=fix)
