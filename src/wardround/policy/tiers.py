"""The tier of a change: how much confidence the evidence allows in it.

| Tier | Condition |
|---|---|
| T5 | no plane was reviewed, a required plane was not reviewed, or security has an error |
| T4 | another plane was not reviewed, a result is missing, a plane has an error, a file has no reader, its |
|    | name has characters that are not shown, or code besides tests imports a changed test file |
| T3 | a plane has a warning |
| T2 | the change is large, source is changed without a test of it, its tests are not known or none is |
|    | found or one asserts less, tests shrink, a required coverage file or a run does not count or shows |
|    | changed lines that did not run, no run of a change in CI shows that all of its source ran in |
|    | passing tests, it alters tests alone or what decides their results, a finding is about tests, a |
|    | criterion is not shown to be met, or a signal is uncertain |
| T1 | none of these |

The first line that applies decides. Less evidence and more severe findings never raise the tier: T1 in CI is
positive evidence, a run in a sandbox. Documentation alone needs none, since nothing executes it. A finding
that the change silences counts like one that is reported.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence, Set
from functools import partial

from wardround.analyses.change_tests import ChangedSourceTests
from wardround.analyses.criteria import AcceptanceCriteria
from wardround.analyses.criterion.results import CriterionState
from wardround.context.run_evidence import TestsRun
from wardround.context.run_summary import covers_change
from wardround.findings import ENTIRE_CHANGE, Plane, Severity
from wardround.lazy import LazyPattern
from wardround.planes.evidence import Evidence, FileRole
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.gaps_of_tests import gaps_of_run, gaps_of_tests
from wardround.policy.verdict import Reason, Tier

SMALL_FILES = 10
SMALL_LINES = 200
"""The largest change that needs no second reader: reviews find fewer defects per line beyond it.

Source: Cohen et al. 2006, "Best Kept Secrets of Peer Code Review", chapter 5 (200 to 400 lines).
"""
_DECIDES_RESULTS = LazyPattern(
    r"(?i)(?:^|/)(?:(?:conftest|sitecustomize|usercustomize|setup[-_.]?tests?|test[-_.]?setup|global[-_.]?setup)\.\w+"
    r"|(?:ava|cypress|jest|karma|mocha|playwright|vite|vitest)[\w.-]*\.(?:config|globalsetup|preset|setup|workspace)[\w.-]*)$"
)
"""Files that a framework of tests executes before the tests, and that can replace their results."""
CERTAIN = 0.9
"""The least confidence of a signal in T1."""


def decide_tier(
    signals: Sequence[Signal], evidence: Evidence, run: TestsRun | None = None
) -> tuple[Tier, tuple[Reason, ...]]:
    """Return the tier and the reasons that keep the change from T1, those that decide first.

    Args:
        run: the run of the tests; None if none was requested.
    """
    lines = ((Tier.T5, _t5), (Tier.T4, _t4), (Tier.T3, _t3), (Tier.T2, partial(_t2, run=run)))
    found = [(tier, reason) for tier, conditions in lines for reason in conditions(signals, evidence)]
    if found:
        return found[0][0], tuple(dict.fromkeys(reason for _, reason in found))
    return Tier.T1, (Reason(f"every plane was reviewed without a warning; {_merit(evidence, run)}"),)


def _merit(evidence: Evidence, run: TestsRun | None) -> str:
    if not has_code(evidence):
        return "the change is small and documentation alone"
    if runs_source(evidence, run):
        return "the change is small, and its lines ran in passing tests"
    return "the change is small and tested"


def _t5(signals: Sequence[Signal], evidence: Evidence) -> Iterator[Reason]:
    present = {signal.plane for signal in signals}
    yield from (Reason(f"{plane}: no signal", (plane,)) for plane in Plane if plane not in present)
    if not any(signal.status is PlaneStatus.REVIEWED for signal in signals):
        yield Reason("no plane was reviewed")
    for first, planes in _planes_by_reason(filter(_is_lacking, signals)).items():
        yield Reason(f"{', '.join(planes)}: required and not reviewed{_clause(first)}", planes)
    for signal in signals:
        if signal.plane is Plane.SECURITY and signal.level >= Severity.ERROR:
            yield _severity_reason(signal, evidence)


def _t4(signals: Sequence[Signal], evidence: Evidence) -> Iterator[Reason]:
    lacking = _planes_by_reason(filter(_is_lacking, signals))
    others = _planes_by_reason(filter(_is_optional_gap, signals))
    for first, planes in others.items():
        why = " for the same reason" if first and first in lacking else _clause(first)
        yield Reason(f"{', '.join(planes)}: not reviewed{why}", planes)
    yield from (_severity_reason(signal, evidence) for signal in signals if signal.level >= Severity.ERROR)
    yield from _missing_results(evidence, lacking.keys() | others.keys())
    yield from _unread_files(evidence)


def _missing_results(evidence: Evidence, known: Set[str]) -> Iterator[Reason]:
    """Yield the missing results of tools and checks; not those that are the reason of a plane."""
    for missing in evidence.missing:
        where = "" if missing.file == ENTIRE_CHANGE else f"{missing.file}: "
        text = f"{where}{missing.tool}: {missing.reason}"
        if known.isdisjoint({text, missing.reason}):
            yield Reason(text)


def _unread_files(evidence: Evidence) -> Iterator[Reason]:
    """Yield the files that no specialist reviews, tests that code imports, and names that are not shown."""
    unjudged = [file.path for file in evidence.files if file.is_unjudged]
    if unjudged:
        more = f" and {len(unjudged) - 1} more" if len(unjudged) > 1 else ""
        yield Reason(f"no specialist reviews {unjudged[0]}{more}")
    for test in evidence.notes_of(ChangedSourceTests).imported:
        yield Reason(f"{test.path} is reviewed as a test, and {test.importer} imports it")
    for file in evidence.files:
        if not file.path.isprintable():
            yield Reason(f"the name of {file.path} has characters that are not shown")


def _t3(signals: Sequence[Signal], evidence: Evidence) -> Iterator[Reason]:
    for signal in signals:
        if signal.level >= Severity.WARN:
            yield _severity_reason(signal, evidence)


def _t2(signals: Sequence[Signal], evidence: Evidence, run: TestsRun | None) -> Iterator[Reason]:
    files, added, removed = len(evidence.files), evidence.added_lines, evidence.removed_lines
    if files > SMALL_FILES or max(added, removed) > SMALL_LINES:
        yield Reason(f"the change is large: {files} files, {added} added and {removed} removed lines")
    known = _planes_by_reason(signals)  # of a run that is not complete
    yield from (Reason(text, (Plane.TESTS,)) for text in _gaps_of_tests(evidence, run, known))
    yield from (Reason(text, (Plane.INTENT,)) for text in _open_criteria(evidence))
    for signal in signals:
        yield from _uncertainty(signal, evidence, run)
    yield from (Reason(text, (Plane.TESTS,)) for text in _gaps_of_run(evidence, run))


def _gaps_of_tests(evidence: Evidence, run: TestsRun | None, known: Container[str]) -> Iterator[str]:
    """Yield the reasons why tests do not show that the change works; not those of a plane."""
    if not is_tested(evidence, run):
        yield "source is changed without a test"
    for gap in gaps_of_tests(evidence.notes_of(ChangedSourceTests), run):
        if gap not in known:
            yield gap
    if shrinks_tests(evidence):
        yield "more lines of tests are removed than added"


def _uncertainty(signal: Signal, evidence: Evidence, run: TestsRun | None) -> Iterator[Reason]:
    """Yield the findings about tests, and a confidence that nothing else explains."""
    if signal.plane is Plane.TESTS and signal.level and not _has_only_notes(signal, evidence):
        yield _severity_reason(signal, evidence)
    is_uncertain = signal.status is PlaneStatus.REVIEWED and signal.confidence < CERTAIN
    if is_uncertain and _is_news(signal, evidence, run):
        yield Reason(f"{signal.plane}: confidence {signal.confidence:g}", (signal.plane,))


def _has_only_notes(signal: Signal, evidence: Evidence) -> bool:
    """Return True if the findings of a signal are notes of a run, whose precision is below 1."""
    notes = {finding.fingerprint for finding in evidence.introduced if finding.is_run_note}
    return bool(signal.findings) and notes.issuperset(signal.findings)


def _is_news(signal: Signal, evidence: Evidence, run: TestsRun | None) -> bool:
    """Return False for the uncertainty of untested source and of open criteria, which are separate
    reasons.
    """
    if signal.plane is Plane.INTENT:
        return not any(_open_criteria(evidence))
    return signal.plane is not Plane.TESTS or is_tested(evidence, run)


def _open_criteria(evidence: Evidence) -> Iterator[str]:
    """Yield a line for the acceptance criteria in each state but met, with their ids."""
    states = {CriterionState.NOT_MET: "not met", CriterionState.NOT_CHECKABLE: "not shown to be met"}
    results = evidence.notes_of(AcceptanceCriteria)
    for state, text in states.items():
        names = [result.criterion for result in results if result.state is state]
        if names:
            yield f"acceptance criteria that are {text}: {', '.join(names)}"


def _gaps_of_run(evidence: Evidence, run: TestsRun | None) -> Iterator[str]:
    """Yield the reason for which no run shows that the change works, if something executes it."""
    roles = {file.role for file in evidence.files}
    if FileRole.TEST in roles and FileRole.SOURCE not in roles:
        yield "the change alters tests alone, and they execute"
        return
    if evidence.profile != "ci":
        return
    deciding = next((file.path for file in evidence.files if _DECIDES_RESULTS.search(file.path)), None)
    if deciding is not None:
        yield f"the change alters {deciding}, which can decide what its tests report"
    elif has_code(evidence) and _is_unexplained(evidence, run):
        yield "no run in a sandbox shows that all changed source ran in passing tests"


def _is_unexplained(evidence: Evidence, run: TestsRun | None) -> bool:
    """Return True if source did not run and no gap of the run is the reason."""
    return not runs_source(evidence, run) and (run is None or not any(gaps_of_run(run)))


def has_code(evidence: Evidence) -> bool:
    """Return True if the change has a file that is not documentation."""
    return any(file.role is not FileRole.DOCUMENTATION for file in evidence.files)


def runs_source(evidence: Evidence, run: TestsRun | None) -> bool:
    """Return True if passing tests ran the changed lines of each changed source file, in a sandbox."""
    if run is None or not covers_change(run):
        return False
    shown = {lines.path for lines in run.lines if lines.covered}
    return all(file.path in shown for file in evidence.files if file.role is FileRole.SOURCE)


def is_tested(evidence: Evidence, run: TestsRun | None = None) -> bool:
    """Return True if the change adds a test of its source, passing tests executed all of it, or it has
    none.
    """
    has_source = any(file.role is FileRole.SOURCE for file in evidence.files)
    has_test = any(file.tests_change for file in evidence.files)
    return not has_source or has_test or covers_change(run)


def shrinks_tests(evidence: Evidence) -> bool:
    """Return True if the change removes more lines from test code than it adds to it."""
    tests = [file for file in evidence.files if file.role is FileRole.TEST and not file.is_plain_text]
    return sum(file.removed_lines for file in tests) > sum(file.added_lines for file in tests)


def _is_lacking(signal: Signal) -> bool:
    return signal.is_required and signal.status is not PlaneStatus.REVIEWED


def _is_optional_gap(signal: Signal) -> bool:
    return signal.status is PlaneStatus.INCONCLUSIVE and not _is_lacking(signal)


def _clause(reason: str) -> str:
    """Return a reason as the end of a sentence; empty without one."""
    return f": {reason}" if reason else ""


def _planes_by_reason(signals: Iterable[Signal]) -> dict[str, tuple[Plane, ...]]:
    """Return the planes by the first reason for which they were not reviewed, empty if there is none."""
    found: dict[str, tuple[Plane, ...]] = {}
    for signal in signals:
        first = signal.reasons[0] if signal.reasons else ""
        found[first] = (*found.get(first, ()), signal.plane)
    return found


def _severity_reason(signal: Signal, evidence: Evidence) -> Reason:
    count = len(signal.findings)
    findings = "1 finding" if count == 1 else f"{count} findings"
    silenced = {finding.fingerprint for finding in evidence.introduced if finding.is_silenced} & {
        *signal.findings
    }
    if silenced:
        findings += f", {len(silenced)} of them silenced by the change"
    return Reason(f"{signal.plane}: {findings}, up to {signal.severity}", (signal.plane,), signal.findings)
