"""The security plane: injection, secrets, permissions, supply chain, trust boundaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal

FINDINGS = FindingsPlane(
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
)


class SecurityPlane:
    """Judges findings, and names the notes about the supply chain and trust boundaries."""

    name = Plane.SECURITY

    def is_required(self, profile: str) -> bool:
        """Return True if a review with this profile needs the signal of the plane."""
        return FINDINGS.is_required(profile)

    def applies_to(self, specialists: Collection[str]) -> bool:
        """Return True if the plane judges a file that these specialists claim."""
        return FINDINGS.applies_to(specialists)

    def analyse(self, context: ContextDocument, evidence: Evidence) -> Signal:
        """Judge the findings; policies decide about the notes."""
        signal = FINDINGS.analyse(context, evidence)
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


SECURITY = SecurityPlane()
