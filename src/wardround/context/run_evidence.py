"""The results of running the changed code, as a review records them: no times, logs or paths of a machine.

A review that runs nothing has none. A replay reads them from the record, so that it needs no sandbox.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Literal

import msgspec

RunPart = Literal["tests", "behaviour", "mutations"]
"""Parts of a run: tests that the change can affect, its functions at base and head, small edits of its lines.
"""
RUN_PARTS: tuple[RunPart, ...] = ("tests", "behaviour")
"""The parts that run by default."""
ALL_PARTS: tuple[RunPart, ...] = (*RUN_PARTS, "mutations")


def sorted_parts(names: Collection[str]) -> tuple[RunPart, ...]:
    """Return the parts of these names; mutations need the tests."""
    return tuple(part for part in ALL_PARTS if part in names or (part == "tests" and "mutations" in names))


class RunState(StrEnum):
    """How far a run came. Only a complete run supports a statement on everything that it was to run."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    FAILED = "failed"
    REFUSED = "refused"


class TestOutcome(StrEnum):
    """The result of a test; a flaky test failed once and passed when it was repeated."""

    __test__ = False
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    FLAKY = "flaky"
    SKIPPED = "skipped"
    NOT_RUN = "not-run"


class RunConditions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The conditions of a run.

    Attributes:
        isolation: the back end of the sandbox; ``none`` satisfies no policy, and a refused run has none.
        environment: the digest of the interpreter and the installed packages; empty if nothing ran.
        detail: one sentence unless the run is complete; then empty, or the limit that it reached.
    """

    state: RunState
    isolation: str = ""
    environment: str = ""
    detail: str = ""


class TestEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one test.

    Attributes:
        reason: the clause for which it was chosen.
        excerpt: the end of its failure, redacted; empty if it did not fail.
        places: ``path:line`` of changed lines in the traceback of its failure, the innermost first.
        base: its result before the change; None if it was not run there.
    """

    __test__ = False

    id: str
    outcome: TestOutcome
    reason: str = ""
    excerpt: str = ""
    places: tuple[str, ...] = ()
    base: TestOutcome | None = None


class LineEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The executable lines of a file that the change added or edited, numbered at the head.

    Attributes:
        partial: lines with a branch that the tests took in one direction only.
    """

    path: str
    covered: tuple[int, ...] = ()
    uncovered: tuple[int, ...] = ()
    partial: tuple[int, ...] = ()


class CoverageDelta(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The executable lines of a changed file that the same tests run before and after the change.

    Attributes:
        base: covered and executable lines at the base; None for a new file.
        head: the same at the head; None for a removed file.
    """

    path: str
    base: tuple[int, int] | None
    head: tuple[int, int] | None


class UnnoticedMutation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A small edit of a changed line after which the tests still pass.

    Attributes:
        before: the expression in the line.
        after: the expression in its place.
    """

    path: str
    line: int
    before: str
    after: str


class TestsRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run of the tests that the change can affect.

    Attributes:
        lines: changed lines by file; empty if coverage was not recorded.
        mutations: the number of small edits that were tried, the unnoticed ones included.
        mutation_problem: one sentence if they were requested and could not run.
    """

    __test__ = False

    conditions: RunConditions
    tests: tuple[TestEvidence, ...] = ()
    lines: tuple[LineEvidence, ...] = ()
    delta: tuple[CoverageDelta, ...] = ()
    mutations: int = 0
    unnoticed: tuple[UnnoticedMutation, ...] = ()
    mutation_problem: str = ""


class InputOrigin(StrEnum):
    """Where the arguments of a compared call come from."""

    RECORDED = "recorded"
    MUTATED = "mutated"
    CROSSED = "crossed"


class Observed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The effects of one call, in the text of ``repr`` with addresses removed, shortened and redacted.

    Attributes:
        returned: the value; None if it raised.
        raised: the exception; None if it returned.
        arguments: arguments that it changed, as ``name=value``.
        printed: what it wrote to standard output and standard error.
    """

    returned: str | None = None
    raised: str | None = None
    arguments: tuple[str, ...] = ()
    printed: str = ""


class BehaviourDifference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The smallest call whose result the change altered, of one function.

    Attributes:
        path: path at the head.
        function: its qualified name, as ``Parser.parse``.
        line: line number of its definition at the head.
        call: as a person would write it.
        test: the test in which the arguments, or those they were derived from, were recorded.
        through: a public function that leads to this private one and differs, as ``FILE::FUNCTION`` if it is
            in another file; else empty.
        callers: ``path:line`` of calls in the repository.
        recorded_through: the public function through which the test called a private one that is shown by
            itself, as no public caller could be compared; else empty.
        is_addition: the result is the same, and an argument has more entries after the call.
        part: the part in which long results differ, as a clause; empty if both are short.
    """

    path: str
    function: str
    line: int
    call: str
    before: Observed
    after: Observed
    origin: InputOrigin
    test: str = ""
    through: str = ""
    callers: tuple[str, ...] = ()
    recorded_through: str = ""
    is_addition: bool = False
    part: str = ""

    @property
    def is_private_only(self) -> bool:
        """True for a private function that is not shown through a public one."""
        names = self.function.split(".")
        is_private = any(name.startswith("_") and not name.endswith("__") for name in names)
        return is_private and not self.through


class ComparedFunction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A changed function that ran before and after the change on the same arguments.

    Attributes:
        inputs: the number of arguments compared, noisy ones left out.
        differing: the number of those with another result.
        reason: the reason for which none of these is shown, as a clause; empty if one is.
    """

    path: str
    function: str
    inputs: int
    differing: int = 0
    reason: str = ""


class NotCompared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A changed function about which nothing is stated, with the reason as a clause."""

    path: str
    function: str
    reason: str


class BehaviourRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The comparison of the changed functions on the same arguments before and after the change."""

    conditions: RunConditions
    differences: tuple[BehaviourDifference, ...] = ()
    compared: tuple[ComparedFunction, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()


class RunEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The results of running the changed code; each part is None if it was not requested."""

    tests: TestsRun | None = None
    behaviour: BehaviourRun | None = None

    @property
    def parts(self) -> tuple[RunPart, ...]:
        """The parts that have an outcome of their own, as requested."""
        return tuple(part for part in RUN_PARTS if getattr(self, part) is not None)
