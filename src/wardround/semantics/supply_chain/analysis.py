"""All notes about the supply chain of a change, from the contents of base and head."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from wardround.semantics.supply_chain.dependency import Manifest
from wardround.semantics.supply_chain.dependency_changes import ManifestChange, dependency_notes
from wardround.semantics.supply_chain.install_code import install_notes, is_install_code, locked_script_notes
from wardround.semantics.supply_chain.lock_agreement import Gap, catalog_gaps, gaps
from wardround.semantics.supply_chain.lock_changes import lock_notes
from wardround.semantics.supply_chain.locks.entry import LockFile
from wardround.semantics.supply_chain.locks.reading import (
    IN_SAME_FOLDER,
    LOCKS_OF,
    is_lock,
    manifests_of,
    read_lock,
)
from wardround.semantics.supply_chain.manifests import is_manifest, read_manifest
from wardround.semantics.supply_chain.notes import (
    MOST_NOTES,
    InstallNote,
    LockChange,
    LockNote,
    SupplyChainNotes,
    display_text,
)


class BothTexts(msgspec.Struct, frozen=True):
    """One changed file; a version that does not exist has no text."""

    path: str
    base: str | None
    head: str | None


Read = Callable[[str], str | None]
"""Path -> the content of a file that the change does not touch; None if there is none."""


def is_relevant(path: str) -> bool:
    """Return True for a file that the analysis reads."""
    return is_manifest(path) or is_lock(path) or is_install_code(path)


def supply_chain_notes(files: Sequence[BothTexts], read: Read) -> SupplyChainNotes:
    """Compare manifests, lock files and install scripts.

    Args:
        files: the relevant ones of the change.
        read: the rest of the repository.
    """
    manifests = [_manifest(file) for file in files if is_manifest(file.path)]
    locks = _Locks({file.path: file for file in files if is_lock(file.path)}, read)
    dependencies = dependency_notes(manifests)
    drift = sorted(locks.notes(manifests))
    installs = sorted({*install_notes(files), *locks.scripts()})
    kinds = (dependencies, drift, installs)
    return SupplyChainNotes(
        tuple(dependencies[:MOST_NOTES]),
        tuple(drift[:MOST_NOTES]),
        tuple(installs[:MOST_NOTES]),
        sum(max(0, len(notes) - MOST_NOTES) for notes in kinds),
    )


def _manifest(file: BothTexts) -> ManifestChange:
    return ManifestChange(
        file.path, _read_manifest(file.path, file.base), _read_manifest(file.path, file.head)
    )


def _read_manifest(path: str, text: str | None) -> Manifest:
    return Manifest() if text is None else read_manifest(path, text)


class _Locks:
    """The lock files that a change touches or should touch, each read once."""

    def __init__(self, changed: Mapping[str, BothTexts], read: Read) -> None:
        self._changed = changed
        self._read = read
        self._sides: dict[str, tuple[LockFile | None, LockFile | None]] = {}

    def notes(self, manifests: Sequence[ManifestChange]) -> Iterator[LockNote]:
        """Return the notes about entries, and those about manifests."""
        for path in sorted(self._changed):
            yield from self._notes_of_lock(path)
        for manifest in manifests:
            if manifest.head.problem:
                yield LockNote(manifest.path, 1, LockChange.UNREADABLE, reason=manifest.head.problem)
        altered = [manifest for manifest in manifests if manifest.is_changed and manifest.head.dependencies]
        for manifest in altered:
            for lock in self._locks_of(manifest.path):
                yield from self._lock_disagreements(lock, manifest)
        yield from self._only(manifests, {manifest.path for manifest in altered})

    def _notes_of_lock(self, path: str) -> Iterator[LockNote]:
        base, head = self._lock_at_base_and_head(path)
        if head is not None:
            yield from lock_notes(path, base, head)
        elif not any(map(self._locks_of, self._neighbours(path))):
            yield LockNote(path, 1, LockChange.REMOVED, reason="the lock file is removed")

    def scripts(self) -> Iterator[InstallNote]:
        """Return the notes about packages that newly run code when they are installed."""
        for path in sorted(self._changed):
            base, head = self._lock_at_base_and_head(path)
            if head is not None and base is not None:
                yield from locked_script_notes(path, base, head)

    def _neighbours(self, lock: str) -> list[str]:
        folder = posixpath.dirname(lock)
        return [posixpath.join(folder, name) for name in manifests_of(lock)]

    def _only(self, manifests: Sequence[ManifestChange], altered: set[str]) -> Iterator[LockNote]:
        """Return the notes about lock files without a changed manifest."""
        known = {manifest.path: manifest for manifest in manifests}
        for path in sorted(self._changed):
            base, head = self._lock_at_base_and_head(path)
            if base is None or head is None or any(path in self._locks_of(name) for name in altered):
                continue
            yield LockNote(path, 1, LockChange.LOCK_ONLY, reason="no manifest changed its dependencies")
            for name in self._neighbours(path):
                text = self._read(name) if name not in known else None
                if text is not None:
                    same = read_manifest(name, text)
                    yield from self._lock_disagreements(path, ManifestChange(name, same, same))

    def _locks_of(self, manifest: str) -> list[str]:
        """Return the lock files that may lock a manifest, the nearest one of each format."""
        folder, found = posixpath.dirname(manifest), []
        for name in LOCKS_OF.get(posixpath.basename(manifest), ()):
            folders = [folder] if name in IN_SAME_FOLDER else _folder_and_parents(folder)
            paths = (posixpath.join(location, name) for location in folders)
            nearest = next((path for path in paths if self._lock_at_base_and_head(path)[1] is not None), None)
            found += [] if nearest is None else [nearest]
        return found

    def _lock_at_base_and_head(self, path: str) -> tuple[LockFile | None, LockFile | None]:
        if path not in self._sides:
            file = self._changed.get(path)
            if file is None:
                text = self._read(path)
                same = None if text is None else read_lock(path, text)
                self._sides[path] = (same, same)
            else:
                sides = [None if text is None else read_lock(path, text) for text in (file.base, file.head)]
                self._sides[path] = (sides[0], sides[1])
        return self._sides[path]

    def _lock_disagreements(self, lock: str, manifest: ManifestChange) -> Iterator[LockNote]:
        base, head = self._lock_at_base_and_head(lock)
        if head is None or head.problem or manifest.head.problem:
            return
        before = [] if base is None or base.problem else _gaps(lock, manifest.path, manifest.base, base)
        if not _is_surely_locked(lock, head, manifest, before):
            return
        known = {name for name, _ in before}
        after = _gaps(lock, manifest.path, manifest.head, head)
        caused = [_unsatisfied_note(lock, manifest, gap) for gap in after if gap[0] not in known]
        yield from caused
        if not caused and base is not None:
            yield from _stale_lock_notes(lock, manifest, base, head)


def _is_surely_locked(
    lock: str, content: LockFile, manifest: ManifestChange, gaps_before: Sequence[Gap]
) -> bool:
    """Return True unless the lock file may not be that of the manifest.

    The first format of yarn does not list the projects of a workspace: one below the lock file is locked by
    it if all of its former dependencies are.
    """
    is_own = posixpath.dirname(lock) == posixpath.dirname(manifest.path)
    is_listed = not lock.endswith("yarn.lock") or bool(content.declared)
    return is_own or is_listed or (bool(manifest.base.dependencies) and not gaps_before)


def _stale_lock_notes(
    lock: str, manifest: ManifestChange, base: LockFile, head: LockFile
) -> Iterator[LockNote]:
    """Return the note about a lock file that still has the hash of the former manifest."""
    if manifest.is_changed and _is_stale(base, head):
        reason = "it has the hash of the former manifest"
        yield LockNote(lock, 1, LockChange.NOT_UPDATED, manifest=manifest.path, reason=reason)


def _is_stale(base: LockFile, head: LockFile) -> bool:
    return bool(head.content_hash) and base.content_hash == head.content_hash


def _unsatisfied_note(lock: str, manifest: ManifestChange, gap: Gap) -> LockNote:
    name, reason = map(display_text, gap)
    return LockNote(lock, 1, LockChange.UNSATISFIED, name, manifest.path, reason)


def _gaps(lock: str, path: str, manifest: Manifest, content: LockFile) -> list[Gap]:
    if path.endswith("pnpm-workspace.yaml"):
        return catalog_gaps(manifest, content)
    folder = posixpath.relpath(posixpath.dirname(path) or ".", posixpath.dirname(lock) or ".")
    return gaps("" if folder == "." else folder, manifest, content, name=posixpath.basename(lock))


def _folder_and_parents(folder: str) -> list[str]:
    folders = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        folders.append(folder)
    return folders
