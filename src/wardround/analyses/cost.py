"""The cost of a change: functions on hot paths that become more complex, and large additions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from wardround.analyses.analysis import Analysis, ReportLine, note_values
from wardround.analyses.note_texts import shorten_names
from wardround.context.cost_notes import CostNotes, GrowthNote, WeightNote
from wardround.context.document import ContextDocument
from wardround.findings import Plane

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView


class Cost(Analysis[CostNotes]):
    """Code that the change makes slower, and files that it makes larger."""

    name = "cost"
    plane = Plane.PERF
    notes_type = CostNotes

    def analyse(self, view: ChangeView) -> CostNotes:
        from wardround.context.weights import weights_of
        from wardround.semantics.growth import growth_of  # loads grammars: 15 ms

        source = view.git_source
        growth = growth_of(source, view.change, view.read, view.graph_limit) if source else ()
        return CostNotes(growth, weights_of(view.change, view.review.source.content, view.read))

    def sample(self) -> CostNotes:
        return CostNotes(
            (GrowthNote("src/app.py", 1, 2, "total", "loops", 1, 2, 3, "request"),),
            (WeightNote("logo.png", 1, "large-file", "logo.png", 1_000_000),),
        )

    def variables(self, notes: CostNotes, context: ContextDocument) -> Mapping[str, Any]:
        return {
            "growth": [note_values(note) for note in notes.growth],
            "weights": [note_values(note) for note in notes.weights],
        }

    def lines(self, notes: CostNotes, context: ContextDocument) -> Iterator[ReportLine]:
        if notes.growth:
            grown = [f"{note.file}:{note.line} {note.name}: {_growth(note)}" for note in notes.growth]
            yield ReportLine(shorten_names(grown), "hot path: ")
        if notes.weights:
            yield ReportLine(shorten_names([_format_weight(note) for note in notes.weights]), "weight: ")

    def derivation(self, notes: CostNotes) -> Iterator[str]:
        for growth in notes.growth:
            yield f"{growth.file}:{growth.line}: {_growth(growth)}"
        for weight in notes.weights:
            yield _format_weight(weight)


def _growth(note: GrowthNote) -> str:
    return f"{note.kind} {note.base} -> {note.head} ({note.path})"


def _format_weight(note: WeightNote) -> str:
    return f"{note.file}:{note.line}: {note.kind} {note.name}"
