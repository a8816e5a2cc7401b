"""The contents of the commits of a range: evidence for the names and versions that a changelog states."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.surface.announcement import is_changelog
from wardround.context.surface.sides import Side, Sides, sides_of
from wardround.release_notes.changelog.changelog_claims import VersionClaim, references_in
from wardround.semantics.supply_chain.locks.reading import is_lock
from wardround.semantics.supply_chain.manifests import is_manifest, read_manifest
from wardround.text.tokens import parts

_EVERY_PATH = ("*",)
_WORD = re.compile(r"\w+")
_SEPARATORS = re.compile(r"[-_.]+")


class RangeEvidence:
    """The changed files of a range and the messages of its commits, without changelogs: those are the claims.

    A name counts as evidence wherever a changed file or a message contains it: the line with the name of a
    function is seldom the line that changes its behaviour.
    """

    def __init__(self, repository: Repository, change: Change, messages: Sequence[str]) -> None:
        self._repository, self._change, self._messages = repository, change, messages
        base = {file.base_path for file in change.files if file.base_path}
        self._base_paths = {path for path in base if not is_changelog(path)}
        self._head_paths = {file.path for file in change.files if not is_changelog(file.path)}

    @cached_property
    def references(self) -> frozenset[str]:
        """The numbers of the issues and pull requests that the messages name."""
        return frozenset().union(*map(references_in, self._messages))

    def has_name(self, name: str) -> bool:
        """Return True if a changed file or a message contains a name, also as a part of a longer one."""
        own = name.rpartition(".")[2] if "." in name.strip(".") else name
        forms = {own, name, *_forms(own)}
        if any(form in self._words for form in forms) or self._is_in_changed_files(sorted(forms)):
            return True
        return any(form.lower() in text for text in self._texts() for form in forms)

    def changes_version(self, claim: VersionClaim) -> bool | None:
        """Return True if a requirement of a dependency changes, None if no manifest at the head has it."""
        name = _normal(claim.dependency)
        before, after = self._requirements
        if name not in after:
            return None
        return before.get(name) != after[name] or any(name in line for line in self._changed_locks)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The words of messages and of the changed paths."""
        paths = self._base_paths | self._head_paths
        return frozenset(word for text in (*self._messages, *paths) for word in _WORD.findall(text))

    def _is_in_changed_files(self, words: Sequence[str]) -> bool:
        found = self._repository.files_with_word
        if self._head_paths.intersection(found(self._change.head, words, _EVERY_PATH)):
            return True
        return bool(self._base_paths.intersection(found(self._change.base, words, _EVERY_PATH)))

    def _texts(self) -> Iterator[str]:
        """Yield the messages and the contents of the changed files in lower case, which takes longest."""
        yield from (message.lower() for message in self._messages)
        for side, paths in ((self._sides.head, self._head_paths), (self._sides.base, self._base_paths)):
            listed = sorted(paths)
            side.fetch(listed)
            yield from ((side.read(path) or "").lower() for path in listed)

    @cached_property
    def _sides(self) -> Sides:
        return sides_of(GitChangeSource(self._repository, self._change), self._change)

    @cached_property
    def _requirements(self) -> tuple[Mapping[str, set[str]], Mapping[str, set[str]]]:
        """The requirements by the normal names of dependencies, at base and head."""
        return _requirements_at(self._sides.base), _requirements_at(self._sides.head)

    @cached_property
    def _changed_locks(self) -> Sequence[str]:
        """The lines of lock files that only base or head has, in the normal form of names."""
        locks = [
            pair for pair in self._sides.files if any(path is not None and is_lock(path) for path in pair)
        ]
        return [_normal(line) for base, head in locks for line in self._differing_lines(base, head)]

    def _differing_lines(self, base: str | None, head: str | None) -> Iterable[str]:
        before = "" if base is None else self._sides.base.read(base) or ""
        after = "" if head is None else self._sides.head.read(head) or ""
        return set(before.split("\n")) ^ set(after.split("\n"))


def _requirements_at(side: Side) -> Mapping[str, set[str]]:
    paths = [path for path in side.paths if is_manifest(path)]
    side.fetch(paths)
    found: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for dependency in read_manifest(path, side.read(path) or "").dependencies:
            found[_normal(dependency.name)].add(dependency.text)
    return found


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower().strip("-")


def _forms(name: str) -> Iterator[str]:
    """Yield other forms of a name: ``dry_run`` and ``dryRun`` of ``--dry-run``, and its singular."""
    words = parts(name)
    yield "_".join(words)
    yield "".join(words[:1]) + "".join(word.capitalize() for word in words[1:])
    if name.endswith("s"):
        yield name[:-1]
