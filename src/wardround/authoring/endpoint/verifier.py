"""The verifier: a language model that judges a patch by instructions and evidence of its own."""

from __future__ import annotations

from typing import Any

import msgspec

from wardround.authoring.endpoint.author import ShownTest
from wardround.authoring.endpoint.roles import Role
from wardround.planes.language_model.answer_text import documents_in


class ShownDifference(msgspec.Struct, frozen=True):
    """A call whose result the patch alters."""

    call: str
    before: str
    after: str


class VerifierInput(msgspec.Struct, frozen=True):
    """The input of the verifier's prompt."""

    task: str
    constraints: tuple[str, ...]
    failing_tests: tuple[ShownTest, ...]
    patch: str
    context: str
    behaviour: tuple[ShownDifference, ...] = ()


class Problem(msgspec.Struct, frozen=True):
    """A reason not to merge a patch; the quote is a line of the patch or of its context."""

    quote: str
    reason: str


class Judgement(msgspec.Struct, frozen=True):
    """The verdict of a verifier.

    Attributes:
        agrees: None if it gave no usable answer.
    """

    agrees: bool | None
    problems: tuple[Problem, ...] = ()


_UNUSABLE = "it has no JSON document of the form above"


async def judge(role: Role, content: VerifierInput) -> Judgement:
    """Return the verdict on a patch; problems that quote nothing are left out.

    Raises:
        ExchangeFailed: the endpoint does not answer.
    """
    problem = ""
    for _ in range(2):
        answer = await role.ask(content, problem)
        found = None if answer.problem else _decode(answer.text)
        if found is not None:
            return _with_quotes(found, f"{content.patch}\n{content.context}")
        problem = answer.problem or _UNUSABLE
    return Judgement(None)


def _decode(text: str) -> Judgement | None:
    for document in reversed(list(documents_in(text))):
        if _is_judgement(document):
            try:
                return msgspec.convert(document, Judgement)
            except msgspec.ValidationError:
                continue
    return None


def _is_judgement(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("agrees"), bool)


def _with_quotes(judgement: Judgement, shown: str) -> Judgement:
    quoted = tuple(item for item in judgement.problems if item.quote.strip() and item.quote.strip() in shown)
    return Judgement(judgement.agrees, quoted)
