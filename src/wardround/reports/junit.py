"""JUnit XML: a suite for the gate and for each plane, so that a CI server fails on what the gate fails on.

The exit status can be ignored, by ``--exit-zero`` or in a pipeline; a required plane or a gate that is
inconclusive is therefore a failure here, and never a passed or a skipped test. A finding that blocks is a
failed test, which has the same name when its lines move. The times are 0: a report of the same review has the
same bytes.

Sources: the readers of the JUnit plugin of Jenkins and of GitLab; https://github.com/testmoapp/junitxml.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from wardround.findings import Finding, Plane, Severity
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.gate import GateOutcome
from wardround.reports import truncate
from wardround.review_result import ReviewResult
from wardround.text.escaping import one_line
from wardround.text.xml_text import xml_text

_MAX_MESSAGE = 1_024
_MAX_LINES = 100
_GATE = "gate"


class SuiteTest(msgspec.Struct, frozen=True, kw_only=True):
    """One test of a suite.

    Attributes:
        outcome: ``failure``, ``skipped``, or empty if it passed.
        kind: the type of a failure.
        message: of a test that did not pass.
        lines: each begins with a word of wardround, so that none is a command for a CI runner.
    """

    name: str
    outcome: str = ""
    kind: str = ""
    message: str = ""
    lines: Sequence[str] = ()
    file: str = ""
    line: int = 0


def render(review: ReviewResult) -> str:
    """Return the report as one XML document."""
    suites = {_GATE: list(_conclusion_tests(review))}
    findings = _findings_by_plane(review)
    for signal in review.conclusion.signals:
        suites[signal.plane.value] = list(_plane_tests(signal, findings.get(signal.plane, ()), review))
    every = [test for tests in suites.values() for test in tests]
    lines = [line for name, tests in suites.items() for line in _suite_lines(name, tests)]
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="wardround" {_counts(every)}>'
    return "\n".join((head, *lines, "</testsuites>")) + "\n"


def _findings_by_plane(review: ReviewResult) -> Mapping[Plane, Sequence[Finding]]:
    findings: dict[Plane, list[Finding]] = {}
    for finding in review.open_findings:
        findings.setdefault(finding.plane, []).append(finding)
    return findings


# Tests


def _conclusion_tests(review: ReviewResult) -> Iterator[SuiteTest]:
    """Yield the tests of the gate and of the verdict; no policy decides about all files."""
    gate = review.gate
    yield SuiteTest(
        name="gate",
        outcome="" if gate.outcome is GateOutcome.PASS else "failure",
        kind=gate.outcome.value,
        message=": ".join((gate.outcome.value, "; ".join(gate.reasons))),
        lines=[f"gate: {gate.outcome.value}", *_reason_lines(gate.reasons)],
    )
    if review.change.all_files:
        return
    verdict = review.conclusion.verdict
    name = f"{verdict.name.value} ({verdict.tier.value})"
    yield SuiteTest(
        name="verdict",
        outcome="failure" if review.is_blocked_by_verdict else "",
        kind=verdict.name.value,
        message=name,
        lines=[f"verdict: {name}", *_reason_lines(reason.text for reason in verdict.reasons)],
    )


def _reason_lines(reasons: Iterable[str]) -> list[str]:
    return [f"reason: {reason}" for reason in reasons]


def _plane_tests(signal: Signal, findings: Sequence[Finding], review: ReviewResult) -> Iterator[SuiteTest]:
    """Yield the test of a plane, then one for each of its findings that blocks."""
    is_blocking = partial(_is_blocking, review=review)
    others = Counter(finding.severity for finding in findings if not is_blocking(finding))
    yield _plane_test(signal, others, review.profile.value)
    for finding in filter(is_blocking, findings):
        yield _finding_test(finding)


def _is_blocking(finding: Finding, review: ReviewResult) -> bool:
    """Return True if the gate counts a finding, at the level that it fails on."""
    level = review.gate.fail_level
    if level == "none" or finding.status not in review.counted:
        return False
    return finding.severity >= Severity.from_label(level)


def _plane_test(signal: Signal, others: Mapping[Severity, int], profile: str) -> SuiteTest:
    """Return the test of a plane: skipped if it has nothing to review or the profile does not require it."""
    outcome, message = _plane_outcome(signal, profile)
    lines = [f"plane: {signal.status.value}, severity {signal.severity}, confidence {signal.confidence}"]
    named = [f"{others[severity]} {severity.label}" for severity in reversed(Severity) if severity in others]
    lines += [f"findings that do not block: {', '.join(named)}"] if named else []
    lines += _reason_lines(signal.reasons)
    return SuiteTest(name="plane", outcome=outcome, kind=signal.status.value, message=message, lines=lines)


def _plane_outcome(signal: Signal, profile: str) -> tuple[str, str]:
    if signal.status is PlaneStatus.REVIEWED:
        return "", ""
    if signal.status is PlaneStatus.NOT_APPLICABLE:
        return "skipped", "nothing to review"
    message = f"inconclusive: {'; '.join(signal.reasons)}"
    if signal.is_required:
        return "failure", message
    return "skipped", f"not required by the profile {profile}, and {message}"


def _finding_test(finding: Finding) -> SuiteTest:
    reasons = (" ".join(finding.rationale.split()), finding.url or "")
    return SuiteTest(
        name=f"{finding.rule} {finding.file} {finding.fingerprint}",
        outcome="failure",
        kind=finding.rule,
        message=finding.message,
        lines=[
            f"{finding.severity.label}: {finding.message}",
            f"at {finding.file}:{finding.span.line}:{finding.span.column}",
            *(f"why: {reason}" for reason in reasons if reason),
        ],
        file=finding.file,
        line=finding.span.line,
    )


# XML


def _suite_lines(name: str, tests: Sequence[SuiteTest]) -> Iterator[str]:
    yield f'<testsuite name="wardround.{name}" {_counts(tests)}>'
    for test in tests:
        yield from _test_lines(name, test)
    yield "</testsuite>"


def _counts(tests: Iterable[SuiteTest]) -> str:
    outcomes = Counter(test.outcome for test in tests)
    failed = f'failures="{outcomes["failure"]}" errors="0" skipped="{outcomes["skipped"]}"'
    return f'tests="{outcomes.total()}" {failed} time="0"'


def _test_lines(suite: str, test: SuiteTest) -> Iterator[str]:
    location = f' file="{xml_text(test.file)}" line="{test.line}"' if test.file else ""
    yield f'<testcase classname="wardround.{suite}" name="{xml_text(test.name)}" time="0"{location}>'
    text = "\n".join(_xml_line(line) for line in test.lines[:_MAX_LINES])
    if test.outcome == "failure":
        yield f'<failure type="{xml_text(test.kind)}" message="{_xml_line(test.message)}">{text}</failure>'
    elif test.outcome == "skipped":
        yield f'<skipped message="{_xml_line(test.message)}"/>'
    if test.outcome != "failure":
        yield f"<system-out>{text}</system-out>"
    yield "</testcase>"


def _xml_line(text: str) -> str:
    return xml_text(truncate(one_line(text), _MAX_MESSAGE))
