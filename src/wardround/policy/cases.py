"""Tables of expected verdicts, with which a policy is tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from wardround.analyses.boundaries import TrustBoundaries
from wardround.analyses.supply_chain import SupplyChain
from wardround.analyses.surfaces import Surfaces
from wardround.context.document import ContextDocument, ContextFile
from wardround.context.run_evidence import (
    BehaviourDifference,
    BehaviourRun,
    InputOrigin,
    LineEvidence,
    Observed,
    RunConditions,
    RunEvidence,
    RunState,
    TestEvidence,
    TestOutcome,
    TestsRun,
)
from wardround.context.surface.model import Surface, SurfaceChange, SurfaceKind
from wardround.errors import ConfigError
from wardround.findings import Plane, Status
from wardround.planes.evidence import Evidence, Exchange, FileEvidence, FileRole, FindingEvidence
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.decide import decide
from wardround.policy.loading import read_document
from wardround.policy.schema import Policy
from wardround.policy.verdict import Tier, Verdict, VerdictName
from wardround.semantics.boundary_notes import Boundary, BoundaryNote
from wardround.semantics.supply_chain.notes import (
    DependencyChange,
    DependencyNote,
    InstallNote,
    LockChange,
    LockNote,
    SupplyChainNotes,
)

_OUTCOMES = ("none", "info", "warn", "error", "inconclusive", "not-applicable")


class GivenDependency(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A dependency that the change affects."""

    change: DependencyChange
    name: str = "package"
    ecosystem: str = "npm"
    scope: str = "runtime"
    file: str = "package.json"


class GivenLock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An inconsistency of a lock file."""

    change: LockChange
    name: str = "package"
    file: str = "package-lock.json"


class GivenInstall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Code that an installation newly runs."""

    kind: str = "script"
    name: str = "postinstall"
    file: str = "package.json"


class GivenRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A run of the change: of its tests, and of its functions before and after it.

    Attributes:
        state: state of both parts.
        isolation: the back end of the sandbox, or ``none``.
        uncovered: the number of changed lines that no passing test ran.
        differences: the number of functions with another result.
    """

    state: RunState = RunState.COMPLETE
    isolation: str = "bubblewrap"
    failed: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    uncovered: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    differences: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A review, if it differs from one in CI that passes without findings.

    Attributes:
        signals: plane -> a severity, ``inconclusive`` or ``not-applicable``.
        files: the paths of the change.
        tested: the change also adds to a test file.
        suppressed: the number of suppressed findings.
        breaking: the number of changes of published surfaces that break users; ``unannounced`` of them are
            announced by nothing.
        language_model_failed: a plane got no usable answer from its language model.
        dependencies, locks, installs: the notes about the supply chain.
        boundaries: the kinds of the trust boundaries that the change touches.
        run: None if none was requested.
    """

    signals: dict[Plane, str] = {}
    files: tuple[str, ...] = ("src/app.py",)
    tested: bool = True
    added_lines: Annotated[int, msgspec.Meta(ge=0)] = 1
    profile: str = "ci"
    gate: str = "pass"
    target_branch: str = "main"
    suppressed: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    breaking: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    unannounced: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    language_model_failed: bool = False
    dependencies: tuple[GivenDependency, ...] = ()
    locks: tuple[GivenLock, ...] = ()
    installs: tuple[GivenInstall, ...] = ()
    boundaries: tuple[Boundary, ...] = ()
    run: GivenRun | None = None

    def __post_init__(self) -> None:
        for plane, outcome in self.signals.items():
            if outcome not in _OUTCOMES:
                raise ValueError(f"{plane} is {outcome!r}; use one of {', '.join(_OUTCOMES)}")


class PolicyCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One line of a table: a review and the verdict that is expected."""

    name: str
    expect: VerdictName
    given: Given = Given()
    approvals: int | None = None
    tier: Tier | None = None


class CaseResult(msgspec.Struct, frozen=True):
    """The result of one case: the verdict, and the reason why it is not the expected one; empty if it is."""

    case: PolicyCase
    verdict: Verdict
    failure: str


def load_cases(file: Path) -> tuple[PolicyCase, ...]:
    """Load a table of cases.

    Raises:
        ConfigError: it cannot be read, or is not a list of valid cases.
    """
    try:
        cases = msgspec.convert(read_document(file, "cases"), tuple[PolicyCase, ...])
    except msgspec.ValidationError as cause:
        raise ConfigError(f"{file}: {cause}; correct it") from cause
    if not cases:
        raise ConfigError(f"{file}: it has no cases; add one")
    return cases


def run_case(case: PolicyCase, policies: Sequence[Policy]) -> CaseResult:
    """Decide one case."""
    given = case.given
    signals = tuple(_signal(plane, given.signals.get(plane, "none")) for plane in Plane)
    verdict = decide(signals, _context(given), _evidence(given), policies)
    failures = [
        f"{name} is {found}, expected {expected}"
        for name, found, expected in (
            ("verdict", verdict.name, case.expect),
            ("tier", verdict.tier, case.tier),
            ("approvals", verdict.approvals, case.approvals),
        )
        if expected is not None and found != expected
    ]
    return CaseResult(case, verdict, "; ".join(failures))


def _signal(plane: Plane, outcome: str) -> Signal:
    clean = Signal(plane, PlaneStatus.REVIEWED, confidence=1.0)
    if outcome == "none":
        return clean
    if outcome in ("inconclusive", "not-applicable"):
        return replace(
            clean, status=PlaneStatus(outcome), confidence=0.0, is_required=outcome == "inconclusive"
        )
    return replace(clean, severity=outcome, findings=(f"{plane}-1",))


def _context(given: Given) -> ContextDocument:
    files = tuple(ContextFile(path, "modified", "100644", path) for path in given.files)
    return ContextDocument("base", "base", "head", files, run=_run(given))


def _run(given: Given) -> RunEvidence | msgspec.UnsetType:
    run, path = given.run, given.files[0] if given.files else "src/app.py"
    if run is None:
        return msgspec.UNSET
    conditions = RunConditions(run.state, run.isolation)
    tests = [TestEvidence("tests/test_app.py::test_0", TestOutcome.PASSED)]
    tests += [TestEvidence(f"tests/test_app.py::test_{n + 1}", TestOutcome.FAILED) for n in range(run.failed)]
    lines = LineEvidence(path, (1,), tuple(range(2, 2 + run.uncovered)))
    same = Observed(returned="0")
    differences = [
        BehaviourDifference(path, f"f{n}", 1, f"f{n}()", same, Observed(returned="1"), InputOrigin.RECORDED)
        for n in range(run.differences)
    ]
    return RunEvidence(
        TestsRun(conditions, tuple(tests), (lines,)), BehaviourRun(conditions, tuple(differences))
    )


def _evidence(given: Given) -> Evidence:
    files = [FileEvidence(path, FileRole.SOURCE, added_lines=given.added_lines) for path in given.files]
    if given.tested:
        files.append(FileEvidence("tests/test_app.py", FileRole.TEST, added_lines=1, tests_change=True))
    return Evidence(
        profile=given.profile,
        gate=given.gate,
        fail_level="error",
        target_branch=given.target_branch,
        files=tuple(files),
        findings=tuple(_suppressed_evidence(number) for number in range(given.suppressed)),
        exchanges=(Exchange(Plane.INTENT, "", "", 0, problem="failed"),)
        if given.language_model_failed
        else (),
        notes=_notes(given),
    )


def _notes(given: Given) -> dict[str, Any]:
    return {
        Surfaces.name: Surface(tuple(_surface_changes(given))),
        SupplyChain.name: _supply_chain(given),
        TrustBoundaries.name: tuple(
            BoundaryNote(given.files[0], 1, 1, kind, "") for kind in given.boundaries
        ),
    }


def _supply_chain(given: Given) -> SupplyChainNotes:
    return SupplyChainNotes(
        tuple(DependencyNote(d.file, 1, d.change, d.ecosystem, d.name, d.scope) for d in given.dependencies),
        tuple(LockNote(lock.file, 1, lock.change, lock.name) for lock in given.locks),
        tuple(
            InstallNote(install.file, 1, install.kind, install.name, "added") for install in given.installs
        ),
    )


def _surface_changes(given: Given) -> Iterator[SurfaceChange]:
    for number in range(max(given.breaking, given.unannounced)):
        source = None if number < given.unannounced else "CHANGELOG.md"
        yield SurfaceChange(SurfaceKind.PYTHON_API, "src/app.py", 1, "app.run", "is removed", True, source)


def _suppressed_evidence(number: int) -> FindingEvidence:
    return FindingEvidence(
        fingerprint=str(number),
        rule="rule",
        defect_class="defect",
        plane=Plane.SEMANTIC,
        specialist="python",
        severity="warn",
        status=Status.SUPPRESSED,
        confidence=1.0,
        file="src/app.py",
        line=1,
        column=1,
        end_line=1,
        end_column=1,
        message="",
    )
