"""Hand-written runs of a change."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.context.run_evidence import (
    BehaviourDifference,
    BehaviourRun,
    ComparedFunction,
    InputOrigin,
    LineEvidence,
    NotCompared,
    Observed,
    RunConditions,
    RunEvidence,
    RunState,
    TestEvidence,
    TestOutcome,
    TestsRun,
)

SANDBOXED = RunConditions(RunState.COMPLETE, "bubblewrap", "e" * 64)
UNISOLATED = RunConditions(RunState.COMPLETE, "none", "e" * 64)
TIMED_OUT = RunConditions(RunState.PARTIAL, "bubblewrap", "e" * 64, "3 tests were not reached in 600 s")
REFUSED = RunConditions(
    RunState.REFUSED, detail="bubblewrap is not installed; install the package bubblewrap"
)
PASSED = TestEvidence("test_app.py::test_f", TestOutcome.PASSED, "it ran the changed function f")
FAILED = TestEvidence(
    "test_app.py::test_g",
    TestOutcome.FAILED,
    excerpt="def test_g():\n>       assert g() == 1\nE       assert 2 == 1\nE        +  where 2 = g()\n",
    places=("app.py:2",),
)
COVERED = LineEvidence("app.py", (1, 2, 3))
MISSED = LineEvidence("app.py", (1,), (2, 3, 5), (1,))


def run_of_tests(*tests: TestEvidence, **values: Any) -> TestsRun:
    """A complete run in a sandbox; by default of one test that passes and runs every changed line."""
    defaults: dict[str, Any] = {"conditions": SANDBOXED, "lines": (COVERED,)}
    return TestsRun(tests=tests or (PASSED,), **(defaults | values))


def difference(**values: Any) -> BehaviourDifference:
    """``parse_port('')`` returned None and raises now."""
    defaults: dict[str, Any] = {
        "path": "app.py",
        "function": "parse_port",
        "line": 1,
        "call": "parse_port('')",
        "before": Observed(returned="None"),
        "after": Observed(raised="ValueError('no port')"),
        "origin": InputOrigin.RECORDED,
        "test": PASSED.id,
    }
    return BehaviourDifference(**(defaults | values))


def run_of_behaviour(*differences: BehaviourDifference, **values: Any) -> BehaviourRun:
    """A complete comparison in a sandbox of one function, with another that was not compared."""
    defaults: dict[str, Any] = {
        "conditions": SANDBOXED,
        "compared": (ComparedFunction("app.py", "parse_port", 12, len(differences)),),
        "not_compared": (NotCompared("app.py", "main", "no test called it"),),
    }
    return BehaviourRun(differences=differences, **(defaults | values))


CLEAN = RunEvidence(run_of_tests(), run_of_behaviour())


def ran(context: ContextDocument) -> ContextDocument:
    """The context of a change that ran in a sandbox, where its tests passed and ran all of ``app.py``."""
    return replace(context, run=CLEAN)
