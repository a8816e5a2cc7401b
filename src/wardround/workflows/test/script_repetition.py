"""The results of JavaScript tests by id, and what repetitions of those that failed show."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.context.run_evidence import TestOutcome
from wardround.workflows.test.project_run import RECORDING_BREAKS, WITH_RECORDING, RawResult, shortened
from wardround.workflows.test.script_results import ScriptResult, file_of

FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)
_FLAKY = "it failed, and passed when it was repeated"
_FLAKY_FILE = "its file could not be loaded, and it passed when it was repeated"


def by_id(found: Sequence[ScriptResult]) -> dict[str, RawResult]:
    """Return the results by id; of several tests with one title, a failed one counts."""
    results: dict[str, RawResult] = {}
    for one in found:
        if one.id not in results or one.outcome in FAILURES:
            results[one.id] = _raw(one)
    return results


def _raw(one: ScriptResult) -> RawResult:
    is_skipped = one.outcome is TestOutcome.SKIPPED
    return RawResult(one.outcome, one.seconds, "", "" if is_skipped else shortened(one.excerpt))


def files_with(results: dict[str, RawResult], *outcomes: TestOutcome) -> tuple[str, ...]:
    """Return the files of the tests with these outcomes, each once."""
    return tuple(dict.fromkeys(file_of(test) for test, one in results.items() if one.outcome in outcomes))


def add_repetition(results: dict[str, RawResult], again: Sequence[ScriptResult]) -> None:
    """Mark the failed tests as flaky that pass in a second run.

    The tests of a file that could not be loaded before, and can now, replace the result of the file.
    """
    second = by_id(again)
    loaded = {file_of(test) for test in second if test != file_of(test)} - {*second}
    for test, first in list(results.items()):
        if first.outcome in FAILURES and test in second:
            results[test] = _second(first, second[test])
        elif first.outcome in FAILURES and test in loaded:
            del results[test]
            results |= {one: _of_file(first, each) for one, each in second.items() if file_of(one) == test}


def _second(first: RawResult, second: RawResult) -> RawResult:
    attempts = first.attempts + 1
    if second.outcome is TestOutcome.PASSED:
        return msgspec.structs.replace(first, outcome=TestOutcome.FLAKY, detail=_FLAKY, attempts=attempts)
    return msgspec.structs.replace(first, attempts=attempts)


def _of_file(first: RawResult, second: RawResult) -> RawResult:
    if second.outcome is not TestOutcome.PASSED:
        return second
    return msgspec.structs.replace(
        second, outcome=TestOutcome.FLAKY, detail=_FLAKY_FILE, excerpt=first.excerpt, attempts=2
    )


def add_recorded_repetition(results: dict[str, RawResult], again: Sequence[ScriptResult]) -> None:
    """Mark the flaky tests as passed that fail again in a run that is recorded."""
    third = by_id(again)
    failed = {test for test, one in third.items() if one.outcome in FAILURES}
    for test, one in results.items():
        if one.outcome is TestOutcome.FLAKY and not failed.isdisjoint((test, file_of(test))):
            results[test] = RawResult(
                TestOutcome.PASSED, one.seconds, RECORDING_BREAKS, attempts=WITH_RECORDING
            )
