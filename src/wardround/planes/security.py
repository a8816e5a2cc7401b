"""The security plane: injection, secrets, permissions, supply chain, trust boundaries."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane

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
)
