"""The choice among candidates by a language model."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from wardround.authoring.endpoint.roles import Role
from wardround.planes.language_model.answer_text import documents_in

_UNUSABLE = "it has no JSON document of the form above"


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
    problem = ""
    for _ in range(2):
        answer = await role.ask(content, problem)
        found = None if answer.problem else _decode(answer.text)
        if found is not None:
            return _candidates(found, content)
        problem = answer.problem or _UNUSABLE
    return []


def _decode(text: str) -> _Choice | None:
    for document in reversed(list(documents_in(text))):
        with suppress(msgspec.ValidationError):
            return msgspec.convert(document, _Choice)
    return None


def _candidates(choice: _Choice, content: ChoiceInput) -> list[str]:
    by_name = {_name(candidate): candidate for candidate in content.candidates}
    names = dict.fromkeys(map(_name, choice.chosen))
    return [by_name[name] for name in names if name in by_name]


def _name(candidate: str) -> str:
    return candidate.partition(" ")[0]
