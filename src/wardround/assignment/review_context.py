"""The immutable, content-addressed description of the change under review, built before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec
from msgspec.structs import replace

from wardround.assignment.base_coverage import BaseCoverage
from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.claims import Claim, FileClaims, files_to_fetch
from wardround.assignment.newly_reviewed import add_deletions, as_first_reviewed
from wardround.assignment.work_units import ClaimedFile, content_digest
from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.context.document import ContextDocument, describe, document_id
from wardround.context.run_evidence import RunEvidence
from wardround.findings import Unreviewed


class ReviewContext(msgspec.Struct, frozen=True, dict=True):
    """The description of the change under review.

    Attributes:
        document: the canonical description, which ``id`` is the digest of.
        change: the change as it is reviewed: content that no review can have covered counts as added.
        claimed: the files that are reviewed, each with its specialists.
        unreviewed: the files that a specialist claims and cannot review.
    """

    document: ContextDocument
    change: Change
    claimed: tuple[ClaimedFile, ...] = ()
    unreviewed: tuple[Unreviewed, ...] = ()

    @cached_property
    def id(self) -> str:
        """The SHA-256 of the canonical JSON of the document."""
        return document_id(self.document)

    @cached_property
    def hunks(self) -> int:
        """The number of hunks."""
        return sum(len(file.hunks) for file in self.change.files)

    @cached_property
    def added_lines(self) -> int:
        """The number of lines that the change adds."""
        return sum(file.added_lines for file in self.change.files)


def add_run(context: ReviewContext, run: RunEvidence) -> ReviewContext:
    """Return the context with the outcome of a run, which its id then covers."""
    return replace(context, document=replace(context.document, run=run))


def build_context(review: ChangeUnderReview) -> ReviewContext:
    """Describe a change: its files, who reviews them, and the digests of their contents.

    Raises:
        ConfigError: the configuration of a file is wrong.
    """
    source, change = review.source, review.change
    claims = FileClaims(review)
    source.fetch(files_to_fetch(change, review.specialists))
    coverage = BaseCoverage(review)
    claimed: dict[str, ClaimedFile] = {}
    unreviewed: list[Unreviewed] = []
    for file in change.files:
        claim = claims.claim(file)
        unreviewed += claim.unreviewed
        if claim.specialists:
            claimed[file.path] = _claimed_file(source, file, claim, coverage)
    reviewed = _reviewed_change(change, [_to_reviewed_file(file, claimed) for file in change.files])
    document = describe(reviewed, _digests(source, reviewed, claimed), review.request.ticket)
    return ReviewContext(document, reviewed, tuple(claimed.values()), tuple(unreviewed))


def _digests(source: ChangeSource, change: Change, claimed: Mapping[str, ClaimedFile]) -> dict[str, bytes]:
    """Return the digest of the content at the head of each file that has no object id."""
    unnamed = [file for file in change.files if not file.head_blob and file.status is not FileStatus.DELETED]
    return {
        file.path: claimed[file.path].digest if file.path in claimed else content_digest(source.content(file))
        for file in unnamed
    }


def _claimed_file(
    source: ChangeSource, file: ChangedFile, claim: Claim, coverage: BaseCoverage
) -> ClaimedFile:
    """Return the file as it is reviewed, with the digests of both versions."""
    reviewed = as_first_reviewed(file, claim.content, claim.specialists, coverage.covering)
    base_digest = (reviewed.base_blob or "").encode()
    if reviewed.base_path is not None and not base_digest:
        base_digest = content_digest(source.content(file, base=True))
    return ClaimedFile(
        reviewed, claim.specialists, content_digest(claim.content), len(claim.content), base_digest
    )


def _to_reviewed_file(file: ChangedFile, claimed: Mapping[str, ClaimedFile]) -> ChangedFile:
    return claimed[file.path].file if file.path in claimed else file


def _reviewed_change(change: Change, files: Sequence[ChangedFile]) -> Change:
    """Return the change in which these files replace those that git lists."""
    if all(reviewed is file for file, reviewed in zip(change.files, files, strict=True)):
        return change
    listed = sorted(add_deletions(change.files, files), key=lambda file: file.path)
    return replace(change, files=tuple(listed))
