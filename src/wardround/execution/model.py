"""What is looked at: files of one side of a change, each for a specialist, and what was said about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import msgspec
from msgspec.structs import replace

from wardround.change.snapshot import Snapshot
from wardround.checks.source import RepositoryView
from wardround.context.work_units import WorkUnit
from wardround.findings import RawFinding, ToolRun, Unreviewed
from wardround.inference.api import Models
from wardround.specialists import Specialist
from wardround.tools.tool import Tool


class ModelProvider(Protocol):
    """Lends the models of a review to the checks of a specialist."""

    def identity(self, unit: WorkUnit) -> str:
        """What an answer depends on that is given with the models lent for a file."""

    def run_with_models(
        self, unit: WorkUnit, run: Callable[[Models], list[RawFinding]]
    ) -> tuple[list[RawFinding], bool]:
        """Run checks with models, and without one that fails meanwhile.

        Returns:
            What they said, and whether they would say the same again with the models as they are now.
        """


class ReviewSide(msgspec.Struct, frozen=True):
    """One side of the change, as the tools are to see it.

    Attributes:
        name: ``head`` or ``base``; ``unwaived-`` and one of them where copies of files are reviewed.
        read: content by path, of files that are under review.
        state: what identifies the whole project on this side; None if nothing does.
        layout: the names in the folders where tools look for first-party modules.
        has: whether anything at a path, above it or below it is under version control on either side.
        project: what checks may ask about other files.
        link: completes a room of a snapshot with the rest of the project, for files of these names.
        base_text: the text a path had before the change, for checks that compare.
        is_added: whether the change brought a line of a path; on the base side, whether it is there.
        desk: lends models; None in a review without them.
        added_lines: the lines it brought to a path that has so many, in order; on the base side all.
        changed: the paths the change touches, as this side has them.
    """

    name: str
    read: Callable[[str], bytes | None]
    state: str | None
    layout: str
    has: Callable[[str], bool]
    project: RepositoryView
    link: Callable[[Snapshot, str, tuple[str, ...]], None]
    base_text: Callable[[str], str | None]
    is_added: Callable[[str, int], bool]
    added_lines: Callable[[str, int], Iterable[int]]
    desk: ModelProvider | None = None
    changed: frozenset[str] = frozenset()


ResultSource = Tool | Specialist
"""Who says something about a file: a tool, or a specialist by the checks of its own."""


def reviewers_of(specialist: Specialist) -> tuple[ResultSource, ...]:
    """Who speaks for a specialist: its own checks, then its tools, then those it borrows."""
    return (specialist, *specialist.tools, *specialist.borrowed_tools)


ChangeCheckResult = tuple[str, RawFinding] | Unreviewed
"""What was said of the change as a whole, with the name of the specialist; or that it could not be."""


class ChangeReview(msgspec.Struct, frozen=True):
    """The checks of the change as a whole.

    Attributes:
        run: runs them.
        refuse: what is reported instead, for a reason.
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
    """What was said about one side, by (reviewer, path), and what was not looked at.

    Attributes:
        whole: what was said of the change as a whole; None if it was not looked at with this side.
        notes: sentences for people about what is no part of the verdict.
        steering: places of the work tree where tools are looked for, and where the change puts something.
    """

    by_file: dict[tuple[ResultSource, str], list[RawFinding]] = msgspec.field(default_factory=dict)
    unreviewed: list[Unreviewed] = msgspec.field(default_factory=list)
    runs: list[ToolRun] = msgspec.field(default_factory=list)
    fresh: dict[bytes, tuple[str, list[RawFinding]]] = msgspec.field(default_factory=dict)
    whole: Sequence[ChangeCheckResult] | None = None
    notes: set[str] = msgspec.field(default_factory=set)
    tampered_paths: set[str] = msgspec.field(default_factory=set)

    def get(self, reviewer: ResultSource, path: str) -> list[RawFinding] | None:
        """The results of a reviewer for a file; None if it did not look at it."""
        return self.by_file.get((reviewer, path))

    def named(self, name: str, path: str) -> bool:
        """Whether a reviewer of this name looked at a file."""
        return any(reviewer.name == name and path == where for reviewer, where in self.by_file)


def with_path(result: RawFinding, path: str) -> RawFinding:
    """A result about a file that its reviewer knew by another name."""
    if result.file == path:
        return result
    fix = result.fix
    if fix is not None:
        fix = replace(fix, edits=tuple(replace(edit, file=path) for edit in fix.edits))
    return replace(result, file=path, fix=fix)
