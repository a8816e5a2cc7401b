"""A configured endpoint in one role: it answers questions of one kind, each recorded in the sequence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from wardround.authoring.sequence import Effects
from wardround.config.language_model import EndpointSettings
from wardround.errors import WardroundError
from wardround.planes.language_model.completion import Completion
from wardround.planes.language_model.endpoint import Endpoint, EndpointError
from wardround.planes.language_model.parameters import (
    ALL_PARAMETERS,
    MOST_PROBABLE,
    AcceptedParameters,
    Sampling,
)
from wardround.planes.language_model.pass_exchange import answer_content
from wardround.planes.language_model.prompts import PromptPart
from wardround.planes.language_model.question import request_body
from wardround.planes.language_model.sender import Sender


class ExchangeFailed(WardroundError):
    """An endpoint returned nothing that a step can use, and the run can be resumed later."""


class PromptRequested(WardroundError):
    """The next request is to be shown, and not sent.

    Attributes:
        body: the body of the request.
    """

    def __init__(self, body: bytes) -> None:
        super().__init__("the request is shown and not sent")
        self.body = body


class Answer(msgspec.Struct, frozen=True):
    """The answer to one question.

    Attributes:
        problem: the reason why it is incomplete; empty if it is complete.
    """

    text: str
    problem: str = ""
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


class TokenBudget:
    """The tokens that all exchanges of one run may use together.

    Attributes:
        requests: the number of answers so far.
        prompt_tokens, completion_tokens: their tokens.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self.requests = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def require_room(self) -> None:
        """Reject a further request.

        Raises:
            ExchangeFailed: the tokens are used up.
        """
        used = self.prompt_tokens + self.completion_tokens
        if self._most is not None and used >= self._most:
            raise ExchangeFailed(f"the budget of {self._most} tokens is used up; raise --most-tokens")

    def add(self, answer: Answer) -> None:
        """Count the tokens of an answer."""
        self.requests += 1
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens


class Role:
    """One role of an endpoint.

    Args:
        name: that of the prompt, such as ``author``; also the step in the sequence.
        redact: removes secrets from a text.
        is_shown: requests are shown and not sent.
    """

    def __init__(
        self,
        name: str,
        prompt: PromptPart,
        settings: EndpointSettings,
        endpoint: Endpoint,
        effects: Effects,
        redact: Callable[[str], str],
        budget: TokenBudget,
        *,
        is_shown: bool = False,
    ) -> None:
        self._name = name
        self._prompt = prompt
        self._settings = settings
        self._endpoint = endpoint
        self._effects = effects
        self._redact = redact
        self._budget = budget
        self._is_shown = is_shown

    @property
    def input_characters(self) -> int:
        """The characters for an input: the budget of the endpoint without the prompt and the schema."""
        fixed = len(self._prompt.text) + len(msgspec.json.encode(self._prompt.schema))
        return max(0, self._settings.input_tokens * 4 - fixed)

    async def ask(self, content: object, problem: str = "", sampling: Sampling = MOST_PROBABLE) -> Answer:
        """Return the answer to a question.

        Args:
            content: the input; secrets in its texts are removed.
            problem: the reason why the previous answer to it cannot be used.
            sampling: the input of another sample differs, too: recorded answers are found by it.

        Raises:
            ExchangeFailed: the endpoint returns none; a resumed run sends the question again.
        """
        clean = _without_secrets(msgspec.to_builtins(content), self._redact)
        request = (self._settings.model, self._prompt.digest, clean, problem)

        async def send() -> Answer:
            return await self._send(lambda accepted: self._body(clean, accepted, problem, sampling))

        answer = await self._effects.run(self._name, request, Answer, send)
        self._budget.add(answer)
        return answer

    def _body(self, content: object, accepted: AcceptedParameters, problem: str, sampling: Sampling) -> bytes:
        name = f"wardround_{self._name}"
        return request_body(name, self._prompt, content, self._settings, accepted, problem, sampling)

    async def _send(self, body: Callable[[AcceptedParameters], bytes]) -> Answer:
        if self._is_shown:
            raise PromptRequested(body(ALL_PARAMETERS))
        self._budget.require_room()
        deadline = asyncio.get_running_loop().time() + self._settings.timeout
        try:
            async with self._endpoint.slot(), asyncio.timeout_at(deadline):
                sender = Sender(self._endpoint, deadline, lambda body, refused: None)
                reply = await sender.send(body)
        except TimeoutError:
            reason = f"timed out after {self._settings.timeout:g} s"
        except EndpointError as cause:
            reason = str(cause)
        else:
            return _answer_of(reply.completion, self._redact)
        raise ExchangeFailed(f"{self._name}: {reason}")


def _answer_of(completion: Completion, redact: Callable[[str], str]) -> Answer:
    if not completion.choices:
        return Answer("", "the answer has no choices")
    text, problem = answer_content(completion.choices[0])
    usage = completion.usage
    counts = (0, 0) if usage is None else (usage.prompt_tokens, usage.completion_tokens)
    prompt, answer = (max(0, min(count, 2**31)) for count in counts)
    return Answer(redact(text), problem, redact(completion.model or "")[:200], prompt, answer)


def _without_secrets(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: _without_secrets(part, redact) for key, part in value.items()}
    if isinstance(value, Sequence):
        return [_without_secrets(part, redact) for part in value]
    return value
