"""The dependencies that a change adds, removes or loosens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import msgspec

from wardround.semantics.supply_chain.dependency import Dependency, Manifest, Scope
from wardround.semantics.supply_chain.notes import DependencyChange, DependencyNote, display_text
from wardround.semantics.supply_chain.ranges import is_wider_range

_FOREIGN = ("git", "url", "path")


class ManifestChange(msgspec.Struct, frozen=True):
    """One manifest at base and head; where it does not exist there are no dependencies."""

    path: str
    base: Manifest
    head: Manifest

    @property
    def is_changed(self) -> bool:
        """is_changed: True if a requirement differs in a property on which a lock file depends."""
        return _lockable_requirements(self.base) != _lockable_requirements(self.head)


def _lockable_requirements(manifest: Manifest) -> set[Dependency]:
    return {
        msgspec.structs.replace(dependency, line=1)
        for dependency in manifest.dependencies
        if dependency.scope not in (Scope.INDEX, Scope.BUILD, Scope.TOOL, Scope.IMAGE, Scope.ACTION)
    }


def dependency_notes(changes: Sequence[ManifestChange]) -> list[DependencyNote]:
    """Compare the manifests of a change; a dependency that moved to another file is not new."""
    notes: list[DependencyNote] = []
    added: _Located = defaultdict(list)
    removed: _Located = defaultdict(list)
    for change in changes:
        if change.base.problem or change.head.problem:
            continue
        old, new = _group_by_name(change.base), _group_by_name(change.head)
        for name in sorted(old.keys() | new.keys()):
            before, after = old.get(name, []), new.get(name, [])
            if before and after:
                notes += _compare_requirements(change.path, before, after)
            elif after:
                _add_to_scopes(added, change.path, after)
            else:
                _add_to_scopes(removed, change.path, before)
    notes += _moved_or_new(added, removed)
    return sorted(notes)


def _add_to_scopes(by_scope: _Located, path: str, dependencies: Sequence[Dependency]) -> None:
    """Add the first dependency of each scope, with the path of its manifest."""
    if not _is_catalog(dependencies):
        for dependency in _merge_scopes(dependencies):
            key = dependency.ecosystem, dependency.name, dependency.scope
            by_scope[key].append((path, dependency))


_Located = dict[tuple[str, str, Scope], list[tuple[str, Dependency]]]


def _moved_or_new(added: _Located, removed: _Located) -> Iterator[DependencyNote]:
    for key, new in added.items():
        old = removed.get(key, [])
        for (path, dependency), (_, before) in zip(new, old, strict=False):
            yield from (
                _note(path, change, before, dependency) for change in _loosened_ways(before, dependency)
            )
        for path, dependency in new[len(old) :]:
            yield _note(path, _change_of_index(dependency) or DependencyChange.ADDED, None, dependency)
    for key, old in removed.items():
        for path, dependency in old[len(added.get(key, [])) :]:
            yield _note(path, _change_of_index(dependency) or DependencyChange.REMOVED, dependency, None)


def _change_of_index(item: Dependency) -> DependencyChange | None:
    return DependencyChange.REGISTRY if item.scope is Scope.INDEX else None


def _group_by_name(manifest: Manifest) -> dict[tuple[str, bool, str], list[Dependency]]:
    found: dict[tuple[str, bool, str], list[Dependency]] = defaultdict(list)
    for dependency in manifest.dependencies:
        found[dependency.ecosystem, dependency.scope is Scope.INDEX, dependency.name].append(dependency)
    return found


def _is_catalog(dependencies: Sequence[Dependency]) -> bool:
    """Return True for entries of a catalog, which install nothing before a manifest names them."""
    return all(dependency.scope is Scope.CATALOG for dependency in dependencies)


def _merge_scopes(dependencies: Sequence[Dependency]) -> list[Dependency]:
    return list({dependency.scope: dependency for dependency in reversed(dependencies)}.values())


def _compare_requirements(
    path: str, base: Sequence[Dependency], head: Sequence[Dependency]
) -> Iterator[DependencyNote]:
    """Compare the requirements of one name."""
    if any(dependency.is_required for dependency in head) and not any(
        dependency.is_required or _is_peer(dependency) for dependency in base
    ):
        new = next(dependency for dependency in head if dependency.is_required)
        yield _note(path, DependencyChange.RUNTIME, base[0], new)
    for old, new in _pairs(base, head):
        for change in _loosened_ways(old, new):
            yield _note(path, change, old, new)


def _is_peer(item: Dependency) -> bool:
    return item.scope not in (Scope.DEV, Scope.OPTIONAL)


def _pairs(base: Sequence[Dependency], head: Sequence[Dependency]) -> Iterator[tuple[Dependency, Dependency]]:
    """Return the requirements that belong together: by scope and condition, then by order.

    Requirements that exist at base and head have no partner. If the head has more entries of a name, further
    images and actions are paired with the last one of the base, if all of the base are pinned, and so does a
    requirement from outside of a registry.
    """
    old, new = list(base), list(head)
    _remove_pairs(old, new, _is_same)
    yield from _remove_pairs(old, new, _has_same_condition)
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
    elif not old:
        yield from ((base[-1], dependency) for dependency in new if _is_weaker_copy(dependency, base))


def _remove_pairs(
    old: list[Dependency], new: list[Dependency], belongs: Callable[[Dependency, Dependency], bool]
) -> list[tuple[Dependency, Dependency]]:
    """Remove each requirement and the first that belongs to it from both lists; return the two."""
    pairs = []
    for dependency in list(old):
        partner = next((other for other in new if belongs(dependency, other)), None)
        if partner is not None:
            old.remove(dependency)
            new.remove(partner)
            pairs.append((dependency, partner))
    return pairs


def _has_same_condition(old: Dependency, new: Dependency) -> bool:
    return (old.scope, old.marker) == (new.scope, new.marker)


def _is_weaker_copy(one: Dependency, base: Sequence[Dependency]) -> bool:
    """Return True if a further requirement of a name is weaker than all that existed."""
    if one.scope in (Scope.IMAGE, Scope.ACTION):
        return all(two.is_pinned for two in base)
    return one.source in _FOREIGN and not any(two.source in _FOREIGN for two in base)


def _is_same(item: Dependency, other: Dependency) -> bool:
    return item.text == other.text and item.source == other.source and item.has_hash == other.has_hash


def _loosened_ways(old: Dependency, new: Dependency) -> Iterator[DependencyChange]:
    """Return the kinds of loosening of the second requirement compared with the first one."""
    if old.scope is Scope.INDEX:
        if old.origin != new.origin:
            yield DependencyChange.REGISTRY
        return
    if "workspace" in (old.source, new.source):
        return
    yield from _origin_changes(old, new)
    is_unpinned = old.is_pinned and not new.is_pinned
    is_released = old.source == new.source == ""
    if is_unpinned and new.source in (old.source, "git", "url"):
        yield DependencyChange.UNPINNED
    elif is_released and is_wider_range(new.ecosystem, old.requirement, new.requirement):
        yield DependencyChange.WIDENED
    if old.has_hash and not new.has_hash:
        yield DependencyChange.INTEGRITY


def _origin_changes(old: Dependency, new: Dependency) -> Iterator[DependencyChange]:
    """Return the change of a requirement that has another origin."""
    if new.source in _FOREIGN and (old.source != new.source or _is_elsewhere(old, new)):
        yield DependencyChange.SOURCE
    elif old.source == new.source == "" and new.origin not in ("", old.origin):
        yield DependencyChange.SOURCE if new.ecosystem == "npm" else DependencyChange.REGISTRY


def _is_elsewhere(old: Dependency, new: Dependency) -> bool:
    """Return True if two git dependencies or URLs differ by more than the version in them."""
    return new.source != "path" and _location_key(old.origin) != _location_key(new.origin)


def _location_key(url: str) -> str:
    plain = url.partition("#")[0].removesuffix(".git")
    scheme, separator, rest = plain.partition("://")
    parts = (rest if separator else scheme).partition("@")[0].lower().split("/")
    return "/".join(parts[:3])


def _note(
    path: str, change: DependencyChange, old: Dependency | None, new: Dependency | None
) -> DependencyNote:
    item = new or old
    if item is None:
        raise ValueError("a note is about a dependency of the base or the head")
    return DependencyNote(
        file=path,
        line=item.line,
        change=change,
        ecosystem=item.ecosystem,
        name=display_text(item.name),
        scope=item.scope.value,
        base=display_text(old.text) if old else "",
        head=display_text(new.text) if new else "",
    )
