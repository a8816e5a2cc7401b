"""The kind of a file by its path, by which readings of findings are counted."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from wardround.lazy import LazyPattern


class FileKind(StrEnum):
    """The purpose of a file."""

    TESTS = "tests"
    MIGRATIONS = "migrations"
    CI = "ci"
    EXAMPLES = "examples"
    SCRIPTS = "scripts"
    SETTINGS = "settings"
    SOURCE = "source"


_PATTERNS = (
    (FileKind.TESTS, LazyPattern(r"(^|/)(tests?|__tests__|spec|e2e|fixtures?|testing)/|(^|/)conftest\.py$")),
    (FileKind.MIGRATIONS, LazyPattern(r"(^|/)(migrations?|alembic|versions|schema)/")),
    (
        FileKind.CI,
        LazyPattern(
            r"(^|/)(\.github/|\.gitlab-ci|Jenkinsfile|Dockerfile|Containerfile)"
            r"|(^|/|\.)[Dd]ockerfile|compose[^/]*\.ya?ml$"
        ),
    ),
    (FileKind.EXAMPLES, LazyPattern(r"(^|/)(docs?|examples?|demos?|samples?|tutorials?)/|\.(md|rst|mdx)$")),
    (FileKind.SCRIPTS, LazyPattern(r"(^|/)(scripts?|tools?|bin|hack|benchmarks?)/|\.(sh|bash)$")),
    (
        FileKind.SETTINGS,
        LazyPattern(r"\.(ya?ml|toml|json|cfg|ini|env)$|(^|/)\.env|\.config\.[cm]?[jt]s$|(^|/)setup\.py$"),
    ),
)
"""The first that matches applies; any other file is source."""


@lru_cache(maxsize=4096)
def kind_of_file(path: str) -> FileKind:
    """Return the kind of a file."""
    from wardround.retrieval.test_discovery import contains_tests  # few reviews need it

    if contains_tests(path):
        return FileKind.TESTS
    return next((kind for kind, pattern in _PATTERNS if pattern.search(path)), FileKind.SOURCE)
