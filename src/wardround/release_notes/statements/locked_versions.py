"""The versions that lock files have of the packages which a manifest next to them requires."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wardround.change.diff import Change, ChangedFile
from wardround.release_notes.history.changed_code import ChangedCode
from wardround.release_notes.history.history import HistoryCommit
from wardround.release_notes.statements.requirements import RequirementReader
from wardround.semantics.supply_chain.locks.reading import is_lock, manifests_of, read_lock

_MOST_READ = 40
"""Maximum number of versions of lock files that are read for one range."""
Update = tuple[str, str, str]


class LockedVersions:
    """Compares the lock files of a range."""

    def __init__(self, code: ChangedCode, requirements: RequirementReader, change: Change) -> None:
        self._code = code
        self._requirements = requirements
        self._head = change.head
        self._files = [file for file in change.files if is_lock(file.path)]
        self._known: dict[str, Mapping[str, str]] = {}

    def updates(self) -> Iterator[Update]:
        """Yield name, old and new version of the packages that users have another version of."""
        found: dict[str, Update] = {}
        for file in self._files:
            before = self._versions(file.path, file.base_blob or "")
            after = self._versions(file.path, file.head_blob or "")
            for name in sorted(self._requirement_names(file) & before.keys() & after.keys()):
                if before[name] != after[name]:
                    found.setdefault(name, (name, before[name], after[name]))
        yield from found.values()

    def _requirement_names(self, lock: ChangedFile) -> set[str]:
        """Return the packages that the manifests in the folder of a lock file require for users."""
        folder = posixpath.dirname(lock.path)
        entries = self._code.entries(self._head)
        paths = [posixpath.join(folder, name) for name in manifests_of(lock.path)]
        found = (self._requirements.requirements(path, entries.get(path, "")) for path in paths)
        return {item.name for requirements in found for item in requirements if item.is_noticed}

    def evidence(self, name: str, commits: Sequence[HistoryCommit]) -> list[HistoryCommit]:
        """Return the commits that alter the version of a package in a lock file.

        Past the limit of lock files that are read, these are the commits whose title has the name.
        """
        paths = {file.path for file in self._files}
        touching = [commit for commit in commits if not paths.isdisjoint(commit.paths)]
        return [commit for commit in touching if self._is_altered_by(commit, name, paths)]

    def _is_altered_by(self, commit: HistoryCommit, name: str, paths: Iterable[str]) -> bool:
        for file in commit.files:
            if file.path in paths:
                before, after = self._versions(file.path, file.old), self._versions(file.path, file.new)
                if before.get(name, "") != after.get(name, ""):
                    return True
                if not (before and after) and name in commit.message.title.lower().split():
                    return True
        return False

    def _versions(self, path: str, blob: str) -> Mapping[str, str]:
        """Return the version of each package that a lock file has once; nothing if it is not read."""
        if blob and blob not in self._known:
            is_read = len(self._known) < _MOST_READ
            self._known[blob] = _versions_in(path, self._code.long_text(blob)) if is_read else {}
        return self._known.get(blob, {})


def _versions_in(path: str, text: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    several: set[str] = set()
    for entry in read_lock(path, text).entries if text else ():
        if found.setdefault(entry.name, entry.version) != entry.version:
            several.add(entry.name)
    return {name: version for name, version in found.items() if name not in several}
