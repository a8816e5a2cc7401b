"""A changelog compared with the release notes of its commits: claims without evidence, and omissions."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.change.repository import Repository
from wardround.release_notes.changelog.changelog import ChangelogEntry, ChangelogSection
from wardround.release_notes.changelog.changelog_claims import names_in, version_claims
from wardround.release_notes.changelog.changelog_coverage import ChangelogCoverage
from wardround.release_notes.changelog.changelog_evidence import RangeEvidence
from wardround.release_notes.changelog.changelog_source import ChangelogSource
from wardround.release_notes.history.tag_version import version_of_tag
from wardround.release_notes.model import NoteKind, ReleaseNotes

_EXPECTED = {NoteKind.BREAKING: "breaking change", NoteKind.FEATURE: "feature"}
"""The kinds of statements that a changelog has to contain, as messages name them."""
_ABBREVIATED = 10


class ChangelogProblem(msgspec.Struct, frozen=True, order=True):
    """A line of a changelog that disagrees with the commits."""

    path: str
    line: int
    message: str

    @property
    def text(self) -> str:
        """As compilers print it: ``CHANGELOG.md:12: ...``."""
        return f"{self.path}:{self.line}: {self.message}"


def check_changelog(repository: Repository, notes: ReleaseNotes, path: str) -> list[ChangelogProblem]:
    """Compare the section of a changelog that is about the range of some notes with its commits and notes.

    Args:
        path: a changelog or a folder of fragments, relative to the root of the repository.

    Raises:
        UsageError: the file is absent or not UTF-8, or has no section of any version.
    """
    tag = version_of_tag(notes.head)
    source = ChangelogSource(repository, notes.base_commit, notes.head_commit)
    section = source.section(path, tag.version if tag else "")
    if section is None:
        section = ChangelogSection(path, 1, "", "", ())
    change = repository.between(notes.base_commit, notes.head_commit)
    messages = repository.messages(notes.base_commit, notes.head_commit)
    return problems_of(section, notes, RangeEvidence(repository, change, messages))


def problems_of(
    section: ChangelogSection, notes: ReleaseNotes, evidence: RangeEvidence
) -> list[ChangelogProblem]:
    """Return what a section claims without evidence, and what it omits of the notes, by line."""
    revisions = f"{notes.base}..{notes.head}"
    claims = [problem for entry in section.entries for problem in _claims(entry, evidence, revisions)]
    return sorted([*claims, *_omissions(section, notes)])


def _claims(entry: ChangelogEntry, evidence: RangeEvidence, revisions: str) -> Iterator[ChangelogProblem]:
    for name in _unknown_names(entry, evidence):
        message = f"`{name}` is in no file or message of {revisions}; correct the name, or remove the entry"
        yield ChangelogProblem(entry.path, entry.line, message)
    for claim in version_claims(entry.text):
        if evidence.changes_version(claim) is False:
            message = (
                f"no commit of {revisions} changes the required version of {claim.dependency}; "
                f"correct the entry, or commit the change"
            )
            yield ChangelogProblem(entry.path, entry.line, message)


def _unknown_names(entry: ChangelogEntry, evidence: RangeEvidence) -> list[str]:
    return [name for name in names_in(entry.text) if not evidence.has_name(name)]


def _omissions(section: ChangelogSection, notes: ReleaseNotes) -> Iterator[ChangelogProblem]:
    subjects = {commit.id: commit.subject for commit in notes.commits}
    coverage = ChangelogCoverage([entry.text for entry in section.entries], subjects)
    for statement in notes.statements:
        if statement.kind in _EXPECTED and not coverage.has(statement):
            commit = statement.commits[-1][:_ABBREVIATED]
            message = f"omits the {_EXPECTED[statement.kind]} of {commit}: {statement.text}; add an entry"
            yield ChangelogProblem(section.path, section.line, message)
