"""The reader of each lock file, by the name of the file."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.semantics.supply_chain.locks.entry import LockFile
from wardround.semantics.supply_chain.manifests import is_sample

_MOST_CHARACTERS = 40_000_000
LOCKS_OF = {
    "pyproject.toml": ("uv.lock", "poetry.lock", "pdm.lock"),
    "Pipfile": ("Pipfile.lock",),
    "package.json": ("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"),
    "pnpm-workspace.yaml": ("pnpm-lock.yaml",),
}
"""Manifest -> the lock files that it may have."""
_BINARY = "bun.lockb"
_NAMES = frozenset({_BINARY}) | frozenset(name for names in LOCKS_OF.values() for name in names)
IN_SAME_FOLDER = frozenset({"poetry.lock", "pdm.lock", "Pipfile.lock"})
"""Lock files of one project; the others may lock the projects below them too."""


def is_lock(path: str) -> bool:
    """Return True for a lock file that is not sample data."""
    return path.rpartition("/")[2] in _NAMES and not is_sample(path)


def manifests_of(lock: str) -> Sequence[str]:
    """Return the names of the manifests that a lock file may belong to."""
    name = lock.rpartition("/")[2]
    return [manifest for manifest, locks in LOCKS_OF.items() if name in locks]


def read_lock(path: str, text: str) -> LockFile:
    """Read a lock file; one that is too large or of another form has a problem."""
    name = path.rpartition("/")[2]
    if len(text) > _MOST_CHARACTERS:
        return LockFile(problem="it is too large")
    if name == _BINARY or "\0" in text:
        return LockFile(problem="it is binary")
    if name in ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"):
        from wardround.semantics.supply_chain.locks import python_locks  # one format is usual

        return (
            python_locks.read_pipfile_lock(text)
            if name == "Pipfile.lock"
            else python_locks.read_toml_lock(text)
        )
    if name in ("pnpm-lock.yaml", "yarn.lock"):
        from wardround.semantics.supply_chain.locks import block_locks

        return (
            block_locks.read_pnpm_lock(text) if name == "pnpm-lock.yaml" else block_locks.read_yarn_lock(text)
        )
    from wardround.semantics.supply_chain.locks import npm_locks

    return npm_locks.read_bun_lock(text) if name == "bun.lock" else npm_locks.read_package_lock(text)
