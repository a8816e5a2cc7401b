"""The values between failing tests, edits of the code that they run, and the validation of these edits."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from wardround.context.run_evidence import TestOutcome

_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)


class Frame(msgspec.Struct, frozen=True):
    """A frame of a traceback in a file of the repository."""

    path: str
    line: int
    function: str


class Failure(msgspec.Struct, frozen=True):
    """The exception that ended a test.

    Attributes:
        exception: the name of its class, such as ``KeyError``.
        frames: those in files of the repository, the innermost last.
        text: the end of pytest's representation, with the values of an assertion.
    """

    exception: str
    message: str = ""
    frames: tuple[Frame, ...] = ()
    text: str = ""


class ObservedTest(msgspec.Struct, frozen=True):
    """A test as it ran at the base.

    Attributes:
        lines: the lines of each file of the repository that ran during the test, without those that ran only
            while modules were imported.
        seconds: CPU time.
    """

    id: str
    outcome: TestOutcome
    failure: Failure | None = None
    lines: Mapping[str, tuple[int, ...]] = {}
    seconds: float = 0.0


class Observation(msgspec.Struct, frozen=True):
    """The tests of an instance at the base: those that fail, and those that pass.

    Attributes:
        requested: ids of the tests of the instance, with their parameters.
        is_complete: False if the time ended before all tests ran.
        problem: one sentence if nothing could be observed, or no requested test fails each time.
        cpu_s: CPU time of the observation.
    """

    tests: tuple[ObservedTest, ...] = ()
    requested: frozenset[str] = frozenset()
    is_complete: bool = True
    problem: str = ""
    cpu_s: float = 0.0

    @property
    def failing(self) -> tuple[ObservedTest, ...]:
        """The requested tests that fail each time."""
        return tuple(test for test in self.tests if test.id in self.requested and test.outcome in _FAILURES)

    @property
    def passing(self) -> tuple[ObservedTest, ...]:
        """All tests that pass."""
        return tuple(test for test in self.tests if test.outcome is TestOutcome.PASSED)


class SuspiciousFunction(msgspec.Struct, frozen=True):
    """A function that a failing test ran, with the score by which functions are ordered.

    Attributes:
        symbol: qualified name, such as ``Parser.feed``; ``<module>`` for code outside of functions.
        lines: the scores of its executed lines.
    """

    path: str
    symbol: str
    first_line: int
    last_line: int
    score: float
    lines: Mapping[int, float] = {}


class Candidate(msgspec.Struct, frozen=True):
    """One edit of a function.

    Attributes:
        symbol: the qualified name of the outermost edited function or method.
        start, end: offsets in the text of the file, in code points.
        operator: the name of the edit's kind.
        score: the probability by which candidates are ordered.
    """

    path: str
    symbol: str
    start: int
    end: int
    replacement: str
    operator: str
    score: float


class CandidateResult(msgspec.Struct, frozen=True):
    """The tests of one candidate, up to the first failure.

    Attributes:
        index: position in the validated sequence.
        failed_test: the first test that does not pass; empty if all pass.
        passed: the number of tests before it.
    """

    index: int
    failed_test: str = ""
    passed: int = 0
    exception: str = ""

    @property
    def is_plausible(self) -> bool:
        """True if no test fails."""
        return not self.failed_test


class Validation(msgspec.Struct, frozen=True):
    """The validation of candidates, in their order, up to the end of the time.

    Attributes:
        tried: how many were run; the rest was not reached.
        results: those that pass at least the first failing test.
        reimported: how many of those tried had an effect only in a process that imports their file again.
        late: how many took too long; crashed: how many ended their process.
        unstable: tests that pass at the base, but not by themselves in a process that collected all; no
            candidate is judged by them.
        cpu_s: CPU time of the validation.
        problem: one sentence if it could not run, or ended early.
    """

    tried: int
    results: tuple[CandidateResult, ...] = ()
    reimported: int = 0
    late: int = 0
    crashed: int = 0
    unstable: tuple[str, ...] = ()
    cpu_s: float = 0.0
    problem: str = ""
