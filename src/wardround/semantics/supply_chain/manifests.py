"""The reader of each manifest, by the name of the file."""

from __future__ import annotations

from collections.abc import Callable

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.dependency import Manifest

_REQUIREMENTS = LazyPattern(
    r"(?:^|/)(?:[\w.-]*(?:requirements?|constraints?)[\w.-]*\.(?:txt|in)|requirements/[\w./-]+\.(?:txt|in))$"
)
_DOCKERFILE = LazyPattern(r"(?:^|/)(?:[\w.-]+\.)?(?:[Dd]ockerfile|[Cc]ontainerfile)(?:[.-][\w.-]+)?$")
_WORKFLOW = LazyPattern(r"(?:^|/)\.github/(?:workflows|actions)/.+\.ya?ml$|(?:^|/)action\.ya?ml$")
_EXAMPLES = LazyPattern(r"(?:^|/)(?:node_modules|fixtures?|__fixtures__|testdata|test-data|snapshots)/")
_MOST_CHARACTERS = 2_000_000
"""The size of a manifest beyond which it is not read; people write them."""
_BY_NAME = {
    "pyproject.toml": "pyproject",
    "setup.cfg": "setup_cfg",
    "Pipfile": "pipfile",
    "package.json": "package_json",
    "pnpm-workspace.yaml": "pnpm_workspace",
    ".npmrc": "npm_settings",
    ".yarnrc.yml": "npm_settings",
}


def is_manifest(path: str) -> bool:
    """Return True for a file that declares dependencies and is not sample data."""
    return bool(_kind(path)) and not is_sample(path)


def is_sample(path: str) -> bool:
    """Return True for a file that nobody installs from: test data, or an installed package."""
    return bool(_EXAMPLES.search(path))


def read_manifest(path: str, text: str) -> Manifest:
    """Read the dependencies of a file."""
    if len(text) > _MOST_CHARACTERS:
        return Manifest(problem="it is too large")
    kind = _kind(path)
    if kind == "requirements":
        from wardround.semantics.supply_chain.python_manifests import read_requirements  # see _reader

        return read_requirements(text, path)
    return _reader(kind)(text)


def _kind(path: str) -> str:
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    for kind, pattern in (
        ("requirements", _REQUIREMENTS),
        ("dockerfile", _DOCKERFILE),
        ("workflow", _WORKFLOW),
    ):
        if pattern.search(path):
            return kind
    return ""


def _reader(kind: str) -> Callable[[str], Manifest]:
    if kind in ("dockerfile", "workflow"):
        from wardround.semantics.supply_chain import pins  # one ecosystem is usual

        return pins.read_dockerfile if kind == "dockerfile" else pins.read_workflow
    if kind in ("package_json", "pnpm_workspace", "npm_settings"):
        from wardround.semantics.supply_chain import npm_manifests

        return getattr(npm_manifests, f"read_{kind}")  # type: ignore[no-any-return]
    from wardround.semantics.supply_chain import python_manifests

    return getattr(python_manifests, f"read_{kind}")  # type: ignore[no-any-return]
