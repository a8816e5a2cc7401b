"""Findings that a change hides by ignore comments of tools.

Those that would block are reported where the change does not control the gate: by comments that it adds. All
others are silenced: reports list them as suppressed, and signals and verdicts count them as if no comment
were there.
"""

from __future__ import annotations

from msgspec.structs import replace

from wardround.context.added_ignores import moved_ignores
from wardround.findings import Finding, Span, Status
from wardround.processors.expected_errors import ExpectedErrors
from wardround.processors.model import Candidate, PipelineInputs, ReviewFindings


class RevealHiddenFindings:
    """Keep the hidden findings that the change introduces and that nothing else reports."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        hidden = [one for one in review.candidates if one.is_hidden and one.finding.is_introduced]
        shown = tuple(one for one in review.candidates if not one.is_hidden)
        reported = {_key(one.finding) for one in shown}
        expected = ExpectedErrors(inputs)
        found = (one for one in hidden if _key(one.finding) not in reported)
        found = (one for one in found if not expected.cover(one.finding))
        moved = _MovedIgnores(inputs)
        kept = (one if _blocks(one.finding, moved, inputs) else _silenced(one) for one in found)
        return replace(review, candidates=(*shown, *kept))


def _key(finding: Finding) -> tuple[str, str, Span]:
    return finding.file, finding.rule, finding.span


def _blocks(finding: Finding, moved: _MovedIgnores, inputs: PipelineInputs) -> bool:
    is_controlled = inputs.is_trusted or finding.severity < inputs.blocking_severity
    return not is_controlled and not moved.cover(finding)


def _silenced(candidate: Candidate) -> Candidate:
    return replace(candidate, finding=replace(candidate.finding, status=Status.SUPPRESSED, is_silenced=True))


class _MovedIgnores:
    """The ignore comments that were there before and now hold for changed code."""

    def __init__(self, inputs: PipelineInputs) -> None:
        self._inputs = inputs
        self._lines: dict[str, frozenset[int]] = {}

    def cover(self, finding: Finding) -> bool:
        """Return True if such a comment is on a line of a finding, or right above it."""
        lines = self._of(finding.file)
        span = finding.span
        return not lines.isdisjoint(range(span.line - 1, span.end_line + 1))

    def _of(self, path: str) -> frozenset[int]:
        if path not in self._lines:
            texts = self._inputs.texts
            base, head = texts.base_bytes(path), texts.head_bytes(path) or b""
            self._lines[path] = moved_ignores(self._inputs.files[path], base, head)
        return self._lines[path]
