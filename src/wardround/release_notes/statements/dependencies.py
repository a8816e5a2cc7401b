"""Statements about dependencies, one for each package, from manifests and lock files and not subjects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.change.commit_log import FileChange
from wardround.change.diff import Change
from wardround.lazy import LazyPattern
from wardround.release_notes.history.changed_code import ChangedCode
from wardround.release_notes.history.history import HistoryCommit
from wardround.release_notes.history.path_class import PathClass, class_of_path
from wardround.release_notes.model import NoteKind
from wardround.release_notes.statements.draft import Draft
from wardround.release_notes.statements.locked_versions import LockedVersions
from wardround.release_notes.statements.requirements import Requirement, RequirementReader

_EXACT = ("==", "===")
_PACKAGE_NAME = LazyPattern(r'"name"\s*:\s*"([^"\n]{1,200})"')
_MOST_PACKAGES = 500
_WORD = LazyPattern(r"[A-Za-z0-9][\w.-]*")


class _Edit(msgspec.Struct, frozen=True):
    """A package before and after the range, with the files that declare it."""

    requirement: Requirement
    old: str
    new: str
    paths: frozenset[str]


class DependencyChanges:
    """Compares the manifests and lock files of a range, and finds the commits that change each package."""

    def __init__(self, code: ChangedCode, change: Change) -> None:
        self._code = code
        self._files = [
            file for file in _file_changes(change) if class_of_path(file.path) is PathClass.MANIFEST
        ]
        self._reader = RequirementReader(code, change.head)
        self._own_names = frozenset(_own_names(code, change.head))
        self._locks = LockedVersions(code, self._reader, change)

    def drafts(self, commits: Sequence[HistoryCommit]) -> Iterator[Draft]:
        """Yield a statement for each package whose requirement or locked version differs at the head."""
        edits = list(self._edits())
        for edit in edits:
            evidence = [commit for commit in commits if self._is_changed_by(commit, edit)]
            if evidence:
                yield _draft(edit, evidence)
        known = {edit.requirement.name for edit in edits}
        for name, old, new in self._locks.updates():
            evidence = self._locks.evidence(name, commits) if name not in known else []
            if evidence:
                yield _draft(_Edit(Requirement(name, True), f"=={old}", f"=={new}", frozenset()), evidence)

    def _edits(self) -> Iterator[_Edit]:
        before, after = _Declared(), _Declared()
        for file in self._files:
            before.add(file.path, self._reader.requirements(file.path, file.old))
            after.add(file.path, self._reader.requirements(file.path, file.new))
        for requirement in sorted({*before.ranges, *after.ranges}):
            edit = _Edit(
                requirement,
                before.text(requirement),
                after.text(requirement),
                before.paths(requirement) | after.paths(requirement),
            )
            if edit.old != edit.new and not self._is_left_out(edit):
                yield edit

    def _is_left_out(self, edit: _Edit) -> bool:
        """Return True for a package of the repository itself, and for one that only moves."""
        return edit.requirement.name in self._own_names or self._is_elsewhere(edit)

    def _is_elsewhere(self, edit: _Edit) -> bool:
        """Return True if a package seems to appear or vanish only because its declaration moves.

        A script such as ``setup.py`` declares packages in a way that nothing here reads.
        """
        if edit.old and edit.new:
            return False
        blobs = (file.new if edit.old else file.old for file in self._files)
        return any(edit.requirement.name in self._words(blob) for blob in blobs if blob)

    def _words(self, blob: str) -> set[str]:
        words = _WORD.findall(self._code.text(blob))
        return {word.lower().replace("_", "-").rstrip(".-") for word in words}

    def _is_changed_by(self, commit: HistoryCommit, edit: _Edit) -> bool:
        """Return True if a commit alters the requirement in one of its files."""
        files = [file for file in commit.files if file.path in edit.paths]
        return any(self._range(file, edit, file.old) != self._range(file, edit, file.new) for file in files)

    def _range(self, file: FileChange, edit: _Edit, blob: str) -> str:
        return self._reader.requirements(file.path, blob).get(edit.requirement, "")


def without_bumps(drafts: Iterable[Draft], dependencies: Sequence[Draft]) -> list[Draft]:
    """Return the drafts without those that only state what a statement about a dependency does."""
    return [draft for draft in drafts if not any(_is_repetition(draft, own) for own in dependencies)]


def _is_repetition(draft: Draft, dependency: Draft) -> bool:
    if draft.kind not in (NoteKind.INTERNAL, NoteKind.DEPENDENCIES) or not draft.commits:
        return False
    name = dependency.text.split("`")[1].lower()
    return set(draft.commits) <= set(dependency.commits) and name in draft.text.lower()


class _Declared:
    """The ranges of packages on one side, from all manifests."""

    def __init__(self) -> None:
        self.ranges: dict[Requirement, list[str]] = defaultdict(list)
        self._paths: dict[Requirement, set[str]] = defaultdict(set)

    def add(self, path: str, found: Mapping[Requirement, str]) -> None:
        for requirement, text in found.items():
            self.ranges[requirement].append(text)
            self._paths[requirement].add(path)

    def text(self, requirement: Requirement) -> str:
        return ", ".join(sorted(set(self.ranges.get(requirement, ()))))

    def paths(self, requirement: Requirement) -> frozenset[str]:
        return frozenset(self._paths.get(requirement, ()))


def _own_names(code: ChangedCode, head: str) -> Iterator[str]:
    """Yield the names of the packages of npm that a repository consists of."""
    paths = [path for path in code.entries(head) if path.endswith("/package.json")]
    for path in sorted(paths)[:_MOST_PACKAGES]:
        match = _PACKAGE_NAME.search(code.text(code.entries(head)[path]))
        if match is not None and class_of_path(path) is PathClass.MANIFEST:
            yield match[1]


def _file_changes(change: Change) -> Iterator[FileChange]:
    """Yield the files of a change, a moved one as two."""
    for file in change.files:
        old, new = file.base_blob or "", file.head_blob or ""
        if file.base_path in (None, file.path):
            yield FileChange(file.path, old, new)
        else:
            yield FileChange(str(file.base_path), old, "")
            yield FileChange(file.path, "", new)


def _draft(edit: _Edit, evidence: Iterable[HistoryCommit]) -> Draft:
    commits = list(evidence)
    return Draft(
        NoteKind.DEPENDENCIES if edit.requirement.is_noticed else NoteKind.INTERNAL,
        _text(edit.requirement.name, edit.old, edit.new),
        tuple(part for commit in commits for part in (*commit.merged, commit.id)),
        references=tuple(dict.fromkeys(name for commit in commits for name in commit.references)),
    )


def _text(name: str, old: str, new: str) -> str:
    if not new:
        return f"No longer require `{name}`"
    if not old:
        return f"Require `{name}`" if new == "*" else f"Require `{name}` `{new}`"
    if new == "*":
        return f"Accept any version of `{name}`; it was `{old}`"
    if old.startswith(_EXACT) and new.startswith(_EXACT):
        return f"Update `{name}` from `{old.lstrip('=')}` to `{new.lstrip('=')}`"
    return f"Require `{name}` `{new}`; it was {'any version' if old == '*' else f'`{old}`'}"
