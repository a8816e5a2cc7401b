"""The tier follows from the table, and less evidence or more severe findings never raise it."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import (
    COVERED,
    LOST,
    PYTHON,
    REACHED,
    TEST,
    criterion,
    evidence,
    finding,
    missing,
    random_evidence,
    random_signals,
    weaker,
)
from tests.planes.run_factory import FAILED, PASSED, TIMED_OUT, UNISOLATED, run_of_tests
from tests.planes.run_factory import MISSED as NOT_RUN
from wardround.context.change_tests import ChangeTests, CoverageFile, CoverageState, CoveredFile, ImportedTest
from wardround.context.run_evidence import TestsRun
from wardround.findings import Plane, Status
from wardround.planes.evidence import Evidence, FileEvidence, FileRole
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.tiers import SMALL_LINES, decide_tier
from wardround.policy.verdict import Tier

CLEAN = tuple(Signal(plane, PlaneStatus.REVIEWED, confidence=1.0) for plane in Plane)


def test_a_run_that_is_not_complete_is_one_reason() -> None:
    reason = "the tests of the change did not all run: 3 tests were not reached in 600 s"
    signals = with_signal(Plane.TESTS, status=PlaneStatus.INCONCLUSIVE, reasons=(reason,))

    _, reasons = decide_tier(signals, evidence(), run_of_tests(conditions=TIMED_OUT))

    assert [item.text for item in reasons if reason in item.text] == [
        f"tests: required and not reviewed: {reason}"
    ]


def with_signal(plane: Plane, **values: object) -> tuple[Signal, ...]:
    """Clean signals but for one plane."""
    return tuple(replace(signal, **values) if signal.plane is plane else signal for signal in CLEAN)


NOT_APPLICABLE = tuple(Signal(plane, PlaneStatus.NOT_APPLICABLE, is_required=False) for plane in Plane)
STALE = CoverageFile(
    "coverage.xml", "cobertura", CoverageState.STALE, "app.py has no line 9", is_required=True
)
FOUND = replace(STALE, state=CoverageState.FRESH, reason="", is_required=False)
MISSED = CoveredFile("app.py", 2, ((3, 4), (7, 7)))
UNREACHED = replace(REACHED, tests=())
README = FileEvidence("README.md", FileRole.DOCUMENTATION, ("secrets",), ("secrets",), 4)
FIXTURE = FileEvidence("tests/data/a.md", FileRole.TEST, ("secrets",), ("secrets",), 90)
PASSES = "every plane was reviewed without a warning; the change is small, and its lines ran in passing tests"
NO_RUN = "no run in a sandbox shows that all changed source ran in passing tests"
UNKNOWN = FileEvidence("data.bin", FileRole.OTHER)
ERROR = {"severity": "error", "findings": ("1",)}
WARNING = {"severity": "warn", "findings": ("1",)}


@pytest.mark.parametrize(
    ("signals", "known", "tier", "reason"),
    [
        (
            CLEAN,
            evidence(),
            "T1",
            PASSES,
        ),
        (CLEAN, evidence(PYTHON), "T2", "source is changed without a test"),
        (
            CLEAN,
            evidence(replace(TEST, tests_change=False), PYTHON),
            "T2",
            "source is changed without a test",
        ),
        (CLEAN, evidence(replace(TEST, removed_lines=6)), "T2", "more lines of tests are removed than added"),
        (
            CLEAN,
            evidence(PYTHON, replace(TEST, removed_lines=6), FIXTURE),
            "T2",
            "more lines of tests are removed than added",
        ),
        (CLEAN, evidence(README, FIXTURE), "T2", "the change alters tests alone, and they execute"),
        (
            with_signal(Plane.TESTS, severity="info", findings=("1",)),
            evidence(),
            "T2",
            "tests: 1 finding, up to info",
        ),
        (
            CLEAN,
            evidence(replace(TEST, added_lines=SMALL_LINES + 1)),
            "T2",
            "the change is large: 1 files, 201 added and 0 removed lines",
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests(problem="no graph")),
            "T2",
            "the tests of the changed functions are not known: no graph",
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests(omitted=2)),
            "T2",
            "the tests of 2 changed functions were not searched",
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests((UNREACHED,) * 2)),
            "T2",
            "no test of f in app.py is found and 1 more",
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests((REACHED,), lost=(LOST,))),
            "T2",
            "a test of the changed code asserts less, test_f in test_app.py",
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests(coverage=replace(COVERED, files=(STALE,)))),
            "T2",
            "coverage.xml does not count: app.py has no line 9",
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests(coverage=replace(COVERED, lines=(MISSED,)))),
            "T2",
            "3 changed lines did not run in the tests",
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests(coverage=replace(COVERED, unmeasured=("new.py",)))),
            "T2",
            "new.py is changed and not in the coverage files",
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests((REACHED,), coverage=COVERED)),
            "T1",
            PASSES,
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests(coverage=replace(COVERED, files=(FOUND,), lines=(MISSED,)))),
            "T1",
            PASSES,
        ),
        (
            CLEAN,
            evidence(tests=ChangeTests((REACHED, UNREACHED))),
            "T1",
            PASSES,
        ),
        (with_signal(Plane.INTENT, confidence=0.8), evidence(), "T2", "intent: confidence 0.8"),
        (with_signal(Plane.PERF, **WARNING), evidence(), "T3", "perf: 1 finding, up to warn"),
        (with_signal(Plane.PERF, **ERROR), evidence(), "T4", "perf: 1 finding, up to error"),
        (CLEAN, evidence(PYTHON, TEST, UNKNOWN), "T4", "no specialist reviews data.bin"),
        (
            CLEAN,
            evidence(tests=ChangeTests(imported=(ImportedTest("tests/a.py", "app.py"),))),
            "T4",
            "tests/a.py is reviewed as a test, and app.py imports it",
        ),
        (CLEAN, evidence(missing=(missing(),)), "T4", "app.py: ty: timed out after 10 s"),
        (
            with_signal(Plane.PERF, status=PlaneStatus.INCONCLUSIVE, is_required=False, reasons=("why",)),
            evidence(),
            "T4",
            "perf: not reviewed: why",
        ),
        (
            with_signal(Plane.TESTS, status=PlaneStatus.INCONCLUSIVE, reasons=("why",)),
            evidence(),
            "T5",
            "tests: required and not reviewed: why",
        ),
        (with_signal(Plane.SECURITY, **ERROR), evidence(), "T5", "security: 1 finding, up to error"),
        (CLEAN[1:], evidence(), "T5", "intent: no signal"),
        (NOT_APPLICABLE, evidence(), "T5", "no plane was reviewed"),
    ],
)
def test_each_line_of_the_table(signals: tuple[Signal, ...], known: Evidence, tier: str, reason: str) -> None:
    found, reasons = decide_tier(signals, known, run_of_tests() if tier == "T1" else None)
    assert (found, reasons[0].text) == (tier, reason)


def test_documentation_alone_needs_no_test() -> None:
    assert decide_tier(CLEAN, evidence(README))[0] is Tier.T1


def test_untested_source_is_one_reason_and_not_two() -> None:
    uncertain = with_signal(Plane.TESTS, confidence=0.0)
    assert [item.text for item in decide_tier(uncertain, evidence(PYTHON))[1]] == [
        "source is changed without a test",
        NO_RUN,
    ]


OTHER = replace(PYTHON, path="other.py")
CONFTEST = replace(TEST, path="tests/conftest.py", tests_change=False)
SETUP = replace(PYTHON, path="vitest.setup.ts")
DECIDES = "the change alters {}, which can decide what its tests report"


@pytest.mark.parametrize(
    ("known", "run", "reason"),
    [
        (evidence(), None, NO_RUN),
        (evidence(), run_of_tests(PASSED, FAILED), NO_RUN),
        (evidence(), run_of_tests(lines=(NOT_RUN,)), "3 changed lines did not run in passing tests"),
        (evidence(), run_of_tests(conditions=UNISOLATED), "the tests of the change ran without isolation"),
        (evidence(PYTHON, TEST, OTHER), run_of_tests(), NO_RUN),
        (evidence(TEST), run_of_tests(), "the change alters tests alone, and they execute"),
        (evidence(PYTHON, TEST, CONFTEST), run_of_tests(), DECIDES.format("tests/conftest.py")),
        (evidence(PYTHON, TEST, SETUP), run_of_tests(), DECIDES.format("vitest.setup.ts")),
        (evidence(TEST, README), None, "the change alters tests alone, and they execute"),
        (evidence(TEST, profile="commit"), None, "the change alters tests alone, and they execute"),
        (evidence(replace(PYTHON, path=".github/workflows/ci.yml")), run_of_tests(), NO_RUN),
    ],
)
def test_what_executes_needs_a_run_in_which_all_of_it_ran_and_passed(
    known: Evidence, run: TestsRun | None, reason: str
) -> None:
    tier, reasons = decide_tier(CLEAN, known, run)
    assert tier is Tier.T2
    assert reason in {item.text for item in reasons}


def test_a_commit_needs_no_run() -> None:
    assert decide_tier(CLEAN, evidence(profile="commit"))[0] is Tier.T1


def test_a_finding_that_the_change_silences_is_named() -> None:
    silenced = finding(status=Status.SUPPRESSED, is_silenced=True)
    signals = with_signal(Plane.SEMANTIC, severity="warn", findings=(silenced.fingerprint,))
    tier, reasons = decide_tier(signals, evidence(findings=(silenced,)), run_of_tests())
    assert (tier, reasons[0].text) == (
        Tier.T3,
        "semantic: 1 finding, 1 of them silenced by the change, up to warn",
    )


@pytest.mark.parametrize(
    ("states", "tier", "reason"),
    [
        (("met", "met", "met"), "T1", ""),
        (("met", "met", "not-met"), "T2", "acceptance criteria that are not met: AC3"),
        (("not-met",) * 3, "T2", "acceptance criteria that are not met: AC1, AC2, AC3"),
        (("met", "not-checkable"), "T2", "acceptance criteria that are not shown to be met: AC2"),
    ],
)
def test_a_criterion_lowers_the_tier_unless_it_is_met(
    states: tuple[str, ...], tier: str, reason: str
) -> None:
    criteria = tuple(criterion(f"AC{n}", state) for n, state in enumerate(states, 1))
    found, reasons = decide_tier(CLEAN, evidence(criteria=criteria), run_of_tests())
    assert found == tier
    assert not reason or reason in {item.text for item in reasons}


def test_less_evidence_or_more_severe_findings_never_raise_the_tier() -> None:
    source = random.Random(20261126)
    seen = set()
    for _ in range(10_000):
        signals, known = random_signals(source), random_evidence(source)
        tier, reasons = decide_tier(signals, known)
        worse, _ = decide_tier(*weaker(signals, known, source))
        assert reasons
        assert worse.number >= tier.number
        seen.add(tier)
    assert {Tier.T2, Tier.T3, Tier.T4, Tier.T5} <= seen
