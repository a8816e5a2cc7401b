"""The perf plane: queries, complexity on hot paths, blocking calls, render cost, image and bundle size."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal

FINDINGS = FindingsPlane(
    name=Plane.PERF,
    reviewers={
        "docker-ci": ("docker-ci",),
        "python": ("python", "ruff"),
        "sql": ("sql",),
        "typescript": ("typescript",),
    },
    tools=frozenset({"ast-grep", "hadolint", "oxlint", "ruff", "squawk"}),
    profiles=frozenset(),
)


class PerfPlane:
    """Judges findings, and names the notes about the cost of a change, which change no severity."""

    name = Plane.PERF

    def is_required(self, profile: str) -> bool:
        """Return False: cost is judged where something measures it."""
        return FINDINGS.is_required(profile)

    def applies_to(self, specialists: Collection[str]) -> bool:
        """Return True if the plane judges a file that these specialists claim."""
        return FINDINGS.applies_to(specialists)

    def analyse(self, context: ContextDocument, evidence: Evidence) -> Signal:
        """Judge the findings; policies decide about the notes."""
        signal = FINDINGS.analyse(context, evidence)
        cost = evidence.cost
        lines = [
            f"{one.file}:{one.line}: {one.kind} {one.base} -> {one.head} ({one.path})" for one in cost.growth
        ]
        lines += [f"{one.file}:{one.line}: {one.kind} {one.name}" for one in cost.weights]
        return replace(signal, derivation=(*signal.derivation, *lines))


PERF = PerfPlane()
