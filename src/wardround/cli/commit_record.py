"""The git hooks by which a commit records the review, as a trailer or a note.

None of them stops a commit: what cannot be named costs a message.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.cli.messages import echo_err
from wardround.errors import UsageError, WardroundError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.records.commit_message import CommitMessage
    from wardround.records.reviewed_content import ReviewedContent


def name_record(stage: str, arguments: Sequence[str]) -> int:
    """Name the record of the reviewed content where the configuration of its review requires it."""
    from wardround.change.repository import Repository
    from wardround.records.reviewed_content import recent

    try:
        with Repository() as repository:
            reviewed = recent(repository)
            if not reviewed:
                return 0
            if stage in ("post-commit", "post-merge"):
                _note_new_commit(repository, reviewed)
            else:
                may_add = stage == "commit-msg"
                _edit_message_trailers(repository, reviewed, _message_file(stage, arguments), may_add=may_add)
    except (WardroundError, OSError) as cause:
        echo_err(f"wardround: the commit does not name the record of its review: {cause}")
    return 0


def _message_file(stage: str, arguments: Sequence[str]) -> Path:
    if not arguments:
        raise UsageError(f'the {stage} hook gets a file from git; pass its arguments on, as in "$@"')
    return Path(arguments[0]).absolute()


def _edit_message_trailers(
    repository: Repository, reviewed: Sequence[ReviewedContent], file: Path, *, may_add: bool
) -> None:
    """Remove trailers about other content, and add that of the review of this commit."""
    from wardround.records.commit_message import CommitMessage
    from wardround.records.reviewed_content import content_between

    message = CommitMessage(repository.commit_text, file)
    head = repository.head() or repository.empty_tree
    here = (head, content_between(repository, head))
    amends = _may_amend(repository, head, os.environ)
    named = set(message.records())
    if named:
        of_commit = _amended_commit(repository, head) if amends or not here[1] else here
        message.remove(named.difference(_records(reviewed, of_commit)))
        named = named.intersection(_records(reviewed, of_commit))
    found = _records([entry for entry in reviewed if entry.attach == "trailer"], here)
    if may_add and found and not named:
        _add(message, found[-1], amends=amends)


def _add(message: CommitMessage, record: str, *, amends: bool) -> None:
    """Add a trailer to a message that git will commit."""
    if message.is_empty():
        return
    if amends:
        echo_err(
            "wardround: the commit does not name the record of its review: it seems to amend another, and "
            "the review covers the added part only"
        )
        return
    message.add(record)


def _records(reviewed: Sequence[ReviewedContent], key: tuple[str, str]) -> list[str]:
    return [entry.record for entry in reviewed if entry.key == key]


def _amended_commit(repository: Repository, head: str) -> tuple[str, str]:
    """Return the parent and the content of the commit that would replace HEAD."""
    from wardround.records.reviewed_content import content_between, parent_of

    parent = parent_of(repository, head)
    return parent, content_between(repository, parent)


def _may_amend(repository: Repository, head: str, environ: Mapping[str, str]) -> bool:
    """Return True if the new commit has author and time of HEAD, as ``git commit --amend`` keeps them."""
    names = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE")
    author = tuple(environ.get(name, "") for name in names)
    return head != repository.empty_tree and author == repository.commit_text.authorship(head)


def _note_new_commit(repository: Repository, reviewed: Sequence[ReviewedContent]) -> None:
    """Attach the note to the new commit, and report a trailer about other content."""
    from wardround.records.commit_message import KEY, NOTES, records_of
    from wardround.records.reviewed_content import key_of

    head = repository.commit("HEAD")
    key = key_of(repository, head)
    text = repository.commit_text
    known = {entry.record: entry.key for entry in reviewed}
    for record in records_of(text.trailers_of(head)):
        if known.get(record, key) != key:
            echo_err(
                f"wardround: the record sha256:{record} is about other content than the commit {head[:12]}, "
                "whose message names it; git commit --amend removes it"
            )
    noted = _records([entry for entry in reviewed if entry.attach == "note"], key)
    if noted and f"sha256:{noted[-1]}" not in text.note(NOTES, head):
        text.append_note(NOTES, head, f"{KEY}: sha256:{noted[-1]}")
