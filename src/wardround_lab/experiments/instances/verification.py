"""The verification of a candidate: its tests run at the base and with the answer, under two hash seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

import msgspec

from wardround.lazy import LazyPattern
from wardround_lab.experiments.instances.candidates import Candidate
from wardround_lab.experiments.instances.test_runs import TestRun

SEEDS = (1, 2, 1)
"""The hash seed of each repetition."""
_FEATURE = LazyPattern(
    r"(?:unexpected keyword argument|has no attribute|cannot import name|No module named)"
    r" '(?:[\w.]{1,200}\.)?(\w{1,200})'"
)
"""The errors of tests that use what does not exist yet, with its name."""
_ERROR_LINE = LazyPattern(r"(?m)^(?:E\s+)?((?:\w+\.)*\w*(?:Error|Exception|Warning)\b.*)$")


class Reason(StrEnum):
    """The reason to reject a candidate, for the record."""

    NO_ENVIRONMENT = "its environment cannot be built"
    NOT_COLLECTED = "its tests cannot be collected"
    NOT_RUN = "its tests cannot be run"
    PASSES_BEFORE = "its tests pass before the fix"
    FAILS_AFTER = "its failing tests fail with the answer, too"
    FEATURE = "its failing tests use what the answer adds"
    TOO_LONG = "its tests take longer than the limit"
    FLAKY = "its failing tests are not the same each time"
    UNREADABLE = "objects of it are missing in the clone"
    SENSITIVE = "it has a secret"


class RejectedCandidate(Exception):
    """A candidate cannot become an instance."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


class VerifiedTests(msgspec.Struct, frozen=True):
    """The tests that judge patches.

    Attributes:
        fail_to_pass: fail at the base and pass with the answer, each time.
        pass_to_pass: pass on both, each time.
    """

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]


class Sides(msgspec.Struct, frozen=True):
    """Runs tests of one candidate: files, or the whole suite without any, with a hash seed."""

    base: Callable[[Sequence[str], int], TestRun]
    answer: Callable[[Sequence[str], int], TestRun]


def verify(candidate: Candidate, sides: Sides, *, whole_suite: bool) -> VerifiedTests:
    """Return the tests of a candidate; the cheap runs, after which most are rejected, come first.

    Args:
        whole_suite: tests that pass are those of the whole suite, else those of the files of the candidate.

    Raises:
        RejectedCandidate: it cannot become an instance.
    """
    files = candidate.test_modules
    base = _require_complete(sides.base(files, SEEDS[0]))
    _require_failure(base, files)
    answer = _require_complete(sides.answer(files, SEEDS[0]))
    _require_repair(candidate, base, answer, files)
    pairs = [] if whole_suite else [(base, answer)]
    scope = () if whole_suite else files
    pairs += (
        (_require_complete(sides.base(scope, seed)), _require_complete(sides.answer(scope, seed)))
        for seed in SEEDS[len(pairs) :]
    )
    return _stable_tests(pairs, base.failed & answer.passed)


def _require_complete(run: TestRun) -> TestRun:
    if run.is_over_limit:
        raise RejectedCandidate(Reason.TOO_LONG)
    if run.problem:
        raise RejectedCandidate(Reason.NOT_RUN, run.problem)
    return run


def _require_failure(base: TestRun, files: Sequence[str]) -> None:
    """Reject a candidate whose test files can be collected and pass at the base."""
    if base.failures or _collection_errors(base, files):
        return
    if base.passed:
        raise RejectedCandidate(Reason.PASSES_BEFORE)
    raise RejectedCandidate(Reason.NOT_COLLECTED, "pytest found no test that runs")


def _require_repair(candidate: Candidate, base: TestRun, answer: TestRun, files: Sequence[str]) -> None:
    """Reject a candidate whose tests the answer does not repair, or whose failures only miss what it adds."""
    repaired = base.failed & answer.passed
    if not repaired:
        _reject_unrepaired(base, answer, files)
    if all(is_feature(base.failures[test], candidate.added_names) for test in repaired):
        raise RejectedCandidate(Reason.FEATURE)


def _reject_unrepaired(base: TestRun, answer: TestRun, files: Sequence[str]) -> None:
    broken = _collection_errors(answer, files)
    if broken:
        raise RejectedCandidate(Reason.NOT_COLLECTED, _error_line(broken[0]))
    missing = _collection_errors(base, files)
    if missing:
        raise RejectedCandidate(Reason.FEATURE, _error_line(missing[0]))
    detail = next((_error_line(text) for _, text in sorted(answer.failures.items())), "")
    raise RejectedCandidate(Reason.FAILS_AFTER, detail)


def _collection_errors(run: TestRun, files: Iterable[str]) -> list[str]:
    """Return the errors of files, and of their folders, that were not collected."""
    return [
        text
        for path, text in run.uncollected.items()
        if any(file == path or file.startswith(f"{path}/") or not path for file in files)
    ]


def is_feature(failure: str, added_names: frozenset[str]) -> bool:
    """Return True if a failure only reports that a name that the answer adds does not exist."""
    found = _FEATURE.findall(failure)
    return bool(found) and found[-1] in added_names


def _stable_tests(pairs: Sequence[tuple[TestRun, TestRun]], repaired: frozenset[str]) -> VerifiedTests:
    stable = repaired.intersection(*(base.failed & answer.passed for base, answer in pairs))
    if not stable:
        raise RejectedCandidate(Reason.FLAKY)
    passing = frozenset.intersection(*(base.passed & answer.passed for base, answer in pairs))
    return VerifiedTests(tuple(sorted(stable)), tuple(sorted(passing)))


def _error_line(text: str) -> str:
    found = _ERROR_LINE.findall(text)
    return found[-1].strip()[:300] if found else ""
