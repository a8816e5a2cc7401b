"""The JSON report, ``wardround.report/1``, for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wardround import __version__
from wardround.change.encoding import escape_undecodable
from wardround.context.repetition import Repetition
from wardround.context.review_context import ReviewContext
from wardround.context.surface.model import Surface, SurfaceChange
from wardround.context.symbol_moves import SymbolMove
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.context.ticket.model import Ticket
from wardround.findings import Edit, Estimate, Finding, Span, ToolRun, Unreviewed
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal
from wardround.policy.verdict import Verdict
from wardround.reports.change_tests import change_tests_dict
from wardround.reports.run import run_dict
from wardround.review import ReviewResult
from wardround.semantics.supply_chain.notes import SupplyChainNotes
from wardround.text.escaping import json_text

SCHEMA = "wardround.report/1"


def render(review: ReviewResult) -> str:
    """The report as one JSON document, keys in the order of the contract."""
    encoded = msgspec.json.encode(as_dict(review))
    return json_text(msgspec.json.format(encoded, indent=2)) + "\n"


def as_dict(review: ReviewResult) -> dict[str, Any]:
    """The report as plain values."""
    conclusion = review.conclusion
    evidence, ticket = conclusion.evidence, conclusion.context.ticket
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
        **({} if ticket is None else {"ticket": _ticket(ticket, evidence.criteria)}),
        **_non_empty({"run": run_dict(conclusion.context.ran)}),
        **_plane_notes(evidence),
        **_non_empty({"judge": review.judge}),
        "findings": [_finding(finding) for finding in review.visible],
        "held_back": review.filtered_count,
        "unreviewed": [_unreviewed(one) for one in review.unreviewed],
        **_non_empty({"related": _related(evidence)}),
        **_contract(evidence.surface),
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
                "symbols": [_symbol(one) for one in evidence.neighbours],
            }
        ),
    }


def _plane_notes(evidence: Evidence) -> dict[str, Any]:
    """Return what the planes note besides findings."""
    return _non_empty(
        {
            "scope": msgspec.to_builtins(evidence.intent.scope),
            "kind": msgspec.to_builtins(evidence.intent.kind),
            "tests": change_tests_dict(evidence.tests),
            **msgspec.to_builtins(evidence.cost),
            "trust_boundaries": msgspec.to_builtins(evidence.boundaries),
            "supply_chain": _supply_chain(evidence.supply_chain),
        }
    )


def _supply_chain(notes: SupplyChainNotes) -> dict[str, Any]:
    kinds = {"dependencies": notes.dependencies, "locks": notes.locks, "installs": notes.installs}
    found = _non_empty({name: msgspec.to_builtins(listed) for name, listed in kinds.items()})
    return found | _non_empty({"omitted": notes.omitted}) if found else {}


def _related(evidence: Evidence) -> dict[str, Any]:
    """Return the files and functions to read with the change."""
    return _non_empty(
        {
            "companions": msgspec.to_builtins(evidence.intent.related),
            "repetitions": [_repetition(one) for one in evidence.repetitions],
        }
    )


def _unreviewed(one: Unreviewed) -> dict[str, Any]:
    return {
        "file": escape_undecodable(one.file),
        "specialist": one.specialist,
        "tool": one.tool,
        "reason": escape_undecodable(one.reason),
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


def _symbol(one: SymbolNeighbours) -> dict[str, Any]:
    lists = {
        "callers": one.callers,
        "callees": one.callees,
        "siblings": one.siblings,
        "similar": one.similar,
        "examples": one.examples,
    }
    return {
        "file": one.path,
        "line": one.line,
        "end_line": one.end_line,
        "symbol": one.symbol,
        "hunks": [list(lines) for lines in one.hunks],
        **{name: [_place_of(place) for place in places] for name, places in lists.items() if places},
    }


def _place_of(place: Place) -> dict[str, Any]:
    return {"file": place.path, "line": place.line, "symbol": place.symbol}


def _repetition(one: Repetition) -> dict[str, Any]:
    return {
        "file": escape_undecodable(one.path),
        "line": one.line,
        "end_line": one.end_line,
        "symbol": one.name,
        "existing": {
            "file": escape_undecodable(one.existing_path),
            "line": one.existing_line,
            "end_line": one.existing_end_line,
            "symbol": one.existing_name,
            "exported": one.is_exported,
        },
        "kind": one.kind.value,
        "similarity": one.similarity,
    }


def _contract(surface: Surface) -> dict[str, Any]:
    """Return the changes of published surfaces; no key if there are none and everything was compared."""
    if not surface.changes and not surface.not_compared:
        return {}
    missing = [{"kind": one.kind.value, "reason": one.reason} for one in surface.not_compared]
    return {
        "contract": {
            "breaking": len(surface.breaking),
            "unannounced": len(surface.unannounced),
            "surface": [_surface_change(one) for one in surface.changes],
            **({"not_compared": missing} if missing else {}),
            **({"omitted": surface.omitted} if surface.omitted else {}),
        }
    }


def _surface_change(one: SurfaceChange) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "file": one.path,
        "line": one.line,
        "name": one.name,
        "change": one.detail,
        "breaking": one.is_breaking,
        "announced_by": one.announced_by,
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
        **({"reasons": [escape_undecodable(one) for one in signal.reasons]} if signal.reasons else {}),
        **({"derivation": _derivation(signal)} if signal.derivation else {}),
    }


def _derivation(signal: Signal) -> dict[str, Any]:
    return {
        "claims": [
            {"text": one.text, "confidence": one.confidence, "counts": one.counts}
            | {"sources": [msgspec.to_builtins(source) for source in one.sources]}
            for one in signal.claims
        ],
        "lines": [escape_undecodable(line) for line in signal.derivation],
    }


def _finding(finding: Finding) -> dict[str, Any]:
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
        **_place(finding.span),
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
        "url": finding.url,
    }


def _estimate(estimate: Estimate | None) -> dict[str, Any]:
    """Return the probabilities of the judge, and what it changed."""
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
        **_place(edit.span),
        "replacement": escape_undecodable(edit.replacement),
    }


def _place(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
