"""Histories of a small shop, as real repositories."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.release_notes.history.revisions import revisions_of_range
from wardround.release_notes.model import NoteKind, ReleaseNotes, Statement
from wardround.release_notes.notes import write_notes


def merge(repo: GitRepository, commits: Mapping[str, Mapping[str, str]], message: str) -> str:
    """Merge a new branch with some commits, by message, and return the id of the merge."""
    repo.git("switch", "--quiet", "--create", "topic")
    for text, files in commits.items():
        repo.commit(files, text)
    repo.git("switch", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-ff", "--message", message, "topic")
    repo.git("branch", "--quiet", "--delete", "--force", "topic")
    return repo.git("rev-parse", "HEAD").strip()


def notes_of(root: Path, text: str = "v1..HEAD") -> ReleaseNotes:
    """Return the notes of a range."""
    with Repository(root) as repository:
        return write_notes(repository, revisions_of_range(repository, text))


def texts(notes: ReleaseNotes, kind: NoteKind) -> list[str]:
    """Return the texts of the statements of a kind."""
    return [statement.text for statement in notes.statements if statement.kind is kind]


def the_statement(notes: ReleaseNotes, text: str) -> Statement:
    """Return the only statement with a text."""
    (found,) = [statement for statement in notes.statements if statement.text == text]
    return found
