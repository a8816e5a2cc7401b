"""A CI server that reads the JUnit report fails on what the gate fails on, whatever the exit status was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from junitparser import Failure, JUnitXml, Skipped, TestCase
from msgspec.structs import replace

from wardround.findings import Plane, Severity, Status, Unreviewed
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.verdict import Verdict
from wardround.reports import junit
from wardround.review_result import PendingConclusion, ReviewResult

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.reports.conftest import Factory


def cases(review: ReviewResult) -> dict[str, TestCase]:
    """The tests of a report by suite and name, after a check of all counts."""
    document = JUnitXml.fromstring(junit.render(review).encode())
    counted = (document.tests, document.failures, document.skipped, document.errors)
    found: dict[str, TestCase] = {}
    for suite in document:
        stated = (suite.tests, suite.failures, suite.skipped, suite.errors)
        suite.update_statistics()
        assert stated == (suite.tests, suite.failures, suite.skipped, suite.errors)
        found.update({f"{suite.name} {case.name}": case for case in suite})
    document.update_statistics()
    assert counted == (document.tests, document.failures, document.skipped, document.errors)
    assert document.tests == len(found)
    return found


def failed(review: ReviewResult) -> dict[str, str]:
    """The message of each failed test."""
    results = {name: case.result for name, case in cases(review).items()}
    return {
        name: r.message
        for name, (r, *_) in ((n, r or [None]) for n, r in results.items())
        if isinstance(r, Failure)
    }


def with_signals(review: ReviewResult, *signals: Signal) -> ReviewResult:
    return replace(review, pending=PendingConclusion.of(replace(review.conclusion, signals=signals)))


def test_a_clean_review_passes(make: Factory) -> None:
    found = cases(make.review(make.finding()))
    assert list(found)[:2] == ["wardround.gate gate", "wardround.gate verdict"]
    assert [name for name in found if name.endswith(" plane")] == [
        f"wardround.{p.value} plane" for p in Plane
    ]
    assert "findings that do not block: 1 warn" in found["wardround.semantic plane"].system_out
    assert failed(make.review(make.finding())) == {}


def test_a_finding_that_blocks_is_a_failed_test_of_its_plane(make: Factory) -> None:
    finding = make.finding(severity=Severity.ERROR)
    review = make.review(finding, make.finding("ruff/F401"))
    name = f"wardround.semantic ruff/B006 src/a.py {finding.fingerprint}"
    assert failed(review) == {
        "wardround.gate gate": "blocked: ruff/B006: 1",
        name: "Do not use mutable data structures for argument defaults",
    }
    (result,) = cases(review)[name].result
    assert result.type == "ruff/B006"
    assert result.text.splitlines() == [
        "error: Do not use mutable data structures for argument defaults",
        "at src/a.py:1:9",
        "why: The object is made once. Every call shares it.",
        "why: https://docs.astral.sh/ruff/rules/B006",
    ]


@pytest.mark.parametrize(("level", "expected"), [("none", 0), ("error", 1), ("warn", 2), ("info", 3)])
def test_the_fail_level_of_the_gate_decides(make: Factory, level: str, expected: int) -> None:
    found = [make.finding(severity=severity, file=severity.label) for severity in Severity]
    findings = [name for name in failed(make.review(*found, fail_level=level)) if "ruff/" in name]
    assert len(findings) == expected


@pytest.mark.parametrize("status", [Status.EXISTING, Status.SUPPRESSED])
def test_a_finding_that_the_gate_does_not_count_fails_no_test(make: Factory, status: Status) -> None:
    finding = make.finding(severity=Severity.ERROR, status=status)
    assert failed(make.review(finding, filter_mode="nofilter")) == {}


def test_an_inconclusive_gate_is_a_failure(make: Factory) -> None:
    review = make.review(unreviewed=[Unreviewed("q.sql", "sql", "squawk", "timed out after 10 s")])
    assert failed(review)["wardround.gate gate"] == (
        "inconclusive: squawk did not review 1 file: timed out after 10 s"
    )


def test_planes_pass_fail_or_are_skipped(make: Factory) -> None:
    signals = (
        Signal(Plane.INTENT, PlaneStatus.REVIEWED),
        Signal(Plane.TESTS, PlaneStatus.INCONCLUSIVE, reasons=("the run crashed",)),
        Signal(Plane.CONTRACT, PlaneStatus.INCONCLUSIVE, reasons=("no graph",), is_required=False),
        Signal(Plane.PERF, PlaneStatus.NOT_APPLICABLE, is_required=False),
    )
    review = with_signals(make.review(), *signals)
    assert failed(review) == {"wardround.tests plane": "inconclusive: the run crashed"}
    found = cases(review)
    assert not found["wardround.intent plane"].result
    skipped = {name: found[f"wardround.{name} plane"].result[0] for name in ("contract", "perf")}
    assert all(isinstance(result, Skipped) for result in skipped.values())
    assert skipped["contract"].message == "not required by the profile commit, and inconclusive: no graph"
    assert skipped["perf"].message == "nothing to review"


def test_a_verdict_that_the_caller_blocks_is_a_failure(make: Factory) -> None:
    review = make.review()
    verdict = review.conclusion.verdict
    assert verdict.name.value == "human-review"
    review = replace(review, request=replace(review.request, fail_on_verdict=("human-review",)))
    assert failed(review) == {"wardround.gate verdict": f"human-review ({verdict.tier.value})"}


def test_a_declined_verdict_is_a_failure(make: Factory) -> None:
    review = make.review()
    verdict = review.conclusion.verdict
    declined: Verdict = replace(verdict, name=type(verdict.name).DECLINED)
    review = replace(review, pending=PendingConclusion.of(replace(review.conclusion, verdict=declined)))
    assert failed(review) == {"wardround.gate verdict": f"declined ({verdict.tier.value})"}


def test_exit_zero_does_not_hide_what_was_not_reviewed(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit({".wardround.toml": "tool-timeout = 0.000001\n"})
    repo.stage({"a.py": "x = 1\n"})
    file = tmp_path / "planes.xml"
    options = ("--profile", "ci", "--exit-zero", "--format", f"junit={file}")
    assert repo.wardround("review", *options).returncode == 0
    failures = {
        f"{suite.name} {case.name}" for suite in JUnitXml.fromfile(str(file)) for case in suite if case.result
    }
    assert {"wardround.gate gate", "wardround.semantic plane"} <= failures
