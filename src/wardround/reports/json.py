"""The JSON report, ``wardround.report/1``, for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wardround import __version__
from wardround.analyses.boundaries import TrustBoundaries
from wardround.analyses.change_tests import ChangedSourceTests
from wardround.analyses.cost import Cost
from wardround.analyses.criteria import AcceptanceCriteria
from wardround.analyses.criterion.results import CriterionResult
from wardround.analyses.intent import Intent
from wardround.analyses.registry import is_builtin_analysis
from wardround.analyses.repetitions import Repetitions
from wardround.analyses.supply_chain import SupplyChain
from wardround.analyses.surfaces import Surfaces
from wardround.analyses.task_kinds import TaskKinds
from wardround.assignment.review_context import ReviewContext
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.symbol_moves import SymbolMove
from wardround.context.repetition import Repetition
from wardround.context.surface.model import Surface, SurfaceChange
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.context.ticket.model import Ticket
from wardround.findings import Edit, Estimate, Finding, Span, ToolRun, Unreviewed
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal
from wardround.policy.verdict import Verdict
from wardround.reports.change_tests import change_tests_dict
from wardround.reports.language_model import language_model_dict
from wardround.reports.run import run_dict
from wardround.review_result import ReviewResult
from wardround.semantics.supply_chain.notes import SupplyChainNotes
from wardround.text.escaping import json_text

SCHEMA = "wardround.report/1"


def render(review: ReviewResult) -> str:
    """Return the report as one JSON document, keys in the order of the contract."""
    encoded = msgspec.json.encode(as_dict(review))
    return json_text(msgspec.json.format(encoded, indent=2)) + "\n"


def as_dict(review: ReviewResult) -> dict[str, Any]:
    """Return the report as plain values."""
    conclusion = review.conclusion
    evidence, ticket = conclusion.evidence, conclusion.context.ticket
    results = evidence.notes_of(AcceptanceCriteria)
    return {
        "schema": SCHEMA,
        "tool": {"name": "wardround", "version": __version__},
        "context": _context(review.context, evidence),
        "gate": {
            "outcome": review.gate.outcome.value,
            "fail_level": review.gate.fail_level,
            "reasons": [escape_undecodable(reason) for reason in review.gate.reasons],
        },
        "verdict": _verdict(conclusion.verdict),
        "signals": [_signal(signal) for signal in conclusion.signals],
        **({} if ticket is None else {"ticket": _ticket(ticket, results)}),
        **_non_empty({"run": run_dict(conclusion.context.ran)}),
        **_plane_notes(evidence),
        **_non_empty({"judge": review.judge, "language_model": language_model_dict(evidence)}),
        "findings": [_finding_to_json(finding) for finding in review.visible],
        "held_back": review.filtered_count,
        "unreviewed": [_unreviewed_entry(gap) for gap in review.unreviewed],
        **_non_empty({"related": _related_files(evidence)}),
        **_contract(evidence.notes_of(Surfaces)),
        **_non_empty({"notes": [escape_undecodable(note) for note in review.notes]}),
        "runs": [_run(run) for run in review.runs],
        "timings": {"total_s": round(review.seconds, 3)},
    }


def _non_empty(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts with content: a kind of notes without any has no key."""
    return {name: part for name, part in parts.items() if part}


def _context(context: ReviewContext, evidence: Evidence) -> dict[str, Any]:
    return {
        "id": context.id,
        "base": context.change.base,
        "target": context.change.target,
        "head": context.change.head,
        "files": len(context.change.files),
        "hunks": context.hunks,
        "added_lines": context.added_lines,
        **_non_empty(
            {
                "moves": [_move(move) for move in evidence.moves],
                "symbols": [_symbol(neighbour) for neighbour in evidence.neighbours],
            }
        ),
    }


def _plane_notes(evidence: Evidence) -> dict[str, Any]:
    """Return the notes of the analyses; those of plugins by the name of their analysis."""
    intent = evidence.notes_of(Intent)
    return _non_empty(
        {
            "scope": msgspec.to_builtins(intent.scope),
            "kind": msgspec.to_builtins(intent.kind),
            "task_kinds": msgspec.to_builtins(evidence.notes_of(TaskKinds).stated),
            "tests": change_tests_dict(evidence.notes_of(ChangedSourceTests)),
            **msgspec.to_builtins(evidence.notes_of(Cost)),
            "trust_boundaries": msgspec.to_builtins(evidence.notes_of(TrustBoundaries)),
            "supply_chain": _supply_chain(evidence.notes_of(SupplyChain)),
            "analyses": _contributed_notes(evidence),
        }
    )


def _contributed_notes(evidence: Evidence) -> dict[str, Any]:
    contributed = {name: notes for name, notes in evidence.notes.items() if not is_builtin_analysis(name)}
    return _non_empty(msgspec.to_builtins(contributed))


def _supply_chain(notes: SupplyChainNotes) -> dict[str, Any]:
    kinds = {"dependencies": notes.dependencies, "locks": notes.locks, "installs": notes.installs}
    found = _non_empty({name: msgspec.to_builtins(listed) for name, listed in kinds.items()})
    return found | _non_empty({"omitted": notes.omitted}) if found else {}


def _related_files(evidence: Evidence) -> dict[str, Any]:
    """Return the files and functions to read with the change."""
    return _non_empty(
        {
            "companions": msgspec.to_builtins(evidence.notes_of(Intent).related),
            "repetitions": [_repetition(note) for note in evidence.notes_of(Repetitions)],
        }
    )


def _unreviewed_entry(unreviewed: Unreviewed) -> dict[str, Any]:
    return {
        "file": escape_undecodable(unreviewed.file),
        "specialist": unreviewed.specialist,
        "tool": unreviewed.tool,
        "reason": escape_undecodable(unreviewed.reason),
    }


def _run(run: ToolRun) -> dict[str, Any]:
    return {
        "tool": run.tool,
        "version": run.version,
        **_non_empty({"digest": run.digest}),
        "files": run.files,
        "cached": run.cached,
        "seconds": round(run.seconds, 3),
    }


def _ticket(ticket: Ticket, results: Sequence[CriterionResult]) -> dict[str, Any]:
    by_id = {result.criterion: result for result in results}
    return {
        "key": ticket.key,
        "title": ticket.title,
        "url": ticket.url,
        "criteria": [
            {
                "id": criterion.id,
                "text": criterion.text,
                "state": by_id[criterion.id].state.value,
                "reason": by_id[criterion.id].reason,
                "spans": [msgspec.to_builtins(span) for span in by_id[criterion.id].spans],
            }
            for criterion in ticket.criteria
            if criterion.id in by_id
        ],
        "unparsed": list(ticket.unparsed),
    }


def _move(move: SymbolMove) -> dict[str, Any]:
    lines = move.end_line - move.line + 1
    return {
        "from": {
            "file": escape_undecodable(move.base_path),
            "line": move.base_line,
            "symbol": move.base_name,
        },
        "to": {"file": escape_undecodable(move.path), "line": move.line, "symbol": move.name},
        "edited_lines": 0 if move.is_pure else lines - len(move.moved_lines),
    }


def _symbol(neighbours: SymbolNeighbours) -> dict[str, Any]:
    lists = {
        "callers": neighbours.callers,
        "callees": neighbours.callees,
        "siblings": neighbours.siblings,
        "similar": neighbours.similar,
        "examples": neighbours.examples,
    }
    return {
        "file": neighbours.path,
        "line": neighbours.line,
        "end_line": neighbours.end_line,
        "symbol": neighbours.symbol,
        "hunks": [list(lines) for lines in neighbours.hunks],
        **{
            name: [_span_to_json(location) for location in locations]
            for name, locations in lists.items()
            if locations
        },
    }


def _span_to_json(place: Place) -> dict[str, Any]:
    return {"file": place.path, "line": place.line, "symbol": place.symbol}


def _repetition(repetition: Repetition) -> dict[str, Any]:
    return {
        "file": escape_undecodable(repetition.path),
        "line": repetition.line,
        "end_line": repetition.end_line,
        "symbol": repetition.name,
        "existing": {
            "file": escape_undecodable(repetition.existing_path),
            "line": repetition.existing_line,
            "end_line": repetition.existing_end_line,
            "symbol": repetition.existing_name,
            "exported": repetition.is_exported,
        },
        "kind": repetition.kind.value,
        "similarity": repetition.similarity,
    }


def _contract(surface: Surface) -> dict[str, Any]:
    """Return the changes of published surfaces; no key if there are none and everything was compared."""
    if not surface.changes and not surface.not_compared:
        return {}
    missing = [{"kind": result.kind.value, "reason": result.reason} for result in surface.not_compared]
    return {
        "contract": {
            "breaking": len(surface.breaking),
            "unannounced": len(surface.unannounced),
            "surface": [_surface_change(change) for change in surface.changes],
            **({"not_compared": missing} if missing else {}),
            **({"omitted": surface.omitted} if surface.omitted else {}),
        }
    }


def _surface_change(item: SurfaceChange) -> dict[str, Any]:
    return {
        "kind": item.kind.value,
        "file": item.path,
        "line": item.line,
        "name": item.name,
        "change": item.detail,
        "breaking": item.is_breaking,
        "announced_by": item.announced_by,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.name.value,
        "tier": verdict.tier.value,
        "policy": verdict.policy,
        "reasons": [reason.text for reason in verdict.reasons],
        **({"approvals": verdict.approvals} if verdict.approvals else {}),
    }


def _signal(signal: Signal) -> dict[str, Any]:
    return {
        "plane": signal.plane.value,
        "severity": signal.severity,
        "confidence": signal.confidence,
        "status": signal.status.value,
        "findings": list(signal.findings),
        **({"reasons": [escape_undecodable(reason) for reason in signal.reasons]} if signal.reasons else {}),
        **({"derivation": _derivation(signal)} if signal.derivation else {}),
    }


def _derivation(signal: Signal) -> dict[str, Any]:
    return {
        "claims": [
            {"text": claim.text, "confidence": claim.confidence, "counts": claim.counts}
            | {"sources": [msgspec.to_builtins(source) for source in claim.sources]}
            for claim in signal.claims
        ],
        "lines": [escape_undecodable(line) for line in signal.derivation],
    }


def _finding_to_json(finding: Finding) -> dict[str, Any]:
    fix = finding.suggested_fix
    return {
        "fingerprint": finding.fingerprint,
        "rule": finding.rule,
        "defect_class": finding.defect_class,
        "plane": finding.plane.value,
        "specialist": finding.specialist,
        "severity": finding.severity.label,
        "confidence": finding.likelihood,
        **_estimate(finding.estimate),
        "file": escape_undecodable(finding.file),
        **_span_fields(finding.span),
        "message": escape_undecodable(finding.message),
        "rationale": finding.rationale,
        "status": finding.status.value,
        **({"waived": escape_undecodable(finding.dismissal_reason)} if finding.dismissal_reason else {}),
        "suggested_fix": None
        if fix is None
        else {
            "description": escape_undecodable(fix.description),
            "safe": fix.safe,
            "edits": [_edit(edit) for edit in fix.edits],
        },
        "sources": list(finding.sources),
        **({} if finding.claim is None else {"claim": msgspec.to_builtins(finding.claim)}),
        "url": finding.url,
    }


def _estimate(estimate: Estimate | None) -> dict[str, Any]:
    """Return the probabilities of the judge, and the changes it made."""
    if estimate is None:
        return {}
    changed = {"lowered": estimate.is_lowered, "folded": estimate.is_folded}
    return {
        "estimate": {
            "worth": estimate.worth,
            "wrong": estimate.wrong,
            "derivation": estimate.derivation,
            **_non_empty(changed),
        }
    }


def _edit(edit: Edit) -> dict[str, Any]:
    return {
        "file": escape_undecodable(edit.file),
        **_span_fields(edit.span),
        "replacement": escape_undecodable(edit.replacement),
    }


def _span_fields(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
