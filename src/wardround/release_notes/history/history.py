"""The commits of a range as the notes use them: with their messages, and with the commits of a merge.

The commits along the first parents of the head are read in order. A merge of a pull request contains the
commits that the branch before it lacks; it represents them if its message states a title. A merge of another
branch, such as that of an older release, represents nothing: the branch is read in the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

import msgspec

from wardround.change.commit_log import FileChange, LoggedCommit
from wardround.change.repository import Repository
from wardround.change.repository_name import repository_name
from wardround.release_notes.history.message import Message, read_message
from wardround.release_notes.history.revisions import Revisions
from wardround.release_notes.model import NotesCommit


class HistoryCommit(msgspec.Struct, frozen=True, dict=True):
    """A commit of the range.

    Attributes:
        merged: the commits that this merge represents, oldest first.
        pull_request: that of its own message, or of the merge that contains it.
        is_merged: a merge represents it.
    """

    logged: LoggedCommit
    message: Message
    merged: tuple[str, ...] = ()
    pull_request: str = ""
    is_merged: bool = False

    @property
    def id(self) -> str:
        return self.logged.id

    @property
    def files(self) -> tuple[FileChange, ...]:
        return self.logged.files

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The changed files, sorted."""
        return tuple(file.path for file in self.logged.files)

    @property
    def references(self) -> tuple[str, ...]:
        """The pull request, and the issues that its message names."""
        return tuple(dict.fromkeys(filter(None, (self.pull_request, *self.message.references))))

    @property
    def note(self) -> NotesCommit:
        """The commit as the notes list it."""
        message = self.message
        return NotesCommit(
            self.id, message.title, message.body, self.logged.time, self.paths, self.references, self.merged
        )


class History(msgspec.Struct, frozen=True, dict=True):
    """The commits of a range.

    Attributes:
        commits: parents before their children.
        in_base: commits that the base has as others with the same change; they are not among the commits.
    """

    commits: tuple[HistoryCommit, ...]
    in_base: tuple[HistoryCommit, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, HistoryCommit]:
        return {commit.id: commit for commit in self.commits}


def read_history(repository: Repository, revisions: Revisions) -> History:
    """Read the commits of a range."""
    log = repository.commit_log
    logged = log.between(revisions.base_commit, revisions.head_commit)
    name = repository_name(repository)
    messages = {commit.id: read_message(commit.message, name) for commit in logged}
    picked = _picked_into_base(log.base_messages(revisions.base_commit, revisions.head_commit), messages)
    in_base = picked.union(commit.id for commit in logged if commit.is_in_base)
    merged = _Mainline(logged, messages).merged_commits()
    merge_of = {part: merge for merge, parts in merged.items() for part in parts}
    commits = [_commit(commit, messages, merged, merge_of) for commit in logged]
    return _history(commits, in_base)


def _history(commits: Sequence[HistoryCommit], in_base: Set[str]) -> History:
    new = tuple(commit for commit in commits if commit.id not in in_base)
    return History(new, tuple(commit for commit in commits if commit.id in in_base))


def _commit(
    logged: LoggedCommit,
    messages: Mapping[str, Message],
    merged: Mapping[str, Sequence[str]],
    merge_of: Mapping[str, str],
) -> HistoryCommit:
    message = messages[logged.id]
    merge = merge_of.get(logged.id)
    represents = bool(message.title) and logged.id in merged
    if merge is None:
        return HistoryCommit(
            logged, message, tuple(merged[logged.id]) if represents else (), message.pull_request
        )
    pull_request = message.pull_request or messages[merge].pull_request
    return HistoryCommit(logged, message, (), pull_request, is_merged=bool(messages[merge].title))


def _picked_into_base(texts: Iterable[str], messages: Mapping[str, Message]) -> set[str]:
    """Return the commits that messages of the base name as the origin of a cherry-pick."""
    picked = {name for text in texts for name in read_message(text).picked}
    return {commit for commit in messages if commit in picked}


class _Mainline:
    """Follows first parents, and finds the commits of each merge of a pull request."""

    def __init__(self, commits: Sequence[LoggedCommit], messages: Mapping[str, Message]) -> None:
        self._commits = {commit.id: commit for commit in commits}
        self._head = commits[-1].id if commits else ""
        self._messages = messages
        self._seen: set[str] = set()
        self._merged: dict[str, list[str]] = {}

    def merged_commits(self) -> dict[str, list[str]]:
        """Return each merge of a pull request with its commits, oldest first."""
        pending = [self._head] if self._head else []
        while pending:
            for commit in self._first_parents(pending.pop()):
                pending += self._read(commit)
        return self._merged

    def _first_parents(self, tip: str) -> Iterator[str]:
        """Return the unseen commits along first parents, oldest first."""
        chain = []
        while tip in self._commits and tip not in self._seen:
            chain.append(tip)
            self._seen.add(tip)
            parents = self._commits[tip].parents
            tip = parents[0] if parents else ""
        return reversed(chain)

    def _read(self, commit: str) -> Collection[str]:
        """Record the commits of a merge of a pull request; return the tips of a merge of another branch."""
        others = self._commits[commit].parents[1:]
        if not others:
            return ()
        contained = self._unseen(others)
        if not self._is_of_one_pull_request(commit, contained):
            return others
        self._seen |= contained
        self._merged[commit] = [name for name in self._commits if name in contained]
        return ()

    def _unseen(self, tips: Iterable[str]) -> set[str]:
        """Return the unseen commits of the range that some tips have."""
        found: set[str] = set()
        pending = list(tips)
        while pending:
            name = pending.pop()
            if name in self._commits and name not in self._seen and name not in found:
                found.add(name)
                pending += self._commits[name].parents
        return found

    def _is_of_one_pull_request(self, merge: str, contained: Iterable[str]) -> bool:
        """Return False for a branch merge, and for one of several pull requests."""
        message = self._messages[merge]
        inner = {self._messages[name].pull_request for name in contained} - {"", message.pull_request}
        return (message.is_pull_request_merge or bool(message.pull_request)) and len(
            inner
        ) < _BRANCH_OF_RELEASES


_BRANCH_OF_RELEASES = 2
"""Number of other pull requests from which on a merge is one of a branch, and not of a change."""
