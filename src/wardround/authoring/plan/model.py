"""The plan of a task: what to change in which order, what to run, and what is not known."""

from __future__ import annotations

import msgspec

from wardround.authoring.instance import Constraint
from wardround.authoring.task_kind import StatedKind


class PlannedFile(msgspec.Struct, frozen=True):
    """A file to change.

    Attributes:
        functions: ``lines 10-24 Parser.feed`` of the most probable ones, with the reason.
        after: the planned files that it imports, which precede it.
    """

    path: str
    reasons: tuple[str, ...]
    functions: tuple[tuple[str, str], ...] = ()
    after: tuple[str, ...] = ()


class PlannedTest(msgspec.Struct, frozen=True):
    """A test file to change or add.

    Attributes:
        near: the tests in it that cover the planned code.
    """

    path: str
    is_new: bool
    reason: str
    near: tuple[str, ...] = ()


class PlannedCheck(msgspec.Struct, frozen=True):
    """Something to run: a command, or the tools of a specialist, and what it covers."""

    command: str
    reason: str


class BoundConstraint(msgspec.Struct, frozen=True):
    """A constraint and the places where it binds; everywhere if there are none."""

    constraint: Constraint
    places: tuple[str, ...] = ()


class PatchPlan(msgspec.Struct, frozen=True):
    """A plan; its texts are without secrets.

    Attributes:
        files: those to change, in order.
        first_file: the most probable one of them; empty if there is none.
        others: the next files, if these are not the right ones.
    """

    title: str
    base: str
    instance: str
    kind: StatedKind
    criteria: tuple[str, ...]
    files: tuple[PlannedFile, ...]
    first_file: str
    others: tuple[PlannedFile, ...]
    tests: tuple[PlannedTest, ...]
    checks: tuple[PlannedCheck, ...]
    risks: tuple[str, ...]
    questions: tuple[str, ...]
    constraints: tuple[BoundConstraint, ...]
    conventions: tuple[str, ...]
