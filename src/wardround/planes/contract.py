"""The contract plane: what other code and other people rely on, inside and outside the repository."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.run_judgement import with_behaviour_run

CONTRACT = FindingsPlane(
    name=Plane.CONTRACT,
    reviewers={
        "docker-ci": ("docker-ci",),
        "python": ("python",),
        "sql": ("sql",),
        "tests": (),
        "typescript": ("typescript",),
    },
    tools=frozenset(
        {"actionlint", "ast-grep", "biome", "eslint", "hadolint", "oxlint", "pyright", "ruff", "shellcheck"}
        | {"squawk", "tsc", "ty"}
    ),
    change_reviewers=("contract",),
    profiles=frozenset({"ci"}),
    extend=with_behaviour_run,
)
