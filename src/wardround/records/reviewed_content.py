"""The content that each recent review of the git hook covered, so that a commit names the record about it.

A record is about a commit if it has the same parent and the same changed files: an amended commit, one with
another parent, or one whose files were changed after the review has other content.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from wardround.change.encoding import escape_undecodable
from wardround.change.repository import INDEX, Repository
from wardround.config.record_settings import CommitMode
from wardround.context.canonical import canonical_json, content_id
from wardround.context.document import ContextDocument, ContextFile
from wardround.storage.atomic import write_atomic
from wardround.storage.digest import sha256
from wardround.storage.paths import state_dir

_AT_MOST = 100
"""The number of reviews that are remembered for a repository; a commit follows its review at once."""
_NOTHING = ""
_Entry = tuple[str, str, str, str]
"""The path, and the mode, old and new object id of its content; empty where there is none."""


class ReviewedContent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a reviewed change.

    Attributes:
        record: the digest of the record.
        base: the commit that the change follows, or the empty tree.
        content: a digest of the changed files.
        attach: where the commit names the record.
    """

    record: str
    base: str
    content: str
    attach: CommitMode

    @property
    def key(self) -> tuple[str, str]:
        """The properties that a commit has in common with it."""
        return self.base, self.content


def remember(repository: Repository, reviewed: ReviewedContent) -> None:
    """Add the content of a review to those of the repository.

    Raises:
        OSError: it cannot be written.
    """
    file = _file(repository)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    others = [content for content in recent(repository) if content != reviewed]
    write_atomic(file, msgspec.json.encode([*others, reviewed][-_AT_MOST:]))


def recent(repository: Repository) -> tuple[ReviewedContent, ...]:
    """Return the contents of the recent reviews, the oldest first; none if the file is missing or damaged."""
    try:
        return msgspec.json.decode(_file(repository).read_bytes(), type=tuple[ReviewedContent, ...])
    except (OSError, msgspec.MsgspecError):
        return ()


def content_of(document: ContextDocument) -> str:
    """Return the digest of the files of a reviewed change; empty for a change without files."""
    return _digest([entry for file in document.files for entry in _entries(file)])


def content_between(repository: Repository, base: str, head: str = INDEX) -> str:
    """Return the digest of the files that differ between two trees, as ``content_of`` does."""
    return _digest(
        [
            (escape_undecodable(path), mode, old, new)
            for path, mode, old, new in repository.blobs_between(base, head)
        ]
    )


def key_of(repository: Repository, commit: str) -> tuple[str, str]:
    """Return the properties that a commit shares with a review of it: its parent and its content."""
    parent = parent_of(repository, commit)
    return parent, content_between(repository, parent, commit)


def parent_of(repository: Repository, commit: str) -> str:
    """Return the first parent of a commit; the empty tree for the first commit.

    Raises:
        GitError: the clone is shallow and lacks it.
    """
    found = repository.blobs.commit(f"{commit}^")
    if found is None and repository.is_shallow:
        return repository.commit(f"{commit}^")
    return found or repository.empty_tree


def _entries(file: ContextFile) -> Iterator[_Entry]:
    old, new = (content.removeprefix("git:") for content in (file.base_content, file.head_content))
    if file.status == "deleted":
        yield file.path, _NOTHING, old, _NOTHING
        return
    is_same_path = file.base_path in (None, file.path)
    if file.status == "renamed" and file.base_path is not None:
        yield file.base_path, _NOTHING, old, _NOTHING
    yield file.path, file.mode, old if is_same_path else _NOTHING, new


def _digest(entries: list[_Entry]) -> str:
    return content_id(canonical_json(sorted(entries))) if entries else ""


def _file(repository: Repository) -> Path:
    """Return the file of a work tree, outside of it."""
    name = sha256(str(repository.git_dir).encode("utf-8", "surrogateescape")).hexdigest()
    return state_dir() / "commits" / f"{name}.json"
