"""The variables and functions that the conditions of a policy can use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from wardround.config.globs import covers
from wardround.context.change_tests import ChangeTests
from wardround.context.cost_notes import CostNotes, GrowthNote, WeightNote
from wardround.context.document import ContextDocument, ContextFile
from wardround.context.run_evidence import (
    BehaviourRun,
    LineEvidence,
    RunConditions,
    RunEvidence,
    RunState,
    TestsRun,
)
from wardround.findings import Plane
from wardround.planes.criterion.results import CriterionState
from wardround.planes.evidence import Evidence, FileEvidence, FileRole
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.run_variables import run_variables
from wardround.policy.verdict import Tier
from wardround.semantics.boundary_notes import Boundary, BoundaryNote
from wardround.semantics.supply_chain.notes import (
    DependencyChange,
    DependencyNote,
    InstallNote,
    LockChange,
    LockNote,
    SupplyChainNotes,
)
from wardround.text.escaping import one_line

VARIABLES = frozenset(
    {
        "added_lines",
        "boundaries",
        "contract",
        "dependencies",
        "files",
        "findings",
        "gate",
        "growth",
        "installs",
    }
    | {"language_model_failed", "locks", "missing", "policy_file", "profile", "signals", "suppressed"}
    | {"run", "target_branch", "tests", "ticket", "tier", "weights"}
)
_Note = DependencyNote | LockNote | InstallNote | BoundaryNote | GrowthNote | WeightNote
FUNCTIONS = frozenset({"glob", "touches"})
_SAMPLE_NOTES = SupplyChainNotes(
    (DependencyNote("package.json", 1, DependencyChange.ADDED, "npm", "left-pad", "runtime"),),
    (LockNote("package-lock.json", 1, LockChange.LOCK_ONLY),),
    (InstallNote("package.json", 1, "script", "postinstall", "added"),),
)
"""Notes of each kind, so that a wrong name of a field is found where a policy is checked."""
_SAMPLE_CONDITIONS = RunConditions(RunState.COMPLETE, "bubblewrap")
_SAMPLE_RUN = RunEvidence(
    TestsRun(_SAMPLE_CONDITIONS, lines=(LineEvidence("src/app.py", (1,)),), mutations=1),
    BehaviourRun(_SAMPLE_CONDITIONS),
)
"""A complete run, whose numbers are known."""


def condition_variables(
    tier: Tier, signals: Sequence[Signal], context: ContextDocument, evidence: Evidence
) -> dict[str, Any]:
    """Return the variables of a review.

    ``tier``, ``profile``, ``gate``, ``target_branch`` and ``policy_file`` are texts; ``signals`` maps a plane
    to its status, severity (``none``, ``info``, ``warn``, ``error``), level (0 to 3), confidence and number
    of findings.
    Paths are on one line, as reports show them: ``.`` of an expression matches no newline.
    ``files`` is a list of path, base_path, status, role and added_lines; ``findings`` a list of rule, plane,
    severity, level, file and line; ``ticket`` has key (empty without a ticket), met, not_met and
    not_checkable, the numbers of its criteria; ``missing`` and ``suppressed`` are counts;
    ``contract`` has the numbers ``breaking``, ``unannounced`` and ``not_compared`` of published surfaces;
    ``tests`` has numbers about the changed functions and lines, and the state of the coverage;
    ``run`` is about a run of the change, see ``policy.run_variables``;
    ``language_model_failed`` is true if a plane got no usable answer from its language model.
    ``dependencies``, ``locks`` and ``installs`` are the notes about the supply chain, ``boundaries`` those
    about trust boundaries, ``growth`` and ``weights`` those about cost, each with the fields of its struct;
    there are none at commit.
    """
    roles = {file.path: file for file in evidence.files}
    return {
        "tier": tier.value,
        "profile": evidence.profile,
        "gate": evidence.gate,
        "target_branch": evidence.target_branch,
        "policy_file": evidence.policy_file,
        "signals": {signal.plane.value: _signal(signal) for signal in signals},
        "files": [_file(file, roles.get(file.path)) for file in context.files],
        "added_lines": evidence.added_lines,
        "findings": [
            {"rule": f.rule, "plane": f.plane.value, "severity": f.severity, "level": int(f.level)}
            | {"file": one_line(f.file), "line": f.line}
            for f in evidence.introduced
        ],
        "ticket": _ticket(context, evidence),
        "contract": _contract(evidence),
        "tests": _tests(evidence.tests),
        "run": run_variables(context.ran),
        "language_model_failed": any(exchange.problem for exchange in evidence.exchanges),
        **_supply_chain(evidence.supply_chain),
        "growth": [_note(one) for one in evidence.cost.growth],
        "weights": [_note(one) for one in evidence.cost.weights],
        "boundaries": [_note(one) for one in evidence.boundaries],
        "missing": len(evidence.missing),
        "suppressed": len(evidence.waived),
    }


def condition_functions(context: ContextDocument) -> dict[str, Callable[..., Any]]:
    """Return the functions of a review.

    ``glob(path, pattern)`` matches one path; ``touches(pattern)`` is true if a changed file has, or had, a
    path that matches.
    """
    paths = [path for file in context.files for path in (file.path, file.base_path) if path]
    return {
        "glob": lambda path, pattern: covers(path, (pattern,)),
        "touches": lambda pattern: any(covers(path, (pattern,)) for path in paths),
    }


def sample_variables() -> tuple[Mapping[str, Any], Mapping[str, Callable[..., Any]]]:
    """Return variables and functions of a small review, with which a policy is checked."""
    signals, context, evidence = sample_review()
    return condition_variables(Tier.T1, signals, context, evidence), condition_functions(context)


def sample_review() -> tuple[tuple[Signal, ...], ContextDocument, Evidence]:
    """Return the signals, the context and the evidence of a small review that passes."""
    file = ContextFile("src/app.py", "modified", "100644", "src/app.py")
    context = ContextDocument("base", "base", "head", (file,), run=_SAMPLE_RUN)
    evidence = Evidence(
        "ci",
        "pass",
        "error",
        "main",
        (FileEvidence("src/app.py", FileRole.SOURCE, added_lines=1),),
        supply_chain=_SAMPLE_NOTES,
        boundaries=(BoundaryNote("src/app.py", 1, 1, Boundary.ROUTE, "@app.post()"),),
        cost=CostNotes(
            (GrowthNote("src/app.py", 1, 2, "total", "loops", 1, 2, 3, "request"),),
            (WeightNote("logo.png", 1, "large-file", "logo.png", 1_000_000),),
        ),
    )
    return tuple(Signal(plane, PlaneStatus.REVIEWED, confidence=1.0) for plane in Plane), context, evidence


def _supply_chain(notes: SupplyChainNotes) -> dict[str, Any]:
    kinds: dict[str, Sequence[_Note]]
    kinds = {"dependencies": notes.dependencies, "locks": notes.locks, "installs": notes.installs}
    return {name: [_note(one) for one in listed] for name, listed in kinds.items()}


def _note(note: _Note) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(note)
    return values | {"file": one_line(note.file)}


def _ticket(context: ContextDocument, evidence: Evidence) -> dict[str, Any]:
    states = [result.state for result in evidence.criteria]
    return {
        "key": "" if context.ticket is None else context.ticket.key,
        "met": states.count(CriterionState.MET),
        "not_met": states.count(CriterionState.NOT_MET),
        "not_checkable": states.count(CriterionState.NOT_CHECKABLE),
    }


def _contract(evidence: Evidence) -> dict[str, int]:
    surface = evidence.surface
    return {
        "breaking": len(surface.breaking),
        "unannounced": sum(one.is_unseen for one in surface.changes),
        "not_compared": len(surface.not_compared),
    }


def _tests(tests: ChangeTests) -> dict[str, Any]:
    coverage = tests.coverage
    state = "none"
    if coverage.files:
        state = "stale" if coverage.lacking or not coverage.is_fresh else "fresh"
    return {
        "functions": len(tests.functions) + tests.omitted,
        "unreached": len(tests.unreached) + tests.omitted,
        "lost": len(tests.lost),
        "coverage": state,
        "changed_lines": coverage.executed + coverage.missed,
        "changed_lines_covered": coverage.executed,
    }


def _signal(signal: Signal) -> dict[str, Any]:
    return {
        "status": signal.status.value,
        "severity": signal.severity,
        "level": signal.level,
        "confidence": signal.confidence,
        "findings": len(signal.findings),
    }


def _file(file: ContextFile, known: FileEvidence | None) -> dict[str, Any]:
    return {
        "path": one_line(file.path),
        "base_path": one_line(file.base_path or ""),
        "status": file.status,
        "role": known.role.value if known else FileRole.OTHER.value,
        "added_lines": known.added_lines if known else 0,
    }
