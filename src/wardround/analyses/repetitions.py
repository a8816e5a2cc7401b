"""The added functions that repeat an existing one of the repository."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from wardround.analyses.analysis import Analysis, ReportLine
from wardround.context.code_graph.symbol_moves import adds_definitions
from wardround.context.document import ContextDocument
from wardround.context.repetition import Repetition, RepetitionKind
from wardround.findings import Plane
from wardround.storage.digest import digest_key

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView

RULE = "wardround/repetition"
"""The id of the notes in formats that require one; it is not a rule that a configuration can name."""
RATIONALE = (
    "An added function repeats an existing one of the repository, so that a later fix has to be made twice."
)
FoundRepetitions = tuple[Repetition, ...]


class RepetitionNote(msgspec.Struct, frozen=True):
    """A note about an added function; lines are 1-based and inclusive.

    Attributes:
        fingerprint: the identity of the note across line moves.
    """

    path: str
    line: int
    end_line: int
    message: str
    fingerprint: str


class Repetitions(Analysis[FoundRepetitions]):
    """The functions that the change repeats instead of calling them."""

    name = "repetitions"
    plane = Plane.SEMANTIC
    notes_type = FoundRepetitions

    def analyse(self, view: ChangeView) -> FoundRepetitions:
        source = view.git_source
        if source is None or not adds_definitions(view.change, view.read):
            return ()
        from wardround.context.code_graph.base_repetitions import repetitions_of  # loads grammars: 15 ms

        return repetitions_of(
            source, view.change, view.read, view.code.moves, view.graph_limit, view.base_embedder
        )

    def lines(self, notes: FoundRepetitions, context: ContextDocument) -> Iterator[ReportLine]:
        for note in repetition_notes(notes):
            yield ReportLine(f"{note.path}:{note.line} {note.message}", "note: ")

    def models(self, notes: FoundRepetitions, view: ChangeView) -> Iterator[tuple[str, str]]:
        is_by_model = any(repetition.kind is RepetitionKind.MEANING for repetition in notes)
        if is_by_model and view.base_embedder is not None:
            yield "model base", view.base_embedder.version


def repetition_notes(repetitions: FoundRepetitions) -> Iterator[RepetitionNote]:
    """Yield the notes about the repetitions that reports for people show."""
    for repetition in repetitions:
        if repetition.is_shown:
            yield _note(repetition)


def _note(found: Repetition) -> RepetitionNote:
    location = f"{found.existing_path}:{found.existing_line}"
    message = f"`{found.name}` repeats {location} `{found.existing_name}`: {_reuse(found)}"
    key = digest_key(RULE, found.path, found.name, found.existing_path, found.existing_name)
    return RepetitionNote(found.path, found.line, found.end_line, message, key.hex()[:16])


def _reuse(found: Repetition) -> str:
    """Return the way to use the existing function."""
    if found.path == found.existing_path:
        return "call it"
    return "import it" if found.is_exported else "make it public and import it"
