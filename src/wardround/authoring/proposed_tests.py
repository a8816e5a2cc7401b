"""Tests that a model proposes for a task: evidence, which judges no patch as the tests of the project do."""

from __future__ import annotations

import msgspec

from wardround.authoring.stages import PatchedFile
from wardround.retrieval.test_discovery import DiscoveredTest, TestFile


class WrittenTests(msgspec.Struct, frozen=True):
    """Test files as a model wrote them, before anything ran.

    Attributes:
        files: the new contents.
        ids: the tests that are new in them.
        author: the model.
    """

    files: tuple[PatchedFile, ...] = ()
    ids: tuple[str, ...] = ()
    author: str = ""
    reason: str = ""


class ProposedTest(msgspec.Struct, frozen=True):
    """A proposed test that fails at the base for a reason of the task.

    Attributes:
        failure: the end of the representation of its failure.
    """

    id: str
    source: str
    failure: str = ""


class RejectedTest(msgspec.Struct, frozen=True):
    """A proposed test that shows nothing, with the reason."""

    id: str
    reason: str


class ProposedTests(msgspec.Struct, frozen=True):
    """The proposed tests of one conversation, after they ran at the base.

    Attributes:
        tests: those that fail there for a reason of the task.
        rejected: all others.
        files: the test files, which have both.
        problem: the reason why there are none at all; empty if there are some.
    """

    tests: tuple[ProposedTest, ...] = ()
    rejected: tuple[RejectedTest, ...] = ()
    files: tuple[PatchedFile, ...] = ()
    author: str = ""
    reason: str = ""
    problem: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of those that fail at the base for a reason of the task."""
        return tuple(test.id for test in self.tests)


def new_tests(path: str, before: str | None, after: str) -> list[DiscoveredTest]:
    """Return the tests that a file has and its earlier content lacks."""
    known = present_tests(path, before)
    return [test for test in TestFile(path, after).cases if test.id not in known]


def present_tests(path: str, text: str | None) -> dict[str, str]:
    """Return id -> source of the tests of a file."""
    return {test.id: test.text for test in TestFile(path, text or "").cases}
