"""The results of JavaScript tests by id, and the results of repetitions of failed ones."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.context.run_evidence import TestOutcome
from wardround.workflows.test.runs.project_run import (
    RECORDING_BREAKS,
    WITH_RECORDING,
    RawResult,
    shorten_failure,
)
from wardround.workflows.test.scripts.results import ScriptResult, file_of

FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)
_FLAKY = "it failed, and passed when it was repeated"
_FLAKY_FILE = "its file could not be loaded, and it passed when it was repeated"


def results_by_id(found: Sequence[ScriptResult]) -> dict[str, RawResult]:
    """Return the results by id; of several tests with one title, a failed one counts."""
    results: dict[str, RawResult] = {}
    for test in found:
        if test.id not in results or test.outcome in FAILURES:
            results[test.id] = _raw(test)
    return results


def _raw(item: ScriptResult) -> RawResult:
    is_skipped = item.outcome is TestOutcome.SKIPPED
    return RawResult(item.outcome, item.seconds, "", "" if is_skipped else shorten_failure(item.excerpt))


def files_with(results: dict[str, RawResult], *outcomes: TestOutcome) -> tuple[str, ...]:
    """Return the files of the tests with these outcomes, each once."""
    return tuple(
        dict.fromkeys(file_of(test) for test, result in results.items() if result.outcome in outcomes)
    )


def add_repetition(results: dict[str, RawResult], again: Sequence[ScriptResult]) -> None:
    """Mark the failed tests as flaky that pass in a second run.

    The tests of a file that could not be loaded before, and can now, replace the result of the file.
    """
    second = results_by_id(again)
    loaded = {file_of(test) for test in second if test != file_of(test)} - {*second}
    for test, first in list(results.items()):
        if first.outcome in FAILURES and test in second:
            results[test] = _second(first, second[test])
        elif first.outcome in FAILURES and test in loaded:
            del results[test]
            results |= {
                file_test: _merge_results(first, each)
                for file_test, each in second.items()
                if file_of(file_test) == test
            }


def _second(first: RawResult, second: RawResult) -> RawResult:
    attempts = first.attempts + 1
    if second.outcome is TestOutcome.PASSED:
        return msgspec.structs.replace(first, outcome=TestOutcome.FLAKY, detail=_FLAKY, attempts=attempts)
    return msgspec.structs.replace(first, attempts=attempts)


def _merge_results(first: RawResult, second: RawResult) -> RawResult:
    if second.outcome is not TestOutcome.PASSED:
        return second
    return msgspec.structs.replace(
        second, outcome=TestOutcome.FLAKY, detail=_FLAKY_FILE, excerpt=first.excerpt, attempts=2
    )


def add_recorded_repetition(results: dict[str, RawResult], again: Sequence[ScriptResult]) -> None:
    """Mark the flaky tests as passed that fail again in a run that is recorded."""
    third = results_by_id(again)
    failed = {test for test, outcome in third.items() if outcome.outcome in FAILURES}
    for test, result in results.items():
        if result.outcome is TestOutcome.FLAKY and not failed.isdisjoint((test, file_of(test))):
            results[test] = RawResult(
                TestOutcome.PASSED, result.seconds, RECORDING_BREAKS, attempts=WITH_RECORDING
            )
