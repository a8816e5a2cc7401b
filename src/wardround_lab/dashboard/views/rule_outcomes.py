"""The outcome of findings in the records of one change: shown, and absent from its last review."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from wardround.records.store import StoredRecord
from wardround_lab.dashboard.views.record_content import RecordContent

Recorded = tuple[StoredRecord, RecordContent]


class RuleOutcome(msgspec.Struct, frozen=True):
    """The findings of one rule in some records.

    Attributes:
        shown: distinct findings of changes, the most of any review of the change in each file.
        reviewed_again: those of them in a change that was reviewed again.
        fixed: those of ``reviewed_again`` that the last review of the change did not have.
    """

    shown: int = 0
    reviewed_again: int = 0
    fixed: int = 0

    def __add__(self, other: RuleOutcome) -> RuleOutcome:
        return RuleOutcome(
            self.shown + other.shown, self.reviewed_again + other.reviewed_again, self.fixed + other.fixed
        )


def rule_outcomes(records: Iterable[Recorded]) -> dict[str, RuleOutcome]:
    """Return the outcome of each rule, by its id.

    Reviews are of the same change if they are of the same repository and the same pull request, or without
    one, start from the same base. Findings are counted by file, as an edited line has another fingerprint:
    one that is replaced by another of the same rule in the same file does not count as fixed.

    Args:
        records: the newest first.
    """
    totals: dict[str, RuleOutcome] = defaultdict(RuleOutcome)
    for reviews in _changes(records):
        for rule, outcome in _outcomes_of_change(reviews):
            totals[rule] += outcome
    return dict(totals)


def _changes(records: Iterable[Recorded]) -> Iterable[Sequence[RecordContent]]:
    """Return the reviews of each change, the newest first."""
    changes: dict[tuple[str, str], list[RecordContent]] = defaultdict(list)
    for stored, content in records:
        changes[stored.repository, content.change_request or stored.base].append(content)
    return changes.values()


def _outcomes_of_change(reviews: Sequence[RecordContent]) -> Iterable[tuple[str, RuleOutcome]]:
    counts = [_count_introduced(review) for review in reviews]
    last = counts[0]
    most: Counter[tuple[str, str]] = Counter()
    for count in counts:
        most |= count  # the larger number of each
    for (rule, file), shown in most.items():
        is_followed = any(count[rule, file] for count in counts[1:])
        yield (
            rule,
            RuleOutcome(
                shown=shown,
                reviewed_again=shown if is_followed else 0,
                fixed=shown - last[rule, file] if is_followed else 0,
            ),
        )


def _count_introduced(review: RecordContent) -> Counter[tuple[str, str]]:
    return Counter((finding.rule, finding.file) for finding in review.findings if finding.is_introduced)
