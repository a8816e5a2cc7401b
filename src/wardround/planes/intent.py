"""The intent plane: whether the change, its description and its comments agree."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane

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
)
