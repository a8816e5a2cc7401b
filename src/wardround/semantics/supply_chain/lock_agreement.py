"""Agreement of a lock file with its manifest: an installation with a frozen lock file fails without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wardround.semantics.supply_chain.dependency import Dependency, Manifest, Scope
from wardround.semantics.supply_chain.locks.entry import LockFile
from wardround.semantics.supply_chain.ranges import python_range, satisfies_python

_LOCKED = (Scope.RUNTIME, Scope.DEV, Scope.OPTIONAL)
Gap = tuple[str, str]
"""The name of a dependency, and the reason why the lock file does not satisfy it."""


def gaps(folder: str, manifest: Manifest, lock: LockFile, *, name: str) -> list[Gap]:
    """Return the dependencies that a lock file certainly does not satisfy.

    Args:
        folder: folder of the manifest, relative to the lock file.
        name: name of the lock file.
    """
    expected = [
        dependency
        for dependency in manifest.dependencies
        if dependency.scope in _LOCKED and dependency.source == ""
    ]
    if name in ("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lock"):
        return sorted(_undeclared_gaps(lock, folder, expected, manifest))
    if name == "yarn.lock" and lock.declared:
        return sorted(_undeclared_gaps(lock, folder, expected, manifest))
    if name == "yarn.lock":
        return sorted(_search_by_requirement(lock, expected, manifest))
    if name == "uv.lock":
        return sorted(_unlocked_by_uv(lock.declared.get(folder), expected))
    return sorted(_unsatisfied_gaps(lock, expected))


def _undeclared_gaps(
    lock: LockFile, folder: str, expected: list[Dependency], manifest: Manifest
) -> Iterator[Gap]:
    """Compare with the requirements that the lock file repeats."""
    declared = lock.declared.get(folder)
    if declared is None:
        return
    own = (
        dependency.name.rpartition(">")[2]
        for dependency in manifest.dependencies
        if dependency.scope is Scope.CONSTRAINT
    )
    overridden = lock.overridden.union(own)
    for dependency in expected:
        spec = (
            f"{dependency.origin}@{dependency.requirement}" if dependency.origin else dependency.requirement
        )
        ranges = declared.get(dependency.name)
        if ranges is None:
            yield dependency.name, "the lock file does not contain it"
        elif spec not in ranges and dependency.name not in overridden:
            yield dependency.name, f"{spec} is demanded, and {' '.join(sorted(ranges))} is locked"


def catalog_gaps(manifest: Manifest, lock: LockFile) -> list[Gap]:
    """Return the entries of a catalog that are locked with another range; unused ones are not locked."""
    found: list[Gap] = []
    for dependency in manifest.dependencies:
        known = [
            ranges[dependency.name]
            for key, ranges in lock.declared.items()
            if _is_catalog(key) and dependency.name in ranges
        ]
        if known and not any(dependency.requirement in ranges for ranges in known):
            locked = " ".join(sorted(frozenset().union(*known)))
            found.append((dependency.name, f"{dependency.requirement} is demanded, and {locked} is locked"))
    return sorted(found)


def _is_catalog(key: str) -> bool:
    return key.startswith("catalog ")


def _search_by_requirement(lock: LockFile, expected: list[Dependency], manifest: Manifest) -> Iterator[Gap]:
    """Search the entry of each requirement; resolutions replace some of them."""
    replaced = {
        dependency.name.removeprefix("**/").rpartition(">")[2].rpartition("/**/")[2]
        for dependency in manifest.dependencies
        if dependency.scope is Scope.CONSTRAINT
    }
    names = {pattern.rpartition("@")[0] for pattern in lock.patterns}
    for dependency in expected:
        spec = (
            f"{dependency.origin}@{dependency.requirement}" if dependency.origin else dependency.requirement
        )
        is_locked = {
            f"{dependency.name}@{spec}",
            f"{dependency.name}@{spec.removeprefix('npm:')}",
        } & lock.patterns
        if (
            is_locked
            or dependency.name in replaced
            or any(key.startswith(f"{dependency.name}@") for key in replaced)
        ):
            continue
        reason = f"{spec} has no entry" if dependency.name in names else "the lock file does not contain it"
        yield dependency.name, reason


def _unlocked_by_uv(
    declared: Mapping[str, frozenset[str]] | None, expected: list[Dependency]
) -> Iterator[Gap]:
    for dependency in expected if declared is not None else ():
        ranges = declared.get(dependency.name) if declared is not None else None
        if ranges is None:
            yield dependency.name, "the lock file does not contain it"
        elif not any(_is_equal(dependency.requirement, other) for other in ranges):
            yield (
                dependency.name,
                f"{dependency.requirement or 'any version'} is demanded, "
                f"and {' '.join(sorted(ranges))} is locked",
            )


def _is_equal(value: str, other: str) -> bool:
    first, second = python_range(value), python_range(other)
    return first is None or second is None or first == second


def _unsatisfied_gaps(lock: LockFile, expected: list[Dependency]) -> Iterator[Gap]:
    """Compare with the locked versions."""
    versions: dict[str, list[str]] = {}
    for entry in lock.entries:
        versions.setdefault(entry.name, []).append(entry.version)
    for dependency in expected:
        known = versions.get(dependency.name)
        if known is None:
            yield dependency.name, "the lock file does not contain it"
        elif not any(satisfies_python(dependency.requirement, version) for version in known):
            yield dependency.name, f"{dependency.requirement} is demanded, and {' '.join(known)} is locked"
