"""The part of a project that a changed file belongs to, by its path."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable

from wardround.lazy import LazyPattern
from wardround.retrieval.test_discovery import contains_tests
from wardround.semantics.supply_chain.locks.reading import is_lock
from wardround.semantics.supply_chain.manifests import is_manifest


class PathClass(enum.StrEnum):
    """The part of a project that a file belongs to."""

    PRODUCT = "product"
    DOCUMENTATION = "documentation"
    MANIFEST = "manifest"
    TESTS = "tests"
    TOOLING = "tooling"
    CHANGELOG = "changelog"


_CHANGELOG = LazyPattern(
    r"(?i)(?:^|/)(?:changelog|changes|history|news|releases?|release[-_]?notes?|what(?:[-_]?s)?[-_]?new"
    r"|upgrading)"
    r"(?:[-_.][\w.-]{0,40})?\.(?:md|rst|txt|adoc)$|^(?:changelog|changes|history|news)$"
    r"|(?:^|/)(?:changelog|changelogs|changelog\.d|changes|newsfragments|news|releasenotes|\.changeset"
    r"|changelog[-_]?"
    r"(?:entries|fragments|unreleased))/"
)
_TESTS = LazyPattern(
    r"(?i)(?:^|/)(?:tests?|t|qa|testing_data|testdata|test[-_]data|__tests__|__mocks__|__snapshots__|specs?|e2e"
    r"|fixtures?"
    r"|cypress|benchmarks?|bench|fuzz(?:ing)?|type[-_]?tests?|typing_tests?|integration[-_]tests?"
    r"|mypy-tests)/"
    r"|(?:^|/)conftest\.py$|(?:^|/)asv\.conf\.json$|\.test-d\.tsx?$"
)
_DOCUMENTATION_FOLDER = LazyPattern(
    r"(?i)(?:^|/)(?:docs?|docs?[-_]src|documentation|examples?|samples?|demos?|website|tutorials?)/"
)
_DOCUMENTATION = LazyPattern(
    r"(?i)\.(?:md|rst|adoc|markdown)$"
    r"|(?:^|/)(?:readme|contributing|copying|licen[cs]e|notice|code_of_conduct|security"
    r"|citation|funding|governance|acknowledg\w{0,10})(?:\.\w{1,8})?$|(?:^|/)mkdocs\.ya?ml$|\.ipynb$"
)
_TOOLING = LazyPattern(
    r"(?i)(?:^|/)\.[^/]+(?:/|$)"
    r"|(?:^|/)(?:requirements|constraints)/|(?:^|/)[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)$"
    r"|(?:^|/)(?:authors|contributors|sponsors|backers|maintainers|funding|citation"
    r"|code_of_conduct)(?:\.\w{1,8})?$"
    r"|^(?!action\.)[^/]+\.(?:ya?ml|ini|cfg)$"
    r"|(?:^|/)(?:scripts?|tools|tasks|ci|hack|\.?dev|devtools|release|build[-_]scripts|maint)/"
    r"|^(?:tox\.ini|noxfile\.py|makefile|justfile|pytest\.ini|mypy\.ini|codecov\.ya?ml"
    r"|azure-pipelines\.ya?ml|appveyor\.ya?ml"
    r"|netlify\.toml|vercel\.json|lefthook\.ya?ml|jenkinsfile|manifest\.in|run_tests\.py|taskfile\.ya?ml"
    r"|ruff\.toml"
    r"|pylintrc|setup\.cfg|pyrightconfig\.json|tasks\.py|babel\.cfg|release\.py|renovate\.json5?|lerna\.json"
    r"|nx\.json|turbo\.json"
    r"|conda[-_]?\w{0,20}\.ya?ml|environment\.ya?ml|pixi\.toml)$"
    r"|(?:^|/)(?:jest|vitest|rollup|webpack|vite|babel|eslint|prettier|karma|tsup|playwright|cypress"
    r"|commitlint|size-limit"
    r"|tsconfig|jsconfig|tslint|typedoc)[\w.-]{0,30}\.(?:[cm]?[jt]s|json|ya?ml)$"
)
_MANIFEST = LazyPattern(
    r"(?:^|/)(?:setup\.py|setup\.cfg|pyproject\.toml|package\.json|Cargo\.toml|go\.(?:mod|sum))$"
)
_ACTION = LazyPattern(r"^(?:[\w-]+/)*action\.ya?ml$")
_DEVELOPMENT = LazyPattern(
    r"^\.|(?:^|/)(?!requirements\.(?:txt|in)$)[^/]+\.(?:txt|in)$|/requirements\.(?:txt|in)$"
)
"""Manifests of tools and of those who work on the project."""


def class_of_path(path: str) -> PathClass:
    """Return the class of a path; unknown files are of the product."""
    return next((kind for kind, is_of_kind in _CLASSES if is_of_kind(path)), PathClass.PRODUCT)


def _is_test(path: str) -> bool:
    return contains_tests(path) or bool(_TESTS.search(path))


def _is_requirement_list(path: str) -> bool:
    if is_lock(path) or _MANIFEST.search(path):
        return True
    return is_manifest(path) and not _DEVELOPMENT.search(path)


_CLASSES: tuple[tuple[PathClass, Callable[[str], object]], ...] = (
    (PathClass.CHANGELOG, _CHANGELOG.search),
    (PathClass.TESTS, _is_test),
    (PathClass.DOCUMENTATION, _DOCUMENTATION_FOLDER.search),
    (PathClass.PRODUCT, _ACTION.search),
    (PathClass.MANIFEST, _is_requirement_list),
    (PathClass.TOOLING, _TOOLING.search),
    (PathClass.DOCUMENTATION, _DOCUMENTATION.search),
)
"""The classes with their tests, in order: the first that fits counts."""


def classes_of(paths: Iterable[str]) -> frozenset[PathClass]:
    """Return the classes of some paths."""
    return frozenset(map(class_of_path, paths))
