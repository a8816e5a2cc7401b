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
        folder: of the manifest, relative to the lock file.
        name: of the lock file.
    """
    wanted = [one for one in manifest.dependencies if one.scope in _LOCKED and one.source == ""]
    if name in ("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lock"):
        return sorted(_undeclared(lock, folder, wanted, manifest))
    if name == "yarn.lock" and lock.declared:
        return sorted(_undeclared(lock, folder, wanted, manifest))
    if name == "yarn.lock":
        return sorted(_without_pattern(lock, wanted, manifest))
    if name == "uv.lock":
        return sorted(_unlocked_by_uv(lock.declared.get(folder), wanted))
    return sorted(_unsatisfied(lock, wanted))


def _undeclared(lock: LockFile, folder: str, wanted: list[Dependency], manifest: Manifest) -> Iterator[Gap]:
    """Compare with the requirements that the lock file repeats."""
    declared = lock.declared.get(folder)
    if declared is None:
        return
    own = (one.name.rpartition(">")[2] for one in manifest.dependencies if one.scope is Scope.CONSTRAINT)
    overridden = lock.overridden.union(own)
    for one in wanted:
        spec = f"{one.origin}@{one.requirement}" if one.origin else one.requirement
        ranges = declared.get(one.name)
        if ranges is None:
            yield one.name, "the lock file does not contain it"
        elif spec not in ranges and one.name not in overridden:
            yield one.name, f"{spec} is demanded, and {' '.join(sorted(ranges))} is locked"


def catalog_gaps(manifest: Manifest, lock: LockFile) -> list[Gap]:
    """Return the entries of a catalog that are locked with another range; unused ones are not locked."""
    found: list[Gap] = []
    for one in manifest.dependencies:
        known = [
            ranges[one.name]
            for key, ranges in lock.declared.items()
            if _is_catalog(key) and one.name in ranges
        ]
        if known and not any(one.requirement in ranges for ranges in known):
            locked = " ".join(sorted(frozenset().union(*known)))
            found.append((one.name, f"{one.requirement} is demanded, and {locked} is locked"))
    return sorted(found)


def _is_catalog(key: str) -> bool:
    return key.startswith("catalog ")


def _without_pattern(lock: LockFile, wanted: list[Dependency], manifest: Manifest) -> Iterator[Gap]:
    """Search the entry of each requirement; resolutions replace some of them."""
    replaced = {
        one.name.removeprefix("**/").rpartition(">")[2].rpartition("/**/")[2]
        for one in manifest.dependencies
        if one.scope is Scope.CONSTRAINT
    }
    names = {pattern.rpartition("@")[0] for pattern in lock.patterns}
    for one in wanted:
        spec = f"{one.origin}@{one.requirement}" if one.origin else one.requirement
        is_locked = {f"{one.name}@{spec}", f"{one.name}@{spec.removeprefix('npm:')}"} & lock.patterns
        if is_locked or one.name in replaced or any(key.startswith(f"{one.name}@") for key in replaced):
            continue
        reason = f"{spec} has no entry" if one.name in names else "the lock file does not contain it"
        yield one.name, reason


def _unlocked_by_uv(declared: Mapping[str, frozenset[str]] | None, wanted: list[Dependency]) -> Iterator[Gap]:
    for one in wanted if declared is not None else ():
        ranges = declared.get(one.name) if declared is not None else None
        if ranges is None:
            yield one.name, "the lock file does not contain it"
        elif not any(_is_equal(one.requirement, other) for other in ranges):
            yield (
                one.name,
                f"{one.requirement or 'any version'} is demanded, and {' '.join(sorted(ranges))} is locked",
            )


def _is_equal(one: str, other: str) -> bool:
    first, second = python_range(one), python_range(other)
    return first is None or second is None or first == second


def _unsatisfied(lock: LockFile, wanted: list[Dependency]) -> Iterator[Gap]:
    """Compare with the locked versions."""
    versions: dict[str, list[str]] = {}
    for entry in lock.entries:
        versions.setdefault(entry.name, []).append(entry.version)
    for one in wanted:
        known = versions.get(one.name)
        if known is None:
            yield one.name, "the lock file does not contain it"
        elif not any(satisfies_python(one.requirement, version) for version in known):
            yield one.name, f"{one.requirement} is demanded, and {' '.join(known)} is locked"
