"""A chat completion, in the part that a review reads."""

from __future__ import annotations

import msgspec

from wardround.planes.language_model.endpoint import TransientError

_REASONING_BEGINS, _REASONING_ENDS = "<think>", "</think>"


class Usage(msgspec.Struct, frozen=True):
    """The numbers of tokens."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Message(msgspec.Struct, frozen=True):
    """The message of a choice.

    Attributes:
        reasoning_content, reasoning: the model's reasoning before its answer; endpoints use either name.
    """

    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None

    @property
    def has_only_reasoning(self) -> bool:
        """True if the answer itself has not begun."""
        content = (self.content or "").strip()
        if not content:
            return bool(self.reasoning_content or self.reasoning)
        return content.startswith(_REASONING_BEGINS) and _REASONING_ENDS not in content


class Choice(msgspec.Struct, frozen=True):
    """One choice of a completion."""

    message: Message
    finish_reason: str | None = None


class Completion(msgspec.Struct, frozen=True):
    """A chat completion; fields that are not used here are not read."""

    choices: tuple[Choice, ...]
    model: str | None = None
    usage: Usage | None = None


def decode_completion(body: bytes) -> Completion:
    """Return the completion in a response.

    Raises:
        TransientError: it is not one.
    """
    try:
        return msgspec.json.decode(body, type=Completion)
    except (ValueError, RecursionError):
        raise TransientError("the response is not a chat completion") from None
