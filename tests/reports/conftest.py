"""Hand-written reviews for the renderers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.chromium import browser
from wardround.analyses.repetitions import Repetitions
from wardround.assignment.review_context import ReviewContext
from wardround.change.diff import Change, ChangedFile, FileStatus, Hunk
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config, FilterMode
from wardround.context.document import describe
from wardround.context.repetition import Repetition, RepetitionKind
from wardround.findings import (
    Edit,
    Finding,
    Plane,
    Severity,
    Span,
    Status,
    SuggestedFix,
    ToolRun,
    Unreviewed,
)
from wardround.planes.evidence import Evidence, FileEvidence, FileRole
from wardround.planes.result_evidence import finding_evidence, missing_evidence
from wardround.policy.conclude import conclude
from wardround.policy.gate import Gate, gate
from wardround.policy.loading import bundled_policy
from wardround.review_result import PendingConclusion, ReviewResult
from wardround.tools.tool import Profile

__all__ = ["browser"]

POLICY = bundled_policy("default")


def _evidence(
    changed: Sequence[ChangedFile],
    findings: Sequence[Finding],
    unreviewed: Sequence[Unreviewed],
    profile: Profile,
    decided: Gate,
) -> Evidence:
    """The evidence of a review in which everything that is required for Python has reported."""
    reviewers = ("python", "ruff")
    files = [FileEvidence(f.path, FileRole.SOURCE, ("python",), reviewers, f.added_lines) for f in changed]
    return Evidence(
        profile=profile.value,
        gate=decided.outcome.value,
        fail_level=decided.fail_level,
        target_branch="main",
        files=tuple(files),
        change_reviewers=("contract", "python", "tests"),
        findings=tuple(finding_evidence(f) for f in findings if f.status is not Status.EXISTING),
        missing=tuple(missing_evidence(item) for item in unreviewed),
    )


class Factory:
    """Builds findings and reviews; what a test does not name has a plain value."""

    def finding(
        self,
        rule: str = "ruff/B006",
        file: str = "src/a.py",
        place: tuple[int, int, int, int] = (1, 9, 1, 11),
        **values: Any,
    ) -> Finding:
        """A finding at ``(line, column, end line, end column)``."""
        identity = hashlib.sha256(f"{rule} {file!r} {place}".encode()).hexdigest()[:16]
        defaults: dict[str, Any] = {
            "fingerprint": identity,
            "defect_class": "mutable-default",
            "plane": Plane.SEMANTIC,
            "specialist": "python",
            "severity": Severity.WARN,
            "message": "Do not use mutable data structures for argument defaults",
            "rationale": "The object is made once. Every call shares it.",
            "status": Status.NEW,
            "sources": (rule,),
            "url": "https://docs.astral.sh/ruff/rules/B006",
        }
        return Finding(rule=rule, file=file, span=Span(*place), **(defaults | values))

    def fix(
        self,
        replacement: str = "None",
        file: str = "src/a.py",
        place: tuple[int, int, int, int] = (1, 9, 1, 11),
    ) -> SuggestedFix:
        return SuggestedFix("Replace with `None`", True, (Edit(file, Span(*place), replacement),))

    def review(
        self,
        *findings: Finding,
        texts: Mapping[str, str] | None = None,
        unreviewed: Sequence[Unreviewed] = (),
        filter_mode: FilterMode = "added",
        profile: Profile = Profile.COMMIT,
        fail_level: str = "error",
        seconds: float = 0.25,
    ) -> ReviewResult:
        """A review of new files; ``texts`` are their contents."""
        ordered = tuple(sorted(findings, key=lambda f: f.sort_key))
        lines: dict[str, int] = {}
        for finding in ordered:
            lines[finding.file] = max(finding.span.end_line, lines.get(finding.file, 0))
        changed = tuple(
            ChangedFile(path, None, FileStatus.ADDED, "100644", "2" * 40, None, (Hunk(0, 0, 1, lines[path]),))
            for path in sorted(lines)
        )
        change = Change("1" * 40, ":index", changed)
        context = ReviewContext(describe(change, {}), change)
        decided = gate(ordered, unreviewed, fail_level)
        return ReviewResult(
            context=context,
            pending=PendingConclusion.of(
                conclude(
                    context.document, _evidence(changed, ordered, unreviewed, profile, decided), (POLICY,)
                )
            ),
            config=Config(),
            request=ReviewRequest(profile=profile),
            reviewed=tuple(sorted(lines)),
            findings=ordered,
            unreviewed=tuple(sorted(unreviewed)),
            runs=(ToolRun("ruff", "0.17.6", len(lines), 0, 0.0312),),
            gate=decided,
            filter_mode=filter_mode,
            profile=profile,
            blocks_on_inconclusive=False,
            seconds=seconds,
            contents={},
            text_of=(texts or {}).get,
        )

    def repeating(self, review: ReviewResult, *kinds: RepetitionKind) -> ReviewResult:
        """A review whose change repeats an existing function in each of some ways."""
        found = tuple(
            Repetition("src/a.py", 3, 9, f"slug{at}", "src/b.py", 5, 11, "make_slug", True, kind, 1.0)
            for at, kind in enumerate(kinds)
        )
        evidence = review.conclusion.evidence.with_notes(Repetitions, found)
        conclusion = replace(review.conclusion, evidence=evidence)
        return replace(review, pending=PendingConclusion.of(conclusion))

    def many(self, count: int) -> list[Finding]:
        """Findings of all severities over some files, in no order."""
        severities = (Severity.INFO, Severity.ERROR, Severity.WARN)
        return [
            self.finding(
                rule=f"ruff/B{number % 50:03}",
                file=f"src/m{number % 20:02}.py",
                place=(number + 1, 1, number + 1, 5),
                severity=severities[number % 3],
                fingerprint=f"{number:016x}",
            )
            for number in reversed(range(count))
        ]


@pytest.fixture
def make() -> Factory:
    """The factory."""
    return Factory()
