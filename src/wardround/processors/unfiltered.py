"""Files in plain text that a filter of ``.gitattributes`` should have replaced."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from wardround.change.change_source import AS_CHECKED_OUT
from wardround.change.diff import ChangedFile, FileStatus
from wardround.change.filters import Filter, Filters
from wardround.findings import Finding, Status
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.notices import new_notice


class ReportUnfiltered:
    """Report changed files that should be encrypted, or pointers of Git LFS, and became plain text."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if inputs.change.head in AS_CHECKED_OUT:
            return review
        return replace(review, notices=(*review.notices, *_notices(inputs)))


def _notices(inputs: PipelineInputs) -> Iterator[Finding]:
    filters = Filters(inputs.other_text)
    for file in inputs.change.files:
        if file.is_regular and file.status not in (FileStatus.DELETED, FileStatus.UNMERGED):
            declared = filters.of(file.path)
            if declared is not None and declared.is_known and _is_caused(file, declared, inputs):
                yield _notice(inputs, file.path, declared)


def _is_caused(file: ChangedFile, declared: Filter, inputs: PipelineInputs) -> bool:
    """Return True if a file became plain text; one that was before is an older defect."""
    head, base = inputs.texts.head_bytes(file.path), inputs.texts.base_bytes(file.path)
    was_plain = base is not None and declared.is_missed(base)
    return head is not None and declared.is_missed(head) and not was_plain


def _notice(inputs: PipelineInputs, path: str, declared: Filter) -> Finding:
    expected = "encrypted" if declared.encrypts else "a Git LFS pointer"
    message = (
        f"this file is not {expected}, as {declared.file} declares with filter={declared.name}; "
        f"set up the filter in this clone and add the file again"
    )
    code = "not-encrypted" if declared.encrypts else "not-in-lfs"
    return replace(new_notice(inputs, code, path, (1, 1), message), status=Status.NEW)
