"""The exchanges of one plane: its claims, then their refutation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, NamedTuple

import msgspec
from msgspec.structs import replace

from wardround.config.language_model import LanguageModelSettings
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import RawFinding
from wardround.planes.evidence import Exchange
from wardround.planes.language_model.answer import Answer, verify
from wardround.planes.language_model.endpoint import Endpoint, EndpointError
from wardround.planes.language_model.narrow_questions.answers import QuestionAnswers
from wardround.planes.language_model.narrow_questions.first_pass import FirstPassReader
from wardround.planes.language_model.pass_exchange import Content, PassExchange
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.refutation import (
    Definitions,
    NoDefinitions,
    VerdictReader,
    refutation,
)
from wardround.planes.language_model.verified_claims import Verified

CANCELLED = "the review was cancelled"


class PlaneAnswer(msgspec.Struct, frozen=True):
    """The findings of a language model for one plane, and the exchanges for the record.

    An answer that is cut off can have findings and a problem.

    Attributes:
        refutation: the exchange of the second pass; None if the first one made no claim.
        answers: to narrow questions.
    """

    exchange: Exchange
    findings: tuple[RawFinding, ...] = ()
    refutation: Exchange | None = None
    answers: QuestionAnswers = {}

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Both exchanges, in their order."""
        return (self.exchange,) if self.refutation is None else (self.exchange, self.refutation)


class _Outcome(NamedTuple, Generic[Content]):
    """The content of an answer, None if there is none, and the reason why it is not complete."""

    content: Content | None
    problem: str


class ExchangeRunner:
    """Runs the exchanges of planes with a model: what the first pass claims, the second tries to refute.

    Args:
        redact: removes secrets from a text.
        text_of: path -> the content at the head.
        definitions: finds the code that claims name, for the second pass.
    """

    def __init__(
        self,
        settings: LanguageModelSettings,
        redact: Callable[[str], str],
        text_of: Callable[[str], str | None],
        definitions: Definitions | None = None,
    ) -> None:
        self._settings = settings
        self._redact = redact
        self._text_of = text_of
        self._definitions = definitions or NoDefinitions()

    async def run(self, question: Question, endpoint: Endpoint) -> PlaneAnswer:
        """Return the answer to a question, or the exchange with the reason why there is none."""
        reader = self._reader(question)
        progress = PassExchange(question, self._settings, self._redact, reader)
        outcome = await self._outcome(progress, endpoint)
        content, problem = outcome.content, outcome.problem
        if content is None:
            return PlaneAnswer(progress.add_problem(problem))
        try:
            verified = reader.claims(content)
        except PLUGIN_EXCEPTIONS as error:  # see below
            return PlaneAnswer(progress.add_problem(f"it failed with {type(error).__name__}"))
        progress.note_questions(reader.counts(content))
        if not verified.claims:
            return PlaneAnswer(progress.add_answer(verified, problem))
        try:
            second_question = refutation(question, verified.claims, self._settings, self._definitions)
        except PLUGIN_EXCEPTIONS as error:  # see below
            return PlaneAnswer(progress.add_problem(f"second pass: it failed with {type(error).__name__}"))
        verified, second = await self._refute(second_question, verified, endpoint)
        return PlaneAnswer(progress.add_answer(verified, problem), verified.findings, second)

    async def answers(self, question: Question, endpoint: Endpoint) -> PlaneAnswer:
        """Return the answers to the narrow questions alone, without a second pass."""
        reader = self._reader(question)
        progress = PassExchange(question, self._settings, self._redact, reader)
        outcome = await self._outcome(progress, endpoint)
        if outcome.content is None:
            return PlaneAnswer(progress.add_problem(outcome.problem))
        progress.note_questions(reader.counts(outcome.content))
        exchange = replace(progress.exchange(), problem=outcome.problem)
        return PlaneAnswer(exchange, answers=outcome.content.answers)

    async def _refute(
        self, question: Question, verified: Verified, endpoint: Endpoint
    ) -> tuple[Verified, Exchange]:
        """Return the claims that are upheld, and the exchange of the second pass.

        It has a problem only if a claim has no verdict.
        """
        reader = VerdictReader(len(verified.claims), question.content, self._redact)
        progress = PassExchange(question, self._settings, self._redact, reader)
        outcome = await self._outcome(progress, endpoint)
        verdicts = outcome.content or {}
        is_judged = len(verdicts) == len(verified.claims)
        second = progress.exchange() if is_judged else progress.add_problem(f"second pass: {outcome.problem}")
        return verified.apply_verdicts(verdicts), second

    async def _outcome(self, progress: PassExchange[Content], endpoint: Endpoint) -> _Outcome[Content]:
        try:
            async with endpoint.slot():
                deadline = asyncio.get_running_loop().time() + self._settings.timeout
                async with asyncio.timeout_at(deadline):
                    content, problem = await progress.run(endpoint, deadline)
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
        progress = PassExchange(question, self._settings, self._redact, self._reader(question))
        return PlaneAnswer(progress.add_problem(problem))

    def _reader(self, question: Question) -> FirstPassReader:
        def verify_answer(answer: Answer) -> Verified:
            return verify(answer, question.plane, question.hunks, self._settings, self._redact, self._text_of)

        return FirstPassReader(question, verify_answer)
