"""The plan of a test run: the tests to run and to exclude, each with its reason."""

from __future__ import annotations

import enum

import msgspec


class Cause(enum.StrEnum):
    """The kind of a reason to run a test, those most likely to show a failure first."""

    REQUESTED = "requested"
    FAILED_BEFORE = "failed-before"
    CHANGED_TEST = "changed-test"
    NEW_TEST = "new-test"
    RAN_CHANGED_FUNCTION = "ran-changed-function"
    SHARED_SETUP = "shared-setup"
    RAN_CHANGED_FILE = "ran-changed-file"
    MENTIONS_NAME = "mentions-name"
    MENTIONS_FILE = "mentions-file"
    STARTS_PROCESS = "starts-process"
    NOT_RECORDED = "not-recorded"
    SETTINGS = "settings"
    UNBOUNDED = "unbounded"
    ALL = "all"


class SelectedTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test to run.

    Attributes:
        id: as pytest takes it; without parameters, all parameters are run.
        reason: one clause for a person.
        evidence: ``path::function`` of the changed functions that it executed, or the paths that decide; at
            most ``MOST_EVIDENCE``.
    """

    id: str
    cause: Cause
    reason: str
    evidence: tuple[str, ...] = ()


class OmittedTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test that is excluded, with the reason."""

    id: str
    reason: str


class TestPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tests of a tree, in the order in which to run them.

    Attributes:
        notes: limitations of the plan, one sentence each.
    """

    __test__ = False

    selected: tuple[SelectedTest, ...] = ()
    omitted: tuple[OmittedTest, ...] = ()
    notes: tuple[str, ...] = ()


MOST_EVIDENCE = 5
