"""The files that judge a patch, which no generator may change: tests, and settings of tests and reviews."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.config.config_files import config_file_names, tools_for
from wardround.lazy import LazyPattern
from wardround.specialists import Specialist

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
    r"|\.wardround[\w.-]*|\.gitattributes)$"
)
_FEATURES = LazyPattern(r"\.feature$|\.snap$")
_PATTERNS = (_FOLDERS, _TESTS, _SETTINGS, _FEATURES)


class JudgingFiles:
    """The files that decide whether a patch is right, which are restored before every evaluation.

    Args:
        specialists: their tools declare further settings of reviews.
    """

    def __init__(self, specialists: Iterable[Specialist]) -> None:
        tools = tools_for(specialists)
        self._names = frozenset(config_file_names(tools))
        self._names_at_root = frozenset(name for tool in tools for name in tool.config_names)
        self._tools = tools

    def __contains__(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        if (
            name in self._names
            or path in self._names_at_root
            or any(tool.is_in_config_folder(path) for tool in self._tools)
        ):
            return True
        return any(pattern.search(path) for pattern in _PATTERNS)
