"""The intent plane: whether the change, its ticket, its description and its comments agree."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.claims import SourceKind, claim, measured_source
from wardround.planes.coverage import FindingsPlane
from wardround.planes.criterion.results import CriterionState
from wardround.planes.evidence import Evidence
from wardround.planes.intent_notes import IntentNotes
from wardround.planes.signal import PlaneStatus, Signal, with_claims

CRITERIA_MET = "criteria-met"
SCOPE_NOTES = "scope-notes"
KIND_NOTES = "kind-notes"
COMPANIONS = "companions"


def _with_ticket(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    """Add the notes about intent; a ticket must have been compared with the change.

    A criterion that is not met, or not shown to be, leaves the plane uncertain; one that is met never does.
    """
    signal = _with_notes(signal, evidence)
    if context.ticket is None:
        return signal
    expected = {criterion.id for criterion in context.ticket.criteria}
    judged = {result.criterion for result in evidence.criteria}
    if expected != judged:
        reason = f"{len(expected - judged)} acceptance criteria were not judged"
        return replace(
            signal, status=PlaneStatus.INCONCLUSIVE, confidence=0.0, reasons=(*signal.reasons, reason)
        )
    counts = Counter(result.state for result in evidence.criteria)
    states = ", ".join(f"{counts[state]} {state}" for state in CriterionState)
    judge = measured_source(CRITERIA_MET, SourceKind.CRITERIA, evidence.precision.get(CRITERIA_MET))
    is_open = any(count and state is not CriterionState.MET for state, count in counts.items())
    text = f"acceptance criteria are met: {states}"
    return with_claims(signal, claim(text, () if is_open else [judge], counts=is_open))


def _with_notes(signal: Signal, evidence: Evidence) -> Signal:
    """Name the notes in the derivation; they change neither severity nor confidence."""
    lines = [
        f"{note.file}:{note.line}: outside the stated intent: {note.reason}" for note in evidence.intent.scope
    ]
    lines += [
        f"{note.file}:{note.line}: not only {note.stated}: {note.reason}" for note in evidence.intent.kind
    ]
    claims = [
        claim(text, [measured_source(name, SourceKind.NOTE, evidence.precision.get(name))], counts=False)
        for name, text in note_texts(evidence.intent).items()
    ]
    return with_claims(replace(signal, derivation=(*signal.derivation, *lines)), *claims)


def note_texts(notes: IntentNotes) -> dict[str, str]:
    """Return a text for each kind of note that there is, by the source of the notes."""
    kinds = {SCOPE_NOTES: notes.scope, KIND_NOTES: notes.kind, COMPANIONS: notes.related}
    return {name: f"{len(some)} notes, for people alone" for name, some in kinds.items() if some}


INTENT = FindingsPlane(
    name=Plane.INTENT,
    reviewers={
        "docker-ci": ("docker-ci",),
        "python": ("python",),
        "sql": ("sql",),
        "tests": (),
        "typescript": ("typescript",),
    },
    tools=frozenset({"hadolint", "shellcheck", "ty"}),
    profiles=frozenset(),
    extend=_with_ticket,
)
