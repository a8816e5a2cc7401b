"""The exchange of one plane: at most one retry, and a usable answer or the reason why there is none."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Protocol

import msgspec
from msgspec.structs import replace

from wardround.config.language_model import LanguageModelSettings
from wardround.context.canonical import content_id
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import RawFinding
from wardround.planes.evidence import Exchange, TokenUsage
from wardround.planes.language_model.answer import (
    Answer,
    UnusableAnswer,
    Verified,
    decode_answer,
    read_claims,
    verify,
)
from wardround.planes.language_model.client import (
    Choice,
    Completion,
    EndpointError,
    RequestRefused,
    Usage,
    decode_completion,
)
from wardround.planes.language_model.parameters import AcceptedParameters
from wardround.planes.language_model.question import Question
from wardround.text.escaping import one_line
from wardround.text.redaction import beginning

_LONGEST_ANSWER = 20_000
_LONGEST_NAME = 200
_UNFOUNDED = "none of the findings in the answer quotes a changed line"
CANCELLED = "the review was cancelled"


class Endpoint(Protocol):
    """The endpoint of a language model."""

    async def post(self, body: bytes) -> bytes:
        """Return the body of a successful response; raise ``EndpointError`` for anything else."""


class PlaneAnswer(msgspec.Struct, frozen=True):
    """The findings of a language model for one plane, and the exchange for the record.

    An answer that is cut off can have findings and a problem.
    """

    exchange: Exchange
    findings: tuple[RawFinding, ...] = ()


class ExchangeRunner:
    """Runs the exchanges of planes with a model.

    Args:
        redact: removes secrets from a text.
        text_of: path -> the text at the head.
    """

    def __init__(
        self,
        settings: LanguageModelSettings,
        redact: Callable[[str], str],
        text_of: Callable[[str], str | None],
    ) -> None:
        self._settings = settings
        self._redact = redact
        self._text_of = text_of

    async def run(self, question: Question, endpoint: Endpoint) -> PlaneAnswer:
        """Return the answer to a question, or the exchange with the reason why there is none."""
        progress = _Progress(question, self._settings, self._redact)
        try:
            async with asyncio.timeout(self._settings.timeout):
                answer, problem = await progress.run(endpoint, partial(self._verified, question))
            return progress.answered(self._verified(question, answer), problem)
        except TimeoutError:
            return progress.failed(f"timed out after {self._settings.timeout:g} s")
        except asyncio.CancelledError:
            return progress.failed(CANCELLED)
        except EndpointError as cause:
            return progress.failed(str(cause))
        except PLUGIN_EXCEPTIONS as error:  # a defect in one exchange affects no other
            return progress.failed(f"it failed with {type(error).__name__}")

    def _verified(self, question: Question, answer: Answer) -> Verified:
        return verify(answer, question.plane, question.hunks, self._settings, self._redact, self._text_of)

    def not_sent(self, question: Question, problem: str) -> PlaneAnswer:
        """Return the exchange of a question that was not sent."""
        return _Progress(question, self._settings, self._redact).failed(problem)


def _unfounded(answer: Answer, verified: Callable[[Answer], Verified]) -> str:
    """Return the reason why no claim of an answer can be used; empty if one can, or if it claims nothing."""
    return _UNFOUNDED if answer.claims and not verified(answer).findings else ""


class _Progress:
    """The requests and responses of one exchange so far."""

    def __init__(
        self, question: Question, settings: LanguageModelSettings, redact: Callable[[str], str]
    ) -> None:
        self._question = question
        self._settings = settings
        self._redact = redact
        self._accepted = AcceptedParameters()
        self._exchange = Exchange(
            question.plane,
            question.prompt.digest,
            settings.model,
            settings.seed,
            omitted_hunks=question.omitted,
        )

    def failed(self, problem: str) -> PlaneAnswer:
        return PlaneAnswer(replace(self._exchange, problem=problem))

    def answered(self, verified: Verified, problem: str) -> PlaneAnswer:
        exchange = replace(
            self._exchange,
            findings=len(verified.findings),
            discarded=verified.discarded,
            problem=problem,
        )
        return PlaneAnswer(exchange, verified.findings)

    async def run(self, endpoint: Endpoint, verified: Callable[[Answer], Verified]) -> tuple[Answer, str]:
        """Send the question, and once more after a failure that may pass or an unusable answer.

        Args:
            verified: returns the claims that quote the change. An answer with others alone is unusable.

        Returns:
            The claims of all answers, and the reason why the last one is not complete; empty if it is.
        """
        first = await self._first(endpoint)
        answer, problem = (Answer(), "") if first is None else first
        problem = problem or _unfounded(answer, verified)
        if first is not None and not problem:
            return answer, ""
        answer, problem = await self._last(endpoint, answer, problem)
        return answer, problem or _unfounded(answer, verified)

    async def _first(self, endpoint: Endpoint) -> tuple[Answer, str] | None:
        """Return the first answer, or None after a failure that may have passed."""
        try:
            return await self._attempt(endpoint, "")
        except EndpointError as cause:
            if cause.retry_after is None:
                raise
            await asyncio.sleep(cause.retry_after)
            return None

    async def _last(self, endpoint: Endpoint, before: Answer, problem: str) -> tuple[Answer, str]:
        """Return the last answer with the claims of the one before, which a retry does not take back."""
        answer, rest = await self._attempt(endpoint, problem)
        discarded = Counter(before.discarded) + Counter(answer.discarded)
        return Answer((*before.claims, *answer.claims), dict(discarded)), rest

    async def _attempt(self, endpoint: Endpoint, problem: str) -> tuple[Answer, str]:
        """Return the claims of an answer, and the reason why it is not complete; empty if it is."""
        completion = decode_completion(await self._send(endpoint, problem))
        try:
            return self._decoded(self._noted(completion)), ""
        except UnusableAnswer as cause:
            return cause.answer, str(cause)

    def _decoded(self, choice: Choice) -> Answer:
        content, problem = _content(choice)
        prompt = self._question.prompt
        if problem:
            raise UnusableAnswer(problem, read_claims(content, prompt))
        return decode_answer(content, prompt)

    async def _send(self, endpoint: Endpoint, problem: str) -> bytes:
        """Send a request, and again without each parameter that the endpoint refuses."""
        while True:
            try:
                return await self._post(endpoint, problem)
            except RequestRefused as cause:
                accepted = self._accepted.without(cause.named)
                if accepted is None:
                    raise
                self._accepted = accepted

    async def _post(self, endpoint: Endpoint, problem: str) -> bytes:
        body = self._question.body(self._settings, self._accepted, problem)
        self._exchange = replace(
            self._exchange,
            requests=(*self._exchange.requests, content_id(body)),
            refused=self._accepted.refused,
        )
        return await endpoint.post(body)

    def _noted(self, completion: Completion) -> Choice:
        """Return the first choice, and keep what the record needs of it."""
        if not completion.choices:
            raise UnusableAnswer("the answer has no choices")
        choice = completion.choices[0]
        usage = completion.usage
        text = choice.message.content or choice.message.refusal or ""
        self._exchange = replace(
            self._exchange,
            served_model=self._name(completion.model),
            finish_reason=self._name(choice.finish_reason),
            usage=TokenUsage() if usage is None else _bounded(usage),
            answer=self._redact(beginning(text, _LONGEST_ANSWER)),
            answer_digest=content_id(text.encode("utf-8", "surrogatepass")),
        )
        return choice

    def _name(self, text: str | None) -> str:
        return one_line(self._redact(beginning(text or "", _LONGEST_NAME)))


def _bounded(usage: Usage) -> TokenUsage:
    """Return numbers that a record can have, whatever the endpoint counts."""
    prompt, completion = (max(0, min(n, 2**31)) for n in (usage.prompt_tokens, usage.completion_tokens))
    return TokenUsage(prompt, completion)


def _content(choice: Choice) -> tuple[str, str]:
    """Return the text of an answer, and the reason why it is not complete; empty if it is."""
    content = choice.message.content or ""
    if choice.message.refusal:
        return "", "the model refused"
    if choice.finish_reason == "length":
        return content, "the answer is cut off; raise language-model.max-tokens"
    if choice.finish_reason == "content_filter":
        return content, "the answer was filtered"
    return content, "" if content else "the answer is empty"
