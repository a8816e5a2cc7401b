"""Findings that a change hides by ignore comments of tools.

Those that would block are reported if the change does not control the gate: by comments that it adds. All
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
        shown = tuple(candidate for candidate in review.candidates if not candidate.is_hidden)
        reported = {_key(candidate.finding) for candidate in shown}
        expected, moved = ExpectedErrors(inputs), _MovedIgnores(inputs)
        revealed: list[Candidate] = []
        for candidate in review.candidates:
            finding = candidate.finding
            if not candidate.is_hidden or not finding.is_introduced or _key(finding) in reported:
                continue
            if not expected.cover(finding):
                revealed.append(candidate if _blocks_commit(finding, moved, inputs) else _silence(candidate))
        return replace(review, candidates=(*shown, *revealed))


def _key(finding: Finding) -> tuple[str, str, Span]:
    return finding.file, finding.rule, finding.span


def _blocks_commit(finding: Finding, moved: _MovedIgnores, inputs: PipelineInputs) -> bool:
    is_controlled = inputs.is_trusted or finding.severity < inputs.blocking_severity
    return not is_controlled and not moved.cover(finding)


def _silence(candidate: Candidate) -> Candidate:
    return replace(candidate, finding=replace(candidate.finding, status=Status.SUPPRESSED, is_silenced=True))


class _MovedIgnores:
    """The ignore comments that were there before and now hold for changed code."""

    def __init__(self, inputs: PipelineInputs) -> None:
        self._inputs = inputs
        self._lines: dict[str, frozenset[int]] = {}

    def cover(self, finding: Finding) -> bool:
        """Return True if such a comment is on a line of a finding, or directly above it."""
        lines = self._commented_lines(finding.file)
        span = finding.span
        return not lines.isdisjoint(range(span.line - 1, span.end_line + 1))

    def _commented_lines(self, path: str) -> frozenset[int]:
        if path not in self._lines:
            texts = self._inputs.texts
            base, head = texts.base_bytes(path), texts.head_bytes(path) or b""
            self._lines[path] = moved_ignores(
                self._inputs.ignore_comments, self._inputs.files[path], base, head
            )
        return self._lines[path]
