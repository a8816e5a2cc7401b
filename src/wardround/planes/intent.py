"""The intent plane: whether the change, its ticket, its description and its comments agree."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from wardround.analyses.criteria import CRITERIA_MET, AcceptanceCriteria
from wardround.analyses.criterion.results import CriterionState
from wardround.analyses.intent import Intent, counts_of_notes
from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.claims import SourceKind, claim, measured_source
from wardround.planes.coverage import FindingsPlane
from wardround.planes.evidence import Evidence
from wardround.planes.signal import PlaneStatus, Signal, add_claims


def _add_ticket(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    """Add the notes about intent; a ticket must have been compared with the change.

    A criterion that is not met, or not shown to be, makes the plane uncertain; one that is met never does.
    """
    signal = _add_notes(signal, evidence)
    if context.ticket is None:
        return signal
    expected = {criterion.id for criterion in context.ticket.criteria}
    results = evidence.notes_of(AcceptanceCriteria)
    judged = {result.criterion for result in results}
    if expected != judged:
        reason = f"{len(expected - judged)} acceptance criteria were not judged"
        return replace(
            signal, status=PlaneStatus.INCONCLUSIVE, confidence=0.0, reasons=(*signal.reasons, reason)
        )
    counts = Counter(result.state for result in results)
    states = ", ".join(f"{counts[state]} {state}" for state in CriterionState)
    judge = measured_source(CRITERIA_MET, SourceKind.CRITERIA, evidence.precision.get(CRITERIA_MET))
    is_open = any(count and state is not CriterionState.MET for state, count in counts.items())
    text = f"acceptance criteria are met: {states}"
    return add_claims(signal, claim(text, () if is_open else [judge], counts=is_open))


def _add_notes(signal: Signal, evidence: Evidence) -> Signal:
    """Count the notes of each source as claims, which change neither severity nor confidence."""
    claims = []
    for name, count in counts_of_notes(evidence.notes_of(Intent)).items():
        source = measured_source(name, SourceKind.NOTE, evidence.precision.get(name))
        claims.append(claim(f"{count} notes, for people alone", [source], counts=False))
    return add_claims(signal, *claims)


INTENT = FindingsPlane(name=Plane.INTENT, profiles=frozenset(), extend=_add_ticket)
