"""Tests that fail because a run lacks what they need: an internet socket, or the files of a submodule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.context.run_evidence import RunState, TestOutcome
from wardround.workflows.test.project_run import ProjectResult, RawResult

_NO_SOCKET = LazyPattern(r"Address family not supported by protocol|EAFNOSUPPORT")
_NO_FILE = LazyPattern(r"ENOENT|No such file or directory|FileNotFoundError|Cannot find module")
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)
WITHOUT_SOCKETS = (
    "it opens an internet socket; if it needs one, commit loopback = true in [tool.wardround.sandbox]"
)


class RunMeans(msgspec.Struct, frozen=True):
    """The means of the tests of a run.

    Attributes:
        has_loopback: internet sockets, on an interface of the run.
        submodules: returns the paths of submodules, whose files no run has.
    """

    has_loopback: bool
    submodules: Callable[[], Sequence[str]]


def without_means(result: ProjectResult, means: RunMeans) -> ProjectResult:
    """Return the result of a run; tests that failed for lack of a socket or a submodule were not run."""
    failed = {test: one for test, one in result.results.items() if one.outcome in _FAILURES}
    lacking = {test: reason for test, one in failed.items() if (reason := _lacking(one, means))}
    if not lacking:
        return result
    results = dict(result.results)
    for test, reason in lacking.items():
        results[test] = msgspec.structs.replace(results[test], outcome=TestOutcome.NOT_RUN, detail=reason)
    detail = result.detail or f"tests were not run, {next(iter(lacking))} among them"
    return msgspec.structs.replace(result, state=RunState.PARTIAL, results=results, detail=detail)


def _lacking(one: RawResult, means: RunMeans) -> str:
    """Return what a failed test lacked, as a sentence; empty if its failure does not state that."""
    if not means.has_loopback and _NO_SOCKET.search(one.excerpt):
        return WITHOUT_SOCKETS
    if _NO_FILE.search(one.excerpt):
        for path in means.submodules():
            if path in one.excerpt:
                return f"it reads the submodule {path}, whose files are not in the tree of a run"
    return ""
