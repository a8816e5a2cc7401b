"""Files that are not UTF-8, although their language requires it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from wardround.change.change_source import NOT_UTF8, bytes_outside_utf8
from wardround.findings import Finding
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.notices import new_notice
from wardround.specialists import Specialist


class ReportNotUtf8:
    """Report the first byte that is not UTF-8, on an added line if there is one."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        return replace(review, notices=(*review.notices, *_notices(inputs)))


def _notices(inputs: PipelineInputs) -> Iterator[Finding]:
    unread = {(u.file, u.specialist) for u in inputs.unreviewed if u.reason == NOT_UTF8}
    specialists = {specialist.name: specialist for specialist in inputs.specialists}
    for path, name in sorted(pair for pair in unread if pair[1] in specialists):
        finding = _notice(inputs, path, specialists[name])
        if finding is not None:
            yield finding


def _notice(inputs: PipelineInputs, path: str, specialist: Specialist) -> Finding | None:
    content = inputs.texts.head_bytes(path)
    if content is None or not specialist.needs_utf8(content):
        return None
    positions = list(bytes_outside_utf8(content))
    added = [position for position in positions if inputs.files[path].is_added_line(position[0])]
    line, column, byte = (added or positions)[0]
    message = f"byte 0x{byte:02x} is not UTF-8, and no other encoding is declared; save the file as UTF-8"
    return new_notice(inputs, "not-utf8", path, (line, column), message, specialist)
