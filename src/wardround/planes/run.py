"""Running the planes separately, so that one that crashes or hangs affects no other."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import Plane
from wardround.planes.contract import CONTRACT
from wardround.planes.evidence import Evidence
from wardround.planes.intent import INTENT
from wardround.planes.language_model.influence import add_model_findings, without_model
from wardround.planes.perf import PERF
from wardround.planes.run_view import view_for
from wardround.planes.security import SECURITY
from wardround.planes.semantic import SEMANTIC
from wardround.planes.signal import PlaneAnalysis, PlaneStatus, Signal
from wardround.planes.tests import TESTS

PLANES: tuple[PlaneAnalysis, ...] = (INTENT, CONTRACT, SEMANTIC, TESTS, SECURITY, PERF)
TIMEOUT_S = 10.0
"""Time limit for one plane, which takes milliseconds."""


def run_planes(
    context: ContextDocument,
    evidence: Evidence,
    planes: Sequence[PlaneAnalysis] = PLANES,
    timeout_s: float = TIMEOUT_S,
) -> tuple[tuple[Signal, ...], Evidence]:
    """Judge the evidence in every plane.

    A plane that fails is inconclusive, and its failure joins the evidence, so that deriving the signals again
    gives the same ones. Planes do not see the findings of language models, which are added last, and of a
    run only the part that they judge.

    Returns:
        The signals in the order of the planes, and the evidence with the failures.
    """
    static = without_model(evidence)
    runs = [
        _PlaneRun(plane, view_for(plane.name, context), static)
        for plane in planes
        if plane.name not in evidence.plane_failures
    ]
    failures = dict(evidence.plane_failures)
    for run in runs:
        run.thread.join(timeout_s)
        if run.failure is not None:
            failures[run.plane.name] = run.failure
    signals = {run.plane.name: run.signal for run in runs if run.plane.name not in failures}
    results = [signals.get(plane.name) or _failed_signal(plane, evidence, failures) for plane in planes]
    results = [add_model_findings(signal, evidence) for signal in results]
    return tuple(results), replace(evidence, plane_failures=failures) if failures else evidence


class _PlaneRun:
    """One plane in a thread of its own; a thread that does not return is abandoned."""

    def __init__(self, plane: PlaneAnalysis, context: ContextDocument, evidence: Evidence) -> None:
        self.plane = plane
        self._arguments = (context, evidence)
        self._signal: Signal | None = None
        self._error = ""
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._signal = self.plane.analyse(*self._arguments)
        except PLUGIN_EXCEPTIONS as error:
            self._error = f"it failed with {type(error).__name__}"

    @property
    def failure(self) -> str | None:
        """The reason why the signal is missing; None if it exists."""
        if self.signal is not None:
            return None
        return self._error or ("it timed out" if self.thread.is_alive() else "it returned no signal")

    @property
    def signal(self) -> Signal | None:
        """The signal, if it belongs to this plane."""
        found = self._signal
        return found if isinstance(found, Signal) and found.plane is self.plane.name else None


def _failed_signal(plane: PlaneAnalysis, evidence: Evidence, failures: dict[Plane, str]) -> Signal:
    reason = f"the {plane.name} plane: {failures[plane.name]}"
    return Signal(
        plane.name,
        PlaneStatus.INCONCLUSIVE,
        reasons=(reason,),
        is_required=plane.is_required(evidence.profile),
    )
