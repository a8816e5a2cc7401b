"""Tests that fail because they open an internet socket, which a run has on request only."""

from __future__ import annotations

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.context.run_evidence import RunState, TestOutcome
from wardround.workflows.test.project_run import ProjectResult, RawResult

_REFUSED = LazyPattern(r"Address family not supported by protocol|EAFNOSUPPORT")
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)
WITHOUT_SOCKETS = (
    "it opens an internet socket; commit loopback = true in [tool.wardround.sandbox] if it needs one"
)


def without_sockets(result: ProjectResult) -> ProjectResult:
    """Return the result of a run without internet sockets; tests that failed for lack of one were not run."""
    refused = {test: one for test, one in result.results.items() if _is_refused(one)}
    if not refused:
        return result
    results = dict(result.results) | {test: _not_run(one) for test, one in refused.items()}
    detail = result.detail or f"{len(refused)} of its tests open an internet socket"
    return msgspec.structs.replace(result, state=RunState.PARTIAL, results=results, detail=detail)


def _is_refused(one: RawResult) -> bool:
    return one.outcome in _FAILURES and _REFUSED.search(one.excerpt) is not None


def _not_run(one: RawResult) -> RawResult:
    return msgspec.structs.replace(one, outcome=TestOutcome.NOT_RUN, detail=WITHOUT_SOCKETS)
