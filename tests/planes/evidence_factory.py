"""Hand-written and random evidence, for planes, tiers, policies and records."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from msgspec.structs import replace

from wardround import host
from wardround.analyses.change_tests import ChangedSourceTests
from wardround.analyses.criterion.results import CodeSpan, CriterionResult, CriterionState
from wardround.analyses.registry import own_analyses
from wardround.context.change_tests import (
    ChangeCoverage,
    ChangeTests,
    CoverageFile,
    CoverageState,
    CoveredFile,
    Loss,
    LostTest,
    ReachedFunction,
    ReachingTest,
)
from wardround.context.document import ContextDocument, ContextFile
from wardround.findings import Plane, Severity, Status
from wardround.planes.declared_reviewers import declared_reviewers
from wardround.planes.evidence import (
    Evidence,
    FileEvidence,
    FileRole,
    FindingEvidence,
    MissingEvidence,
    ToolEvidence,
)
from wardround.planes.signal import PlaneStatus, Signal
from wardround.specialists import Specialist

PYTHON = FileEvidence("app.py", FileRole.SOURCE, ("python", "secrets"), ("python", "ruff", "secrets"), 3)
TEST = FileEvidence(
    "test_app.py",
    FileRole.TEST,
    ("python", "secrets", "tests"),
    ("python", "ruff", "secrets", "tests"),
    5,
    tests_change=True,
)
_ANALYSES = frozenset(analysis.name for analysis in own_analyses())
SEVERITIES = ("none", "info", "warn", "error")


def evidence(*files: FileEvidence, **values: Any) -> Evidence:
    """A passed review in CI of a change to ``main``; by default of a source file with its test.

    Args:
        values: fields, and the notes of analyses by their names.
    """
    defaults: dict[str, Any] = {
        "profile": "ci",
        "gate": "pass",
        "fail_level": "error",
        "target_branch": "main",
        "files": files or (PYTHON, TEST),
        "change_reviewers": ("contract", "python", "tests"),
        "tools": (ToolEvidence("ruff", "0.17.6"),),
    }
    notes = {name: values.pop(name) for name in _ANALYSES & values.keys()}
    known = Evidence(**(defaults | values), notes=notes)
    if "plane_reviewers" in values:
        return known
    return replace(known, plane_reviewers=declared_reviewers(_installed(), known))


@cache
def _installed() -> tuple[Specialist, ...]:
    return host.load().specialists


def document(*paths: str) -> ContextDocument:
    """The context of a change that modifies some files."""
    files = tuple(
        ContextFile(path, "modified", "100644", path) for path in paths or ("app.py", "test_app.py")
    )
    return ContextDocument("1" * 40, "1" * 40, "2" * 40, files)


def finding(plane: Plane = Plane.SEMANTIC, severity: str = "warn", **values: Any) -> FindingEvidence:
    """A finding in ``app.py``."""
    defaults: dict[str, Any] = {
        "fingerprint": f"{plane}-{severity}",
        "rule": "ruff/B006",
        "defect_class": "mutable-default",
        "specialist": "python",
        "status": Status.NEW,
        "confidence": 1.0,
        "file": "app.py",
        "line": 1,
        "column": 1,
        "end_line": 1,
        "end_column": 2,
        "message": "mutable default",
    }
    return FindingEvidence(plane=plane, severity=severity, **(defaults | values))


def missing(file: str = "app.py", specialist: str = "python", tool: str = "ty") -> MissingEvidence:
    """A tool that did not review a file."""
    return MissingEvidence(file, specialist, tool, "timed out after 10 s")


def criterion(name: str, state: str) -> CriterionResult:
    """The state of an acceptance criterion, shown by a line of ``app.py`` if it is met."""
    spans = (CodeSpan("app.py", 1, 1),) if state == "met" else ()
    return CriterionResult(name, CriterionState(state), spans, "")


def random_signals(source: random.Random) -> tuple[Signal, ...]:
    """One signal for each plane, of any status and severity."""
    return tuple(_random_signal(plane, source) for plane in Plane)


def _random_signal(plane: Plane, source: random.Random) -> Signal:
    status = source.choices(list(PlaneStatus), (6, 1, 1))[0]
    severity = source.choices(SEVERITIES, (6, 2, 2, 1))[0]
    return Signal(
        plane,
        status,
        severity=severity,
        confidence=source.choice((0.0, 0.5, 0.9, 1.0)),
        findings=() if severity == "none" else (f"{plane}-0",),
        is_required=source.random() < 0.6,
    )


def random_evidence(source: random.Random) -> Evidence:
    """Evidence with any gaps."""
    files = [PYTHON]
    if source.random() < 0.7:
        files.append(TEST)
    if source.random() < 0.2:
        files.append(FileEvidence("style.css", FileRole.OTHER, ("secrets",), ("secrets",), 2))
    if source.random() < 0.2:
        files += [replace(PYTHON, path=f"m{number}.py", added_lines=30) for number in range(10)]
    suppressed = [finding(status=Status.SUPPRESSED)] if source.random() < 0.2 else []
    return evidence(
        *files,
        missing=(missing(),) if source.random() < 0.2 else (),
        findings=tuple(suppressed),
        gate=source.choice(("pass", "blocked", "inconclusive")),
        target_branch=source.choice(("main", "next", "")),
        tests=random_tests(source),
    )


REACHING = ReachingTest("test_app.py", 3, "test_f", 1, is_resolved=True)
REACHED = ReachedFunction("app.py", 1, 2, "f", "function", (REACHING,))
LOST = LostTest("test_app.py", 3, "test_f", Loss.SKIPPED, ("app.py::f",))
COVERED = ChangeCoverage(
    (CoverageFile("coverage.xml", "cobertura", CoverageState.FRESH, is_required=True),),
    (CoveredFile("app.py", 3),),
)


def random_tests(source: random.Random) -> ChangeTests:
    """Complete knowledge of the tests of a change, mostly, or with a gap."""
    full = ChangeTests((REACHED,), coverage=source.choice((ChangeCoverage(), COVERED)))
    return full if source.random() < 0.7 else weaker_tests(full, source)


def weaker_tests(tests: ChangeTests, source: random.Random) -> ChangeTests:
    """The same tests with less evidence: fewer, lost, or not run."""
    unreached = tuple(replace(function, tests=()) for function in tests.functions or (REACHED,))
    by_name = (replace(REACHING, is_resolved=False),)
    named = tuple(replace(function, tests=by_name if function.tests else ()) for function in tests.functions)
    return source.choice(
        (
            replace(tests, functions=unreached),
            replace(tests, functions=named),
            replace(tests, omitted=tests.omitted + 1),
            replace(tests, functions=(), problem="no graph"),
            replace(tests, lost=(*tests.lost, LOST)),
            replace(tests, coverage=_weaker_coverage(tests.coverage, source)),
        )
    )


def _weaker_coverage(coverage: ChangeCoverage, source: random.Random) -> ChangeCoverage:
    lines = tuple(replace(item, executed=0, missed=((9, 9),)) for item in coverage.lines)
    stale = tuple(replace(item, state=CoverageState.STALE, reason="older") for item in coverage.files)
    return source.choice(
        (
            replace(coverage, lines=lines),
            replace(coverage, files=stale, lines=()),
            replace(coverage, unmeasured=("new.py",)),
        )
    )


def weaker(
    signals: tuple[Signal, ...], known: Evidence, source: random.Random
) -> tuple[tuple[Signal, ...], Evidence]:
    """The same review with less evidence, or with a more severe finding."""
    index = source.randrange(len(signals))
    signal = signals[index]
    others = (*signals[:index], *signals[index + 1 :])
    choice = source.randrange(8)
    if choice == 0:
        return others, known
    if choice == 1:
        return signals, replace(known, missing=(*known.missing, missing("b.py")))
    if choice == 2:
        unknown = FileEvidence("data.bin", FileRole.OTHER)
        return signals, replace(known, files=(*known.files, unknown))
    if choice in (6, 7):
        return signals, known.with_notes(
            ChangedSourceTests, weaker_tests(known.notes_of(ChangedSourceTests), source)
        )
    if choice == 3:
        changed = replace(signal, status=PlaneStatus.INCONCLUSIVE, confidence=0.0)
    elif choice == 4:
        changed = replace(signal, confidence=signal.confidence / 2)
    else:
        level = min(signal.level + 1, int(Severity.ERROR))
        changed = replace(signal, severity=SEVERITIES[level], findings=("more",))
    return (*signals[:index], changed, *signals[index + 1 :]), known
