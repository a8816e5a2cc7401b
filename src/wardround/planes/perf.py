"""The perf plane: queries, complexity on hot paths, blocking calls, render cost, image and bundle size."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane

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
)
