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
_WITHOUT_SOCKETS = (
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
    """Return the result of a run with the reason of failures that state a lack of means.

    A test that failed for lack of a socket was not run, as the configuration can permit one. A failure for
    lack of a submodule remains one: it is the same before the change.
    """
    failed = {test: one for test, one in result.results.items() if one.outcome in _FAILURES}
    lacking = {test: found for test, one in failed.items() if (found := _lacking(one, means)) is not None}
    if not lacking:
        return result
    result = msgspec.structs.replace(result, results={**result.results, **lacking})
    not_run = [test for test, one in lacking.items() if one.outcome is TestOutcome.NOT_RUN]
    if not not_run:
        return result
    detail = result.detail or f"{not_run[0]}: {_WITHOUT_SOCKETS}"
    return msgspec.structs.replace(result, state=RunState.PARTIAL, detail=detail)


def _lacking(one: RawResult, means: RunMeans) -> RawResult | None:
    """Return a failed test with what it lacked; None if its failure does not state that."""
    if not means.has_loopback and _NO_SOCKET.search(one.excerpt):
        return msgspec.structs.replace(one, outcome=TestOutcome.NOT_RUN, detail=_WITHOUT_SOCKETS)
    if _NO_FILE.search(one.excerpt):
        for path in means.submodules():
            if path in one.excerpt:
                detail = f"it reads the submodule {path}, whose files are not in the tree of a run"
                return msgspec.structs.replace(one, detail=detail)
    return None
