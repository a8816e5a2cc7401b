"""The baseline: an accepted finding counts as existing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from msgspec.structs import replace

from wardround.change.encoding import escape_undecodable
from wardround.findings import Finding, Status
from wardround.processors.baseline_file import Baseline
from wardround.processors.model import PipelineInputs, ReviewFindings


class ApplyBaseline:
    """Turn new and caused findings that the baseline accepts into existing ones."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if not inputs.baseline.findings:
            return review
        acceptance = Acceptance(inputs.baseline, inputs.tracked_paths())
        findings = (
            _accept_existing(finding, content, acceptance, inputs)
            for finding, content in zip(review.findings, review.content_names, strict=True)
        )
        return replace(review, findings=tuple(findings))


def _accept_existing(
    finding: Finding, content: str, acceptance: Acceptance, inputs: PipelineInputs
) -> Finding:
    """Return the finding as existing if an entry accepts it; silenced if the change adds the entry.

    A dismissed finding stays dismissed, with its reason.
    """
    is_open = finding.is_introduced and not finding.dismissal_reason
    entry = acceptance.entry(finding, content) if is_open else None
    if entry is None:
        return finding
    is_silenced = inputs.baseline.findings[entry] in inputs.added_entries
    return replace(finding, status=Status.EXISTING, is_silenced=is_silenced)


class Acceptance:
    """The findings that a baseline accepts; each entry accepts one finding."""

    def __init__(self, baseline: Baseline, present: Collection[str] | None = None) -> None:
        """Args:
        present: the paths that exist at the head; entries of other paths may be of renamed files.
        """
        known = None if present is None else {escape_undecodable(path) for path in present}
        self._by_fingerprint: dict[str, list[int]] = defaultdict(list)
        self._renamed: dict[str, list[int]] = defaultdict(list)
        for number, entry in enumerate(baseline.findings):
            self._by_fingerprint[entry.fingerprint].append(number)
            if known is not None and entry.file not in known:
                self._renamed[entry.content].append(number)
        self._used: set[int] = set()

    def entry(self, finding: Finding, content: str) -> int | None:
        """The number of the entry that accepts this finding, which is then used up; None if none does."""
        for pool, name in ((self._by_fingerprint, finding.fingerprint), (self._renamed, content)):
            free = next((number for number in pool.get(name, ()) if number not in self._used), None)
            if free is not None:
                self._used.add(free)
                return free
        return None
