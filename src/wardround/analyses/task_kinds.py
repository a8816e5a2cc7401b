"""The kind of task that the messages of a change and its ticket state: by a prefix, or by a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.analyses.analysis import EVERY_PROFILE, Analysis, ReportLine
from wardround.context.document import ContextDocument
from wardround.errors import ModelError
from wardround.findings import Plane
from wardround.text.escaping import one_line
from wardround.text.task_kinds import kind_of_prefix
from wardround.text.task_text import task_text

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView
    from wardround.inference.api import Classifier

MODEL = "task_kind"
"""The model that states the kind of a text without a prefix."""
MESSAGE, TICKET = "message", "ticket"
_LONGEST_TITLE = 72
_DECIMALS = 3
_MOST_TEXTS = 200
"""The messages that a view has, with room for the ticket."""


class TaskKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kind that a text states.

    Attributes:
        source: ``message`` or ``ticket``.
        title: the first line of the text.
        kind: one of ``text.task_kinds.KINDS``.
        probability: that of the model; None if a conventional prefix states the kind.
    """

    source: str
    title: str
    kind: str
    probability: float | None = None


class TaskKindNotes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kinds of the texts about a change.

    Attributes:
        stated: the texts that state a kind: the messages, newest first, and the ticket.
        problem: the reason why the model could not be used; empty if there is none.
    """

    stated: tuple[TaskKind, ...] = ()
    problem: str = ""


class TaskKinds(Analysis[TaskKindNotes]):
    """The kinds that the messages and the ticket state; texts that state none have no note.

    The model is requested for texts without a prefix, and states a kind only above its threshold.
    """

    name = "task_kinds"
    plane = Plane.INTENT
    profiles = EVERY_PROFILE
    notes_type = TaskKindNotes
    model_names = (MODEL,)

    def analyse(self, view: ChangeView) -> TaskKindNotes:
        texts = list(_message_texts(view))
        if all(kind_of_prefix(text.title) for text in texts):
            return TaskKindNotes(_kinds_of(texts, None))
        with view.models(self.model_names, _MOST_TEXTS) as models:
            stated = _kinds_of(texts, models.classifier(MODEL))
        return TaskKindNotes(stated, view.model_problems.get(MODEL, ""))

    def sample(self) -> TaskKindNotes:
        return TaskKindNotes((TaskKind(MESSAGE, "Handle empty rows", "bug", 0.9),))

    def variables(self, notes: TaskKindNotes, context: ContextDocument) -> Mapping[str, Any]:
        kinds = sorted({text.kind for text in _of(notes, MESSAGE)})
        ticket = next((text.kind for text in _of(notes, TICKET)), "")
        return {
            "intent": {"kind": kinds[0] if len(kinds) == 1 else "", "kinds": kinds, "ticket_kind": ticket}
        }

    def lines(self, notes: TaskKindNotes, context: ContextDocument) -> Iterator[ReportLine]:
        for source in (MESSAGE, TICKET):
            stated = _of(notes, source)
            if any(text.probability is not None for text in stated):
                yield ReportLine(_summary(stated), f"kind of the {source}: ")
        if notes.problem:
            yield ReportLine(f"model {MODEL} cannot be used: {notes.problem}", "note: ")

    def derivation(self, notes: TaskKindNotes) -> Iterator[str]:
        for text in notes.stated:
            by = "its prefix" if text.probability is None else f"a model, probability {text.probability:.2f}"
            yield f"{text.source} {text.title!r} states {text.kind}, by {by}"

    def models(self, notes: TaskKindNotes, view: ChangeView) -> Iterator[tuple[str, str]]:
        if any(text.probability is not None for text in notes.stated):
            yield from view.model_versions.items()


def _of(notes: TaskKindNotes, source: str) -> list[TaskKind]:
    return [text for text in notes.stated if text.source == source]


class _Text(msgspec.Struct, frozen=True):
    source: str
    title: str
    body: str


def _message_texts(view: ChangeView) -> Iterator[_Text]:
    for message in view.messages:
        title, _, body = message.strip().partition("\n")
        yield _Text(MESSAGE, title, body)
    ticket = view.review.request.ticket
    if ticket is not None:
        yield _Text(TICKET, ticket.title, ticket.description)


def _kinds_of(texts: Iterable[_Text], model: Classifier | None) -> tuple[TaskKind, ...]:
    return tuple(found for text in texts if (found := _note(text, model)) is not None)


def _note(text: _Text, model: Classifier | None) -> TaskKind | None:
    title = one_line(text.title)[:_LONGEST_TITLE]
    stated = kind_of_prefix(text.title)
    if stated:
        return TaskKind(text.source, title, stated)
    found = None if model is None else _classify_by_model(model, task_text(text.title, text.body))
    return None if found is None else TaskKind(text.source, title, *found)


def _classify_by_model(model: Classifier, text: str) -> tuple[str, float] | None:
    """Return the most probable kind from the threshold on; None below it, and if the model fails."""
    if not text:
        return None
    try:
        probabilities = model.probabilities(text)
    except ModelError:
        return None
    kind = max(probabilities, key=lambda name: probabilities[name])
    probability = round(probabilities[kind], _DECIMALS)
    return (kind, probability) if probability >= model.threshold else None


def _summary(stated: Sequence[TaskKind]) -> str:
    """Return the kinds of texts, the most frequent first; a single text has its probability."""
    if len(stated) == 1 and stated[0].probability is not None:
        return f"{stated[0].kind} (probability {stated[0].probability:.2f})"
    counts = Counter(note.kind for note in stated)
    return ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
