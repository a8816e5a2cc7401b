"""The kinds of tasks, and the prefixes of commit messages that state one.

Source of the prefixes: Conventional Commits 1.0.0, and the list of commitlint's conventional configuration.
"""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern
from wardround.text.task_text import CommitPrefix, split_prefix

KINDS = (
    "bug", "feature", "refactoring", "performance", "test", "documentation", "build", "dependency",
)  # fmt: skip
_TYPES = {
    "fix": "bug", "bugfix": "bug", "hotfix": "bug",
    "feat": "feature", "feature": "feature",
    "refactor": "refactoring", "refact": "refactoring",
    "perf": "performance",
    "test": "test", "tests": "test",
    "doc": "documentation", "docs": "documentation",
    "build": "build", "ci": "build",
    "deps": "dependency",
}  # fmt: skip
_SCOPES = {
    "doc": "documentation", "docs": "documentation", "readme": "documentation",
    "test": "test", "tests": "test", "e2e": "test",
    "ci": "build", "build": "build", "release": "build", "docker": "build", "lint": "build",
}  # fmt: skip
_DEPENDENCIES = LazyPattern(r"(?:dev-?)?dep(?:endencie)?s(?:-dev)?$")


def kind_of_prefix(subject: str) -> str:
    """Return the kind that the prefix of a subject states; empty if it states none, or two.

    A fix of documentation or a feature of the build is of neither kind.
    """
    prefix, rest = split_prefix(subject)
    if not rest or split_prefix(rest)[0].type in _TYPES:
        return ""
    return _kind(prefix)


def _kind(prefix: CommitPrefix) -> str:
    scopes = [scope.strip() for scope in re.split(r"[,/]", prefix.scope)]
    if any(_DEPENDENCIES.match(scope) for scope in scopes):
        return "dependency"
    kind = _TYPES.get(prefix.type, "")
    others = {_SCOPES[scope] for scope in scopes if scope in _SCOPES}
    return kind if others <= {kind} else ""
