"""The specialists' part of a review: each reports on its own hunks; the author answers for all of them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.authoring.steps.checks import CandidateReview, FindingNote
from wardround.authoring.steps.objection import Objection
from wardround.findings import Severity

NAME = "specialists"


class Advice(msgspec.Struct, frozen=True):
    """The findings of one specialist on a candidate."""

    specialist: str
    findings: tuple[FindingNote, ...]


def advice_of(review: CandidateReview) -> tuple[Advice, ...]:
    """Return the new findings of each specialist, by its name."""
    groups: dict[str, list[FindingNote]] = {}
    for finding in review.new_findings:
        groups.setdefault(finding.specialist, []).append(finding)
    return tuple(Advice(name, tuple(groups[name])) for name in sorted(groups))


def objections(advice: tuple[Advice, ...]) -> Iterator[Objection]:
    """Yield the errors of specialists, for which a candidate is rejected before it runs."""
    for item in advice:
        for finding in item.findings:
            if finding.severity == Severity.ERROR.label:
                text = f"{item.specialist}: {finding.message} ({finding.rule})"
                yield Objection(NAME, text, f"{finding.file}:{finding.line}")
