"""The tests plane: whether what changed is tested, and whether tests were weakened."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane

TESTS = FindingsPlane(
    name=Plane.TESTS,
    reviewers={"python": (), "sql": (), "tests": ("tests",), "typescript": ()},
    tools=frozenset({"ast-grep", "biome", "eslint", "oxlint", "pyright", "ruff"}),
    change_reviewers=("tests",),
    profiles=frozenset({"ci"}),
)
