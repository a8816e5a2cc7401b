"""The variables and functions that the conditions of a policy can use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from wardround.analyses.derived import variables_of
from wardround.analyses.registry import known_analyses
from wardround.context.document import ContextDocument, ContextFile
from wardround.context.run_evidence import (
    BehaviourRun,
    LineEvidence,
    RunConditions,
    RunEvidence,
    RunState,
    TestsRun,
)
from wardround.errors import PluginLoadError
from wardround.findings import Plane
from wardround.planes.evidence import Evidence, FileEvidence, FileRole
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.run_variables import run_variables
from wardround.policy.verdict import Tier
from wardround.text.escaping import one_line
from wardround.text.globs import covers

_VARIABLES = frozenset(
    {
        "added_lines",
        "files",
        "findings",
        "gate",
        "language_model_failed",
        "missing",
        "policy_file",
        "profile",
        "run",
        "signals",
        "suppressed",
        "target_branch",
        "tier",
    }
)
FUNCTIONS = frozenset({"glob", "touches"})
_SAMPLE_CONDITIONS = RunConditions(RunState.COMPLETE, "bubblewrap")
_SAMPLE_RUN = RunEvidence(
    TestsRun(_SAMPLE_CONDITIONS, lines=(LineEvidence("src/app.py", (1,)),), mutations=1),
    BehaviourRun(_SAMPLE_CONDITIONS),
)
"""A complete run, whose numbers are known."""


@cache
def variable_names() -> frozenset[str]:
    """Return the names of all variables, with those of the installed analyses.

    Raises:
        PluginLoadError: an analysis has a variable of a name that is used already.
    """
    names = set(_VARIABLES)
    context = ContextDocument("base", "base", "head", ())
    for analysis in known_analyses():
        added = variables_of(analysis, analysis.sample(), context).keys()
        if used := sorted(names & added):
            reason = f"there is a variable of policies named {used[0]!r} already"
            raise PluginLoadError(analysis.name, type(analysis).__module__, reason)
        names |= added
    return frozenset(names)


def condition_variables(
    tier: Tier, signals: Sequence[Signal], context: ContextDocument, evidence: Evidence
) -> dict[str, Any]:
    """Return the variables of a review.

    ``tier``, ``profile``, ``gate``, ``target_branch`` and ``policy_file`` are strings; ``signals`` maps a
    plane to its status, severity (``none``, ``info``, ``warn``, ``error``), level (0 to 3), confidence and
    number of findings. Paths are on one line, as reports show them: ``.`` of an expression matches no
    newline. ``files`` is a list of path, base_path, status, role and added_lines; ``findings`` a list of
    rule, plane, severity, level, file and line; ``missing`` and ``suppressed`` are counts; ``run`` is about a
    run of the change, see ``policy.run_variables``; ``language_model_failed`` is true if a plane got no
    usable answer from its language model. The others are those of the analyses, such as ``boundaries``, which
    are missing if an analysis does not run. An analysis that crashes has no variables, so that a condition
    that uses one counts as true.
    """
    roles = {file.path: file for file in evidence.files}
    return {
        **_variables_of_notes(context, evidence),
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
        "run": run_variables(context.ran),
        "language_model_failed": any(exchange.problem for exchange in evidence.exchanges),
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
        notes={analysis.name: analysis.sample() for analysis in known_analyses()},
    )
    return tuple(Signal(plane, PlaneStatus.REVIEWED, confidence=1.0) for plane in Plane), context, evidence


def _variables_of_notes(context: ContextDocument, evidence: Evidence) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for analysis in known_analyses():
        found |= variables_of(analysis, evidence.notes_of(type(analysis)), context)
    return found


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
