"""Sends narrow questions about cases to a model, as the first pass of a review does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import TypeVar

import msgspec

from wardround.config.language_model import LanguageModelSettings
from wardround.errors import UsageError
from wardround.models.loading import FoundDecoder
from wardround.planes.language_model.calls import run_all
from wardround.planes.language_model.endpoint import Endpoint
from wardround.planes.language_model.endpoint_memory import EndpointMemory, no_memory
from wardround.planes.language_model.exchange_folder import ExchangeFolder
from wardround.planes.language_model.exchange_runner import ExchangeRunner, PlaneAnswer
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.inputs import ChosenHunk, Described, plane_input
from wardround.planes.language_model.local_endpoint import LocalEndpoint
from wardround.planes.language_model.narrow_questions.attach import attach_questions
from wardround.planes.language_model.narrow_questions.placed import PlacedQuestion, RoutedQuestions
from wardround.planes.language_model.narrow_questions.router import MOST_QUESTIONS, line_of_question
from wardround.planes.language_model.prompts import load_prompt
from wardround.planes.language_model.question import Question
from wardround.storage.digest import sha256
from wardround.text.redaction import redact_secrets
from wardround_lab.evaluation.narrow_questions.cases import QuestionCase

Item = TypeVar("Item")
UNCLEAR, INVALID = "unclear", "invalid"


class CaseAnswer(msgspec.Struct, frozen=True):
    """The answer of a model to one case.

    Attributes:
        answer: yes, no, ``UNCLEAR``, or ``INVALID`` without one that quotes the case.
        seconds: time of the request, with its retry, divided by the number of its cases.
        problem: the reason why a request has no answer; empty if it has.
    """

    case: QuestionCase
    answer: str
    seconds: float
    problem: str = ""


class Target(msgspec.Struct, frozen=True):
    """The model that is measured.

    Attributes:
        exchange: the folder instead of an endpoint; None for the endpoint.
        local: the model on this machine instead of an endpoint; None for the endpoint.
        batch: the cases in one request; jobs: the requests at the same time.
    """

    settings: LanguageModelSettings
    key: str = ""
    exchange: ExchangeFolder | None = None
    local: FoundDecoder | None = None
    batch: int = 1
    jobs: int = 4

    def substitute(self, memory: EndpointMemory) -> Endpoint | None:
        """Return what answers in place of the endpoint for some requests; None for the endpoint."""
        if self.local is None:
            return self.exchange
        return LocalEndpoint(self.local, self.settings, memory)


class _TimedFirstPass:
    """Runs the first pass alone, and keeps its duration."""

    def __init__(self, runner: ExchangeRunner) -> None:
        self._runner = runner
        self.seconds: dict[int, float] = {}

    async def run(self, question: Question, endpoint: Endpoint) -> PlaneAnswer:
        started = time.monotonic()
        answer = await self._runner.answers(question, endpoint)
        self.seconds[id(question)] = time.monotonic() - started
        return answer

    def not_sent(self, question: Question, problem: str) -> PlaneAnswer:
        return self._runner.not_sent(question, problem)


def ask(
    cases: Sequence[QuestionCase],
    target: Target,
    is_test: Callable[[str], bool],
    progress: Callable[[str], None],
) -> list[CaseAnswer]:
    """Return the answers to all cases, in their order.

    Args:
        is_test: path -> True if it is a test file.
    """
    found: dict[str, CaseAnswer] = {}
    requests = list(batches(cases, target.batch))
    memory = no_memory()
    for group in _parts(requests, target.jobs if target.exchange is None else max(1, len(requests))):
        progress(f"case {len(found) + 1} of {len(cases)}")
        for answer in _answers(group, target, memory, is_test):
            found[answer.case.name] = answer
    return [found[case.name] for case in cases]


def batches(cases: Sequence[QuestionCase], size: int) -> Iterator[tuple[QuestionCase, ...]]:
    """Yield cases of one plane, in an order that is independent of their answers."""
    mixed = sorted(cases, key=lambda case: (case.question.plane, sha256(case.name.encode()).digest()))
    for _, group in groupby(mixed, key=lambda case: case.question.plane):
        yield from _parts(group, min(size, MOST_QUESTIONS))


def _answers(
    requests: Sequence[Sequence[QuestionCase]],
    target: Target,
    memory: EndpointMemory,
    is_test: Callable[[str], bool],
) -> Iterator[CaseAnswer]:
    settings = target.settings
    runner = _TimedFirstPass(ExchangeRunner(settings, redact_secrets, lambda path: None))
    questions = [question_about(cases, is_test) for cases in requests]
    substitute = target.substitute(memory)
    answers = run_all(runner, questions, settings, target.key, lambda: False, substitute, memory)
    for cases, question, answer in zip(requests, questions, answers, strict=True):
        seconds = runner.seconds.get(id(question), 0.0) / len(cases)
        problem = answer.exchange.problem
        for number, case in enumerate(cases, 1):
            found = answer.answers.get(number)
            yield CaseAnswer(case, INVALID if found is None else found.answer, seconds, problem)


def question_about(cases: Sequence[QuestionCase], is_test: Callable[[str], bool]) -> Question:
    """Return the question of a plane with the narrow ones about some cases, in their order.

    Raises:
        UsageError: the question of a case is about none of its lines.
    """
    plane = cases[0].question.plane
    hunks: list[ChosenHunk] = []
    sent: list[SentHunk] = []
    placed: list[PlacedQuestion] = []
    for number, case in enumerate(cases, 1):
        own = list(_hunks(case, f"case-{number}/" if len(cases) > 1 else ""))
        sent += own
        hunks += (ChosenHunk(hunk.as_input, is_test(hunk.file)) for hunk in own)
        placed.append(_locate_question(case, number, own))
    question = Question(load_prompt(plane), plane_input(plane, hunks, 0, Described()), tuple(sent), 0)
    return attach_questions(question, RoutedQuestions(tuple(placed)))


def _hunks(case: QuestionCase, folder: str) -> Iterator[SentHunk]:
    for file in case.files:
        for hunk in file.hunks_as_sent(f"{folder}{file.path}"):
            yield msgspec.structs.replace(hunk, path=hunk.file)


def _locate_question(case: QuestionCase, number: int, hunks: Sequence[SentHunk]) -> PlacedQuestion:
    for hunk in hunks:
        location = line_of_question(case.question, hunk)
        if location is not None:
            return PlacedQuestion(number, case.question, hunk.path, hunk.file, *location)
    raise UsageError(f"the case {case.name} has no line that its question is about; correct its lines")


def _parts(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """Yield consecutive items, as many at a time as ``size``."""
    rest = iter(items)
    while part := tuple(islice(rest, size)):
        yield part
