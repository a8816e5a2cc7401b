"""The intent plane: whether the change, its ticket, its description and its comments agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.criterion.results import CriterionState
from wardround.planes.evidence import Evidence
from wardround.planes.signal import PlaneStatus, Signal

FINDINGS = FindingsPlane(
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
)


class IntentPlane:
    """Judges findings about comments and documentation, and the acceptance criteria of a ticket."""

    name = Plane.INTENT

    def is_required(self, profile: str) -> bool:
        """Return False: the text that a change is compared with may be missing."""
        return FINDINGS.is_required(profile)

    def applies_to(self, specialists: Collection[str]) -> bool:
        """Return True if the plane judges a file that these specialists claim."""
        return FINDINGS.applies_to(specialists)

    def analyse(self, context: ContextDocument, evidence: Evidence) -> Signal:
        """Judge the findings; a ticket must have been compared with the change."""
        signal = _with_notes(FINDINGS.analyse(context, evidence), evidence)
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
        return replace(signal, derivation=(*signal.derivation, f"acceptance criteria: {states}"))


def _with_notes(signal: Signal, evidence: Evidence) -> Signal:
    """Name the notes in the derivation; they change neither severity nor confidence."""
    lines = [
        f"{note.file}:{note.line}: outside the stated intent: {note.reason}" for note in evidence.intent.scope
    ]
    lines += [
        f"{note.file}:{note.line}: not only {note.stated}: {note.reason}" for note in evidence.intent.kind
    ]
    return replace(signal, derivation=(*signal.derivation, *lines))


INTENT = IntentPlane()
