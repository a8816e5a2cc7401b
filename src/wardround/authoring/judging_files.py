"""The files that judge a patch, which no generator may change: tests, and settings of tests and reviews."""

from __future__ import annotations

from wardround.lazy import LazyPattern

_FOLDERS = LazyPattern(
    r"(?i)(?:^|/)(?:tests?|testing|__tests__|specs?|e2e|fixtures?|golden|snapshots?|__snapshots__|testdata"
    r"|cassettes|evals?|benchmarks?|policies|\.github|\.gitlab|\.circleci|\.wardround)/"
)
_TESTS = LazyPattern(
    r"(?i)(?:^|/)(?:test_[^/]*|[^/]*_test|tests?|conftest)\.py$|\.(?:test|spec)\.[cm]?[jt]sx?$"
)
_SETTINGS = LazyPattern(
    r"(?i)(?:^|/)(?:pytest\.ini|\.?tox\.ini|tox\.toml|noxfile\.py|setup\.cfg|pyproject\.toml|\.coveragerc"
    r"|sitecustomize\.py|usercustomize\.py|(?:jest|vitest|mocha|karma|cypress|playwright|vite)[\w.-]*\.[cm]?[jt]s"
    r"|jenkinsfile|\.gitlab-ci\.yml|azure-pipelines\.yml|\.travis\.yml|\.pre-commit-config\.yaml"
    r"|\.wardround[\w.-]*|ruff\.toml|\.ruff\.toml|mypy\.ini|\.eslintrc[\w.-]*|eslint\.config\.\w+"
    r"|biome\.jsonc?|\.oxlintrc\.json|tsconfig[\w.-]*\.json|\.semgrep[\w.-]*|\.gitattributes)$"
)
_FEATURES = LazyPattern(r"\.feature$|\.snap$")


def is_judging(path: str) -> bool:
    """Return True if a file decides whether a patch is right: it is restored before every evaluation."""
    return any(pattern.search(path) for pattern in (_FOLDERS, _TESTS, _SETTINGS, _FEATURES))
