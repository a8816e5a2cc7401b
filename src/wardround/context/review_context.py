"""The immutable, content-addressed description of the change under review, built before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.base_coverage import BaseCoverage
from wardround.context.claims import Claim, FileClaims, files_to_fetch
from wardround.context.document import ContextDocument, describe, document_id
from wardround.context.newly_reviewed import as_first_reviewed, with_deletions
from wardround.context.run_evidence import RunEvidence
from wardround.context.work_units import ClaimedFile, content_digest
from wardround.findings import Unreviewed
from wardround.host import PluginHost


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


def with_run(context: ReviewContext, run: RunEvidence) -> ReviewContext:
    """Return the context with the outcome of a run, which its id then covers."""
    return replace(context, document=replace(context.document, run=run))


def build_context(
    source: ChangeSource, change: Change, host: PluginHost, config: Config, request: ReviewRequest
) -> ReviewContext:
    """Describe a change: its files, who reviews them, and the digests of their contents.

    Raises:
        ConfigError: the configuration of a file is wrong.
    """
    claims = FileClaims(source, host, config, request)
    source.fetch(files_to_fetch(change, claims.specialists))
    coverage = BaseCoverage(source, change, host, config, request, claims.specialists)
    claimed: dict[str, ClaimedFile] = {}
    unreviewed: list[Unreviewed] = []
    for file in change.files:
        claim = claims.claim(file)
        unreviewed += claim.unreviewed
        if claim.specialists:
            claimed[file.path] = _claimed_file(source, file, claim, coverage)
    reviewed = _reviewed_change(change, [_as_reviewed(file, claimed) for file in change.files])
    document = describe(reviewed, _digests(source, reviewed, claimed), request.ticket)
    return ReviewContext(document, reviewed, tuple(claimed.values()), tuple(unreviewed))


def _digests(source: ChangeSource, change: Change, claimed: Mapping[str, ClaimedFile]) -> dict[str, bytes]:
    """The digest of the content at the head of each file that has no object id."""
    unnamed = [file for file in change.files if not file.head_blob and file.status is not FileStatus.DELETED]
    return {
        file.path: claimed[file.path].digest if file.path in claimed else content_digest(source.content(file))
        for file in unnamed
    }


def _claimed_file(
    source: ChangeSource, file: ChangedFile, claim: Claim, coverage: BaseCoverage
) -> ClaimedFile:
    """The file as it is reviewed, with the digests of both versions."""
    reviewed = as_first_reviewed(file, claim.content, claim.specialists, coverage.covering)
    base_digest = (reviewed.base_blob or "").encode()
    if reviewed.base_path is not None and not base_digest:
        base_digest = content_digest(source.content(file, base=True))
    return ClaimedFile(
        reviewed, claim.specialists, content_digest(claim.content), len(claim.content), base_digest
    )


def _as_reviewed(file: ChangedFile, claimed: Mapping[str, ClaimedFile]) -> ChangedFile:
    return claimed[file.path].file if file.path in claimed else file


def _reviewed_change(change: Change, files: Sequence[ChangedFile]) -> Change:
    """The change in which these files replace those that git lists."""
    if all(reviewed is file for file, reviewed in zip(change.files, files, strict=True)):
        return change
    listed = sorted(with_deletions(change.files, files), key=lambda file: file.path)
    return replace(change, files=tuple(listed))
