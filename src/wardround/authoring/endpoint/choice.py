"""The choice among candidates by a language model."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from wardround.authoring.endpoint.conversation import NO_DOCUMENT, Conversation
from wardround.authoring.endpoint.patch_answer import UnusableAnswer
from wardround.authoring.endpoint.roles import Answer, Role
from wardround.planes.language_model.answer_text import documents_in


class ChoiceInput(msgspec.Struct, frozen=True):
    """The input of the prompt for a localization.

    Attributes:
        kind: the kind of the candidates, in the plural.
        candidates: each begins with its name, which a space ends.
    """

    task: str
    kind: str
    candidates: tuple[str, ...]


class _Choice(msgspec.Struct, frozen=True):
    chosen: tuple[str, ...]


async def choose(role: Role, content: ChoiceInput) -> list[str]:
    """Return the chosen candidates, the most probable first; none if no answer can be used.

    Names of no candidate are left out.

    Raises:
        ExchangeFailed: the endpoint does not answer.
    """
    found = await Conversation(role).ask(content, _decode)
    return [] if found is None else _candidates(found, content)


def _decode(answer: Answer) -> _Choice:
    for document in reversed(list(documents_in(answer.text))):
        with suppress(msgspec.ValidationError):
            return msgspec.convert(document, _Choice)
    raise UnusableAnswer(NO_DOCUMENT)


def _candidates(choice: _Choice, content: ChoiceInput) -> list[str]:
    by_name = {_name(candidate): candidate for candidate in content.candidates}
    names = dict.fromkeys(map(_name, choice.chosen))
    return [by_name[name] for name in names if name in by_name]


def _name(candidate: str) -> str:
    return candidate.partition(" ")[0]
