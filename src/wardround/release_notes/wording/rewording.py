"""Other words for the statements of release notes by a language model, within their facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from wardround.authoring.endpoint.conversation import Conversation
from wardround.authoring.endpoint.patch_answer import decode_document
from wardround.authoring.endpoint.roles import Answer, Role
from wardround.release_notes.model import NoteKind, ReleaseNotes, Statement
from wardround.release_notes.wording.fact_check import violation

NAME = "editor"
_LONGEST_EVIDENCE = 1_200
_TOGETHER = 30


class ShownStatement(msgspec.Struct, frozen=True):
    """A statement as the model sees it; ``evidence`` has a text for each commit and form."""

    number: int
    kind: str
    text: str
    evidence: tuple[str, ...]


class RewordingInput(msgspec.Struct, frozen=True):
    """The input of the prompt."""

    statements: tuple[ShownStatement, ...]


class Wording(msgspec.Struct, frozen=True):
    """Another wording of the statement with a number."""

    number: int
    text: str


class RewordingAnswer(msgspec.Struct, frozen=True):
    """The answer."""

    statements: tuple[Wording, ...]


class RejectedWording(msgspec.Struct, frozen=True):
    """A wording that the facts of its statement do not cover, with the reason."""

    statement: str
    wording: str
    reason: str


class RewordedNotes(msgspec.Struct, frozen=True):
    """Notes with other words.

    Attributes:
        reworded: the number of statements with other words.
        rejected: wordings that were not used.
        unanswered: the number of statements whose answer could not be used.
    """

    notes: ReleaseNotes
    reworded: int
    rejected: tuple[RejectedWording, ...]
    unanswered: int = 0


async def reword(notes: ReleaseNotes, role: Role) -> RewordedNotes:
    """Return the notes with the wordings of a model that state the same facts.

    Internal changes, which are folded, are not sent.

    Raises:
        ExchangeFailed: the endpoint does not answer.
    """
    shown = _shown_statements(notes)
    wordings = dict[int, str]()
    unanswered = 0
    for batch in _batches(shown, role.input_characters):
        answer = await Conversation(role).ask(RewordingInput(tuple(batch)), _decode)
        unanswered += len(batch) if answer is None else 0
        numbers = {statement.number for statement in batch}
        for wording in () if answer is None else answer.statements:
            if wording.number in numbers:
                wordings.setdefault(wording.number, wording.text.strip().rstrip("."))
    return _with_wordings(notes, {statement.number: statement for statement in shown}, wordings, unanswered)


def evidence_of(statement: Statement, messages: dict[str, str]) -> tuple[str, ...]:
    """Return the texts that state the facts of a statement.

    Args:
        messages: the full name of a commit -> its message.
    """
    texts = [messages[commit] for commit in statement.commits if commit in messages]
    form = statement.breaking
    if form is not None:
        texts += [text for text in (form.symbol, form.old, form.new, form.migration) if text]
    return tuple(text[:_LONGEST_EVIDENCE] for text in (*texts, *statement.references))


def _shown_statements(notes: ReleaseNotes) -> list[ShownStatement]:
    messages = {commit.id: f"{commit.subject}\n\n{commit.body}".strip() for commit in notes.commits}
    return [
        ShownStatement(number, statement.kind, statement.text, evidence_of(statement, messages))
        for number, statement in enumerate(notes.statements)
        if statement.kind is not NoteKind.INTERNAL
    ]


def _batches(statements: Sequence[ShownStatement], characters: int) -> Iterator[list[ShownStatement]]:
    """Yield the statements in parts that an input has room for; one that is too long is alone."""
    batch: list[ShownStatement] = []
    used = 0
    for statement in statements:
        size = len(msgspec.json.encode(statement))
        if batch and (used + size > characters or len(batch) == _TOGETHER):
            yield batch
            batch, used = [], 0
        batch.append(statement)
        used += size
    if batch:
        yield batch


def _decode(answer: Answer) -> RewordingAnswer:
    return decode_document(answer.text, RewordingAnswer, "statements")


def _with_wordings(
    notes: ReleaseNotes, shown: dict[int, ShownStatement], wordings: dict[int, str], unanswered: int
) -> RewordedNotes:
    statements = list(notes.statements)
    rejected = []
    reworded = 0
    for number, wording in sorted(wordings.items()):
        statement = statements[number]
        if wording == statement.text:
            continue
        reason = violation(statement.text, wording, "\n".join(shown[number].evidence))
        if reason:
            rejected.append(RejectedWording(statement.text, wording, reason))
        else:
            statements[number] = msgspec.structs.replace(statement, text=wording)
            reworded += 1
    changed = msgspec.structs.replace(notes, statements=tuple(statements))
    return RewordedNotes(changed, reworded, tuple(rejected), unanswered)
