"""The perf plane: queries, complexity on hot paths, blocking calls, render cost, image and bundle size."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal


def _with_cost(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    """Name the notes about the cost of a change, which change no severity; policies decide about them."""
    cost = evidence.cost
    lines = [
        f"{one.file}:{one.line}: {one.kind} {one.base} -> {one.head} ({one.path})" for one in cost.growth
    ]
    lines += [f"{one.file}:{one.line}: {one.kind} {one.name}" for one in cost.weights]
    return replace(signal, derivation=(*signal.derivation, *lines))


PERF = FindingsPlane(
    name=Plane.PERF,
    reviewers={
        "docker-ci": ("docker-ci",),
        "python": ("python", "ruff"),
        "sql": ("sql",),
        "typescript": ("typescript",),
    },
    tools=frozenset({"ast-grep", "hadolint", "oxlint", "ruff", "squawk"}),
    profiles=frozenset(),
    extend=_with_cost,
)
