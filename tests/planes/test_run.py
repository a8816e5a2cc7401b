"""No plane affects another, and none that fails counts as reviewed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import document, evidence, finding
from tests.planes.run_factory import ran
from wardround.context.canonical import canonical_json
from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.evidence import Evidence
from wardround.planes.run import PLANES, run_planes
from wardround.planes.signal import PlaneAnalysis, PlaneStatus, Signal
from wardround.policy.conclude import conclude
from wardround.policy.decide import decide
from wardround.policy.loading import bundled_policy
from wardround.policy.verdict import VerdictName

EVIDENCE = evidence(findings=(finding(), finding(Plane.SECURITY, "info")))
MILD = (VerdictName.AUTO_MERGE, VerdictName.AUTO_APPROVE)


class Broken:
    """A plane that behaves badly."""

    def __init__(self, name: Plane, behaviour: Callable[[], Any]) -> None:
        self.name = name
        self._behaviour = behaviour

    def is_required(self, profile: str) -> bool:
        return True

    def analyse(self, context: ContextDocument, evidence: Evidence) -> Signal:
        result: Signal = self._behaviour()
        return result


def crash() -> None:
    raise RuntimeError("secret text")


def leave() -> None:
    raise SystemExit(0)


def hang() -> None:
    threading.Event().wait(30)


def empty() -> None:
    return None


def imitate() -> Signal:
    return Signal(Plane.PERF, PlaneStatus.REVIEWED, confidence=1.0)


BEHAVIOURS = (crash, leave, hang, empty)


@pytest.mark.parametrize("plane", PLANES, ids=lambda plane: str(plane.name))
def test_a_signal_is_the_same_while_all_others_fail(plane: PlaneAnalysis) -> None:
    (alone,), _ = run_planes(document(), EVIDENCE, [plane])
    behaviours = iter(BEHAVIOURS * 2)
    others = [item if item is plane else Broken(item.name, next(behaviours)) for item in PLANES]
    signals, _ = run_planes(document(), EVIDENCE, others, timeout_s=0.05)
    assert [signal.plane for signal in signals] == [item.name for item in PLANES]
    for signal in signals:
        if signal.plane is plane.name:
            assert canonical_json(signal) == canonical_json(alone)
        else:
            assert (signal.status, signal.confidence) == (PlaneStatus.INCONCLUSIVE, 0.0)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("name", Plane)
def test_nothing_is_approved_without_the_signal_of_each_plane(
    name: Plane, behaviour: Callable[[], Any]
) -> None:
    planes = [Broken(name, behaviour) if item.name is name else item for item in PLANES]
    signals, known = run_planes(document(), evidence(), planes, timeout_s=0.05)
    verdict = decide(signals, document(), known, [bundled_policy("default")])
    assert verdict.name not in MILD


def test_a_signal_of_another_plane_does_not_count() -> None:
    signals, _ = run_planes(document(), EVIDENCE, [Broken(Plane.SECURITY, imitate)])
    assert signals[0].reasons == ("the security plane: it returned no signal",)


def test_the_same_review_with_all_planes_is_approved() -> None:
    verdict = conclude(ran(document()), evidence(), (bundled_policy("default"),)).verdict
    assert verdict.name is VerdictName.AUTO_APPROVE


def test_a_failure_states_its_kind_and_not_its_text() -> None:
    signals, known = run_planes(document(), EVIDENCE, [Broken(Plane.PERF, crash)])
    assert signals[0].reasons == ("the perf plane: it failed with RuntimeError",)
    assert known.plane_failures == {Plane.PERF: "it failed with RuntimeError"}


def test_a_recorded_failure_gives_the_same_signals_again() -> None:
    planes = [Broken(item.name, crash) if item.name is Plane.PERF else item for item in PLANES]
    signals, known = run_planes(document(), EVIDENCE, planes)
    assert run_planes(document(), known) == (
        tuple(s if s.plane is not Plane.PERF else _optional(s) for s in signals),
        known,
    )


def _optional(signal: Signal) -> Signal:
    """The signal as the real perf plane reports it, which no profile requires."""
    return replace(signal, is_required=False)
