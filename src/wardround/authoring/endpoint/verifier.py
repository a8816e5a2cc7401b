"""The verifier: a language model that judges a patch by instructions and evidence of its own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec

from wardround.authoring.endpoint.author import ShownTest
from wardround.authoring.endpoint.conversation import NO_DOCUMENT, Conversation
from wardround.authoring.endpoint.patch_answer import UnusableAnswer
from wardround.authoring.endpoint.roles import Answer, Role
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


async def judge(role: Role, content: VerifierInput) -> Judgement:
    """Return the verdict on a patch; problems that quote nothing are left out.

    Raises:
        ExchangeFailed: the endpoint does not answer.
    """
    found = await Conversation(role).ask(content, _decode)
    return Judgement(None) if found is None else _with_quotes(found, f"{content.patch}\n{content.context}")


def _decode(answer: Answer) -> Judgement:
    for document in filter(_is_judgement, reversed(list(documents_in(answer.text)))):
        with suppress(msgspec.ValidationError):
            return msgspec.convert(document, Judgement)
    raise UnusableAnswer(NO_DOCUMENT)


def _is_judgement(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("agrees"), bool)


def _with_quotes(judgement: Judgement, shown: str) -> Judgement:
    quoted = tuple(item for item in judgement.problems if item.quote.strip() and item.quote.strip() in shown)
    return Judgement(judgement.agrees, quoted)
