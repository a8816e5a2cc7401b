"""The JSON report, ``wardround.report/1``, for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from wardround import __version__
from wardround.change.encoding import escape_undecodable
from wardround.context.repetition import Repetition
from wardround.context.surface.model import Surface, SurfaceChange
from wardround.context.symbol_moves import SymbolMove
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.context.ticket.model import Ticket
from wardround.findings import Edit, Finding, Span
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.intent_notes import CompanionNote, IntentNotes
from wardround.planes.signal import Signal
from wardround.policy.verdict import Verdict
from wardround.reports.change_tests import change_tests_dict
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
    context, moves = review.context, review.conclusion.evidence.moves
    ticket = review.conclusion.context.ticket
    repetitions = review.conclusion.evidence.repetitions
    neighbours = review.conclusion.evidence.neighbours
    tests = change_tests_dict(review.conclusion.evidence.tests)
    cost = msgspec.to_builtins(review.conclusion.evidence.cost)
    boundaries = msgspec.to_builtins(review.conclusion.evidence.boundaries)
    return {
        "schema": SCHEMA,
        "tool": {"name": "wardround", "version": __version__},
        "context": {
            "id": context.id,
            "base": context.change.base,
            "target": context.change.target,
            "head": context.change.head,
            "files": len(context.change.files),
            "hunks": context.hunks,
            "added_lines": context.added_lines,
            **({"moves": [_move(move) for move in moves]} if moves else {}),
            **({"symbols": [_symbol(one) for one in neighbours]} if neighbours else {}),
        },
        "gate": {
            "outcome": review.gate.outcome.value,
            "fail_level": review.gate.fail_level,
            "reasons": [escape_undecodable(reason) for reason in review.gate.reasons],
        },
        "verdict": _verdict(review.conclusion.verdict),
        "signals": [_signal(signal) for signal in review.conclusion.signals],
        **({} if ticket is None else {"ticket": _ticket(ticket, review.conclusion.evidence.criteria)}),
        **_intent(review.conclusion.evidence.intent),
        **({"tests": tests} if tests else {}),
        **{name: notes for name, notes in cost.items() if notes},
        **({"trust_boundaries": boundaries} if boundaries else {}),
        **_supply_chain(review.conclusion.evidence.supply_chain),
        "findings": [_finding(finding) for finding in review.visible],
        "held_back": review.filtered_count,
        "unreviewed": [
            {
                "file": escape_undecodable(u.file),
                "specialist": u.specialist,
                "tool": u.tool,
                "reason": escape_undecodable(u.reason),
            }
            for u in review.unreviewed
        ],
        **_related(review.conclusion.evidence.intent.related, repetitions),
        **_contract(review.conclusion.evidence.surface),
        **({"notes": [escape_undecodable(note) for note in review.notes]} if review.notes else {}),
        "runs": [
            {
                "tool": run.tool,
                "version": run.version,
                **({"digest": run.digest} if run.digest else {}),
                "files": run.files,
                "cached": run.cached,
                "seconds": round(run.seconds, 3),
            }
            for run in review.runs
        ],
        "timings": {"total_s": round(review.seconds, 3)},
    }


def _intent(intent: IntentNotes) -> dict[str, Any]:
    """Return the notes about the intent of the change; a kind without notes has no key."""
    kinds = {"scope": intent.scope, "kind": intent.kind}
    return {name: msgspec.to_builtins(notes) for name, notes in kinds.items() if notes}


def _related(companions: Sequence[CompanionNote], repetitions: Sequence[Repetition]) -> dict[str, Any]:
    """Return the files and functions to read with the change; a kind without entries has no key."""
    kinds = {
        "companions": msgspec.to_builtins(companions),
        "repetitions": [_repetition(one) for one in repetitions],
    }
    found = {name: entries for name, entries in kinds.items() if entries}
    return {"related": found} if found else {}


def _supply_chain(notes: SupplyChainNotes) -> dict[str, Any]:
    """Return the notes about the supply chain; a kind without notes has no key."""
    kinds = {"dependencies": notes.dependencies, "locks": notes.locks, "installs": notes.installs}
    found = {name: msgspec.to_builtins(listed) for name, listed in kinds.items() if listed}
    return {"supply_chain": found | ({"omitted": notes.omitted} if notes.omitted else {})} if found else {}


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
        "confidence": finding.confidence,
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
