"""The dependencies that a change adds, removes or loosens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from wardround.semantics.supply_chain.dependency import Dependency, Manifest, Scope
from wardround.semantics.supply_chain.notes import DependencyChange, DependencyNote, shown
from wardround.semantics.supply_chain.ranges import widens

_FOREIGN = ("git", "url", "path")


class ManifestChange(msgspec.Struct, frozen=True):
    """One manifest on both sides; a side without the file has no dependencies."""

    path: str
    base: Manifest
    head: Manifest

    @property
    def is_changed(self) -> bool:
        """True if a requirement differs, in any way that a lock file depends on."""
        return _locked(self.base) != _locked(self.head)


def _locked(manifest: Manifest) -> set[Dependency]:
    return {
        msgspec.structs.replace(one, line=1)
        for one in manifest.dependencies
        if one.scope not in (Scope.INDEX, Scope.BUILD, Scope.TOOL, Scope.IMAGE, Scope.ACTION)
    }


def dependency_notes(changes: Sequence[ManifestChange]) -> list[DependencyNote]:
    """Compare the manifests of a change; a dependency that moved to another file is not new."""
    notes: list[DependencyNote] = []
    added: dict[tuple[str, str, Scope], list[tuple[str, Dependency]]] = defaultdict(list)
    removed: dict[tuple[str, str, Scope], list[tuple[str, Dependency]]] = defaultdict(list)
    for change in (one for one in changes if not one.base.problem and not one.head.problem):
        old, new = _by_name(change.base), _by_name(change.head)
        for name in sorted(old.keys() | new.keys()):
            before, after = old.get(name, []), new.get(name, [])
            if before and after:
                notes += _compared(change.path, before, after)
            for one in () if before or _is_catalog(after) else _one_per_scope(after):
                added[one.ecosystem, one.name, one.scope].append((change.path, one))
            for one in () if after or _is_catalog(before) else _one_per_scope(before):
                removed[one.ecosystem, one.name, one.scope].append((change.path, one))
    notes += _moved_or_new(added, removed)
    return sorted(notes)


_Located = dict[tuple[str, str, Scope], list[tuple[str, Dependency]]]


def _moved_or_new(added: _Located, removed: _Located) -> Iterator[DependencyNote]:
    for key, new in added.items():
        old = removed.get(key, [])
        for (path, one), (_, before) in zip(new, old, strict=False):
            yield from (_note(path, change, before, one) for change in _loosened(before, one))
        for path, one in new[len(old) :]:
            yield _note(path, _change_of_index(one) or DependencyChange.ADDED, None, one)
    for key, old in removed.items():
        for path, one in old[len(added.get(key, [])) :]:
            yield _note(path, _change_of_index(one) or DependencyChange.REMOVED, one, None)


def _change_of_index(one: Dependency) -> DependencyChange | None:
    return DependencyChange.REGISTRY if one.scope is Scope.INDEX else None


def _by_name(manifest: Manifest) -> dict[tuple[str, bool, str], list[Dependency]]:
    found: dict[tuple[str, bool, str], list[Dependency]] = defaultdict(list)
    for one in manifest.dependencies:
        found[one.ecosystem, one.scope is Scope.INDEX, one.name].append(one)
    return found


def _is_catalog(dependencies: Sequence[Dependency]) -> bool:
    """Return True for entries of a catalog, which install nothing before a manifest names them."""
    return all(one.scope is Scope.CATALOG for one in dependencies)


def _one_per_scope(dependencies: Sequence[Dependency]) -> list[Dependency]:
    return list({one.scope: one for one in reversed(dependencies)}.values())


def _compared(path: str, base: Sequence[Dependency], head: Sequence[Dependency]) -> Iterator[DependencyNote]:
    """Compare the requirements of one name."""
    if any(one.is_required for one in head) and not any(one.is_required or _is_peer(one) for one in base):
        new = next(one for one in head if one.is_required)
        yield _note(path, DependencyChange.RUNTIME, base[0], new)
    for old, new in _pairs(base, head):
        for change in _loosened(old, new):
            yield _note(path, change, old, new)


def _is_peer(one: Dependency) -> bool:
    return one.scope not in (Scope.DEV, Scope.OPTIONAL)


def _pairs(base: Sequence[Dependency], head: Sequence[Dependency]) -> Iterator[tuple[Dependency, Dependency]]:
    """Return the requirements that belong together: by scope and condition, then by order.

    Requirements that exist on both sides have no partner. Where the head has more of a name, further images
    and actions belong to the last one of the base, if all of the base are pinned, and so does a requirement
    from outside of a registry.
    """
    old, new = list(base), list(head)
    for one in base:
        same = next((two for two in new if _is_same(one, two)), None)
        if same is not None:
            old.remove(one)
            new.remove(same)
    for one in list(old):
        partner = next((two for two in new if (two.scope, two.marker) == (one.scope, one.marker)), None)
        if partner is not None:
            old.remove(one)
            new.remove(partner)
            yield one, partner
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
    elif not old:
        yield from ((base[-1], one) for one in new if _is_weaker_copy(one, base))


def _is_weaker_copy(one: Dependency, base: Sequence[Dependency]) -> bool:
    """Return True if a further requirement of a name is weaker than all that existed."""
    if one.scope in (Scope.IMAGE, Scope.ACTION):
        return all(two.is_pinned for two in base)
    return one.source in _FOREIGN and not any(two.source in _FOREIGN for two in base)


def _is_same(one: Dependency, other: Dependency) -> bool:
    return one.text == other.text and one.source == other.source and one.has_hash == other.has_hash


def _loosened(old: Dependency, new: Dependency) -> Iterator[DependencyChange]:
    """Return the ways in which the second requirement is weaker than the first one."""
    if old.scope is Scope.INDEX:
        if old.origin != new.origin:
            yield DependencyChange.REGISTRY
        return
    if "workspace" in (old.source, new.source):
        return
    if new.source in _FOREIGN and (old.source != new.source or _is_elsewhere(old, new)):
        yield DependencyChange.SOURCE
    elif old.source == new.source == "" and new.origin not in ("", old.origin):
        yield DependencyChange.SOURCE if new.ecosystem == "npm" else DependencyChange.REGISTRY
    if old.is_pinned and not new.is_pinned and new.source in (old.source, "git", "url"):
        yield DependencyChange.UNPINNED
    elif old.source == new.source == "" and widens(new.ecosystem, old.requirement, new.requirement):
        yield DependencyChange.WIDENED
    if old.has_hash and not new.has_hash:
        yield DependencyChange.INTEGRITY


def _is_elsewhere(old: Dependency, new: Dependency) -> bool:
    """Return True if two git dependencies or URLs differ by more than the version in them."""
    return new.source != "path" and _place(old.origin) != _place(new.origin)


def _place(url: str) -> str:
    plain = url.partition("#")[0].removesuffix(".git")
    scheme, separator, rest = plain.partition("://")
    parts = (rest if separator else scheme).partition("@")[0].lower().split("/")
    return "/".join(parts[:3])


def _note(
    path: str, change: DependencyChange, old: Dependency | None, new: Dependency | None
) -> DependencyNote:
    one = new or old
    if one is None:
        raise ValueError("a note is about a dependency of the base or the head")
    return DependencyNote(
        file=path,
        line=one.line,
        change=change,
        ecosystem=one.ecosystem,
        name=shown(one.name),
        scope=one.scope.value,
        base=shown(old.text) if old else "",
        head=shown(new.text) if new else "",
    )
