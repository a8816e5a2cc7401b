"""The security plane: injection, secrets, permissions, supply chain, trust boundaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal


def _with_notes(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    """Count the notes about the supply chain and trust boundaries; policies decide about them."""
    return replace(signal, derivation=(*signal.derivation, *_summaries(evidence)))


def _summaries(evidence: Evidence) -> Iterator[str]:
    """Return a line for each kind of notes."""
    notes = evidence.supply_chain
    kinds = {
        "dependencies": [one.change.value for one in notes.dependencies],
        "lock files": [one.change.value for one in notes.locks],
        "install scripts": [one.kind for one in notes.installs],
        "trust boundaries": [one.kind.value for one in evidence.boundaries],
    }
    for kind, found in kinds.items():
        if found:
            counts = ", ".join(f"{count} {name}" for name, count in sorted(Counter(found).items()))
            yield f"{kind}: {counts}"


SECURITY = FindingsPlane(
    name=Plane.SECURITY,
    reviewers={
        "docker-ci": ("docker-ci",),
        "python": ("python", "ruff"),
        "secrets": ("secrets",),
        "sql": ("sql",),
        "templates": ("templates",),
        "tests": (),
        "text": ("text",),
        "typescript": ("typescript",),
    },
    tools=frozenset(
        {"actionlint", "ast-grep", "biome", "checkov", "eslint", "gitleaks", "hadolint", "oxlint", "ruff"}
        | {"semgrep", "zizmor"}
    ),
    extend=_with_notes,
)
