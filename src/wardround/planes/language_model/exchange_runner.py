"""The exchanges of one plane: its claims, then their refutation; at most one retry each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, NamedTuple, Protocol, TypeVar, cast

import msgspec
from msgspec.structs import replace

from wardround.config.language_model import LanguageModelSettings
from wardround.context.canonical import content_id
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import RawFinding
from wardround.planes.evidence import Exchange, TokenUsage
from wardround.planes.language_model.answer import Answer, ClaimReader, UnusableAnswer, Verified, verify
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
from wardround.planes.language_model.refutation import RefutationInput, VerdictReader, refutation
from wardround.text.escaping import one_line
from wardround.text.redaction import beginning

_LONGEST_ANSWER = 20_000
_LONGEST_NAME = 200
CANCELLED = "the review was cancelled"
REFUTED = "refuted"
UNJUDGED = "without a verdict of the second pass"
"""The reasons for which a claim of the first pass is discarded after the second."""


class Endpoint(Protocol):
    """The endpoint of a language model."""

    async def post(self, body: bytes) -> bytes:
        """Return the body of a successful response; raise ``EndpointError`` for anything else."""


Content = TypeVar("Content")


class AnswerReader(Protocol[Content]):
    """Reads the answers to one kind of question."""

    def decode(self, content: str) -> Content:
        """Return the content of a complete answer; raise ``UnusableAnswer`` for anything else."""

    def read(self, content: str) -> Content:
        """Return the part of an incomplete answer that can be read."""

    def join(self, before: Content, after: Content) -> Content:
        """Return the content of an answer and of the one to a retry."""

    def objection(self, content: Content) -> str:
        """Return the reason why a complete answer cannot be used; empty if it can."""


class PlaneAnswer(msgspec.Struct, frozen=True):
    """The findings of a language model for one plane, and the exchanges for the record.

    An answer that is cut off can have findings and a problem.

    Attributes:
        refutation: the exchange of the second pass; None if the first one made no claim.
    """

    exchange: Exchange
    findings: tuple[RawFinding, ...] = ()
    refutation: Exchange | None = None

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Both exchanges, in their order."""
        return (self.exchange,) if self.refutation is None else (self.exchange, self.refutation)


class _Outcome(NamedTuple, Generic[Content]):
    """The content of an answer, None without one, and the reason why it is not complete."""

    content: Content | None
    problem: str


class ExchangeRunner:
    """Runs the exchanges of planes with a model: what the first pass claims, the second tries to refute.

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
        reader = self._reader(question)
        progress = _Progress(question, self._settings, self._redact, reader)
        outcome = await self._outcome(progress, endpoint)
        answer, problem = outcome.content, outcome.problem
        if answer is None:
            return PlaneAnswer(progress.failed(problem))
        try:
            verified = reader.verified(answer)
        except PLUGIN_EXCEPTIONS as error:  # see below
            return PlaneAnswer(progress.failed(f"it failed with {type(error).__name__}"))
        if not verified.claims:
            return PlaneAnswer(progress.answered(verified, problem))
        verified, second = await self._refuted(question, verified, endpoint)
        return PlaneAnswer(progress.answered(verified, problem), verified.findings, second)

    async def _refuted(
        self, question: Question, verified: Verified, endpoint: Endpoint
    ) -> tuple[Verified, Exchange]:
        """Return the claims that are not refuted, and the exchange of the second pass."""
        asked = refutation(question, verified.claims)
        progress = _Progress(asked, self._settings, self._redact, VerdictReader(len(verified.claims)))
        outcome = await self._outcome(progress, endpoint)
        judged, problem = outcome.content or {}, outcome.problem
        discarded: dict[int, str] = {}
        for number in range(len(verified.claims)):
            if number not in judged:
                discarded[number] = UNJUDGED
            elif judged[number].verdict == "refuted":
                discarded[number] = REFUTED
        kept = verified.without(discarded)
        return kept, progress.failed(f"second pass: {problem}") if problem else progress.done()

    async def _outcome(self, progress: _Progress[Content], endpoint: Endpoint) -> _Outcome[Content]:
        try:
            async with asyncio.timeout(self._settings.timeout):
                content, problem = await progress.run(endpoint)
            return _Outcome(content, problem)
        except TimeoutError:
            return _Outcome(None, f"timed out after {self._settings.timeout:g} s")
        except asyncio.CancelledError:
            return _Outcome(None, CANCELLED)
        except EndpointError as cause:
            return _Outcome(None, str(cause))
        except PLUGIN_EXCEPTIONS as error:  # a defect in one exchange affects no other
            return _Outcome(None, f"it failed with {type(error).__name__}")

    def not_sent(self, question: Question, problem: str) -> PlaneAnswer:
        """Return the exchange of a question that was not sent."""
        progress = _Progress(question, self._settings, self._redact, self._reader(question))
        return PlaneAnswer(progress.failed(problem))

    def _reader(self, question: Question) -> ClaimReader:
        def verified(answer: Answer) -> Verified:
            return verify(answer, question.plane, question.hunks, self._settings, self._redact, self._text_of)

        return ClaimReader(question.prompt, verified)


class _Progress(Generic[Content]):
    """The requests and responses of one exchange so far."""

    def __init__(
        self,
        question: Question,
        settings: LanguageModelSettings,
        redact: Callable[[str], str],
        reader: AnswerReader[Content],
    ) -> None:
        self._reader = reader
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
            step="refutation" if isinstance(question.content, RefutationInput) else "claims",
        )

    def done(self) -> Exchange:
        return self._exchange

    def failed(self, problem: str) -> Exchange:
        return replace(self._exchange, problem=problem)

    def answered(self, verified: Verified, problem: str) -> Exchange:
        return replace(
            self._exchange,
            findings=len(verified.findings),
            discarded=verified.discarded,
            problem=problem,
        )

    async def run(self, endpoint: Endpoint) -> tuple[Content, str]:
        """Send the question, and once more after a failure that may pass or an unusable answer.

        Returns:
            The content of all answers, and the reason why the last one cannot be used; empty if it can.
        """
        first = await self._first(endpoint)
        if first is None:
            answer, problem = await self._attempt(endpoint, "")
        else:
            answer, problem = first
            problem = problem or self._reader.objection(answer)
            if not problem:
                return answer, ""
            answer, problem = await self._last(endpoint, answer, problem)
        return answer, problem or self._reader.objection(answer)

    async def _first(self, endpoint: Endpoint) -> tuple[Content, str] | None:
        """Return the first answer, or None after a failure that may have passed."""
        try:
            return await self._attempt(endpoint, "")
        except EndpointError as cause:
            if cause.retry_after is None:
                raise
            await asyncio.sleep(cause.retry_after)
            return None

    async def _last(self, endpoint: Endpoint, before: Content, problem: str) -> tuple[Content, str]:
        """Return the last answer together with the one before it."""
        answer, rest = await self._attempt(endpoint, problem)
        return self._reader.join(before, answer), rest

    async def _attempt(self, endpoint: Endpoint, problem: str) -> tuple[Content, str]:
        """Return the content of an answer, and the reason why it is not complete; empty if it is."""
        completion = decode_completion(await self._send(endpoint, problem))
        try:
            return self._decoded(self._noted(completion)), ""
        except UnusableAnswer as cause:
            partial = self._reader.read("") if cause.partial is None else cause.partial
            return cast(Content, partial), str(cause)

    def _decoded(self, choice: Choice) -> Content:
        content, problem = _content(choice)
        if problem:
            raise UnusableAnswer(problem, self._reader.read(content))
        return self._reader.decode(content)

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
