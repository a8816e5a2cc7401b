"""The semantic plane: defects in types, data flow, error handling and concurrency, and the models' scores."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.run_judgement import with_behaviour_run

SEMANTIC = FindingsPlane(
    name=Plane.SEMANTIC,
    reviewers={
        "docker-ci": ("docker-ci",),
        "python": ("python", "ruff"),
        "sql": ("sql",),
        "tests": (),
        "typescript": ("typescript",),
    },
    tools=frozenset(
        {"actionlint", "ast-grep", "biome", "eslint", "hadolint", "oxlint", "pyright", "ruff", "shellcheck"}
        | {"sqlfluff", "squawk", "tsc", "ty"}
    ),
    extend=with_behaviour_run,
)
