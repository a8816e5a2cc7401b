"""Evidence in a record: with a field for each built-in analysis, and one for those of plugins."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from wardround.analyses.registry import is_builtin_analysis, known_analyses, own_analyses
from wardround.planes.evidence import Evidence

_NOTES = "notes"


def evidence_values(evidence: Evidence) -> dict[str, Any]:
    """Return evidence as plain values; an analysis of ours that did not run has empty notes there."""
    values = msgspec.to_builtins(replace(evidence, notes={}))
    others = {name: notes for name, notes in evidence.notes.items() if not is_builtin_analysis(name)}
    own = {analysis.name: evidence.notes_of(type(analysis)) for analysis in own_analyses()}
    del values[_NOTES]
    plain: dict[str, Any] = values | msgspec.to_builtins(own)
    return plain | {_NOTES: msgspec.to_builtins(others)} if others else plain


def read_evidence(values: Any) -> Evidence:
    """Read evidence from plain values. The notes of an analysis that is not installed stay plain values.

    Raises:
        msgspec.ValidationError: a field is missing, unknown or of another form.
    """
    recorded = msgspec.convert({"evidence": values}, _predicate()).evidence
    fields = {name: getattr(recorded, name) for name in Evidence.__struct_fields__}
    own = {}
    for analysis in own_analyses():
        notes = getattr(recorded, analysis.name)
        if notes != analysis.no_notes():
            own[analysis.name] = notes
    return Evidence(**fields | {_NOTES: _plugin_notes(recorded.notes) | own})


def _plugin_notes(recorded: dict[str, Any]) -> dict[str, Any]:
    """Return the notes of the analyses of plugins, typed if they are installed."""
    types = {analysis.name: analysis.notes_type for analysis in known_analyses()}
    return {name: msgspec.convert(notes, types.get(name, Any)) for name, notes in recorded.items()}


@cache
def _predicate() -> Any:
    """Return the form of a predicate with evidence only, whose name is part of error messages."""
    fields: list[Any] = [
        (analysis.name, analysis.notes_type, msgspec.field(default_factory=analysis.no_notes))
        for analysis in own_analyses()
    ]
    evidence = msgspec.defstruct(
        "RecordedEvidence", fields, bases=(Evidence,), frozen=True, forbid_unknown_fields=True
    )
    return msgspec.defstruct("RecordedPredicate", [("evidence", evidence)])
