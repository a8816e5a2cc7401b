"""The calls of a review: all at once, in a thread with its own event loop, cancelled with the review."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from wardround.config.language_model import LanguageModelSettings
from wardround.planes.language_model.client import Client, open_client
from wardround.planes.language_model.endpoint import Endpoint
from wardround.planes.language_model.endpoint_memory import EndpointMemory, no_memory
from wardround.planes.language_model.exchange_runner import CANCELLED, PlaneAnswer
from wardround.planes.language_model.question import Question

_POLL_S = 0.05
"""The interval of checking for cancellation."""


def run_all(
    runner: Runner,
    questions: Sequence[Question],
    settings: LanguageModelSettings,
    key: str,
    is_cancelled: Callable[[], bool],
    exchange: Endpoint | None = None,
    memory: EndpointMemory | None = None,
) -> tuple[PlaneAnswer, ...]:
    """Send all questions, as many at a time as the configuration permits, and wait for the answers.

    The calling thread may run an event loop, such as that of a server. An exception in it, such as an
    interrupt, ends the calls.

    Args:
        exchange: instead of the configured endpoint.
        memory: the known parameters of the configured endpoint; None stores nothing.
    """
    access = _Access(settings, key, memory or no_memory())
    calls = _Calls(runner, questions, access if exchange is None else exchange, is_cancelled)
    thread = threading.Thread(target=calls.run, daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:
        calls.cancel()
        raise
    return calls.answers


class _Access(NamedTuple):
    """The access to the configured endpoint."""

    settings: LanguageModelSettings
    key: str
    memory: EndpointMemory


class Runner(Protocol):
    """Runs the exchanges of one question."""

    async def run(self, question: Question, endpoint: Endpoint) -> PlaneAnswer:
        """Return the answer to a question, or the exchange with the reason why there is none."""

    def not_sent(self, question: Question, problem: str) -> PlaneAnswer:
        """Return the exchange of a question that was not sent."""


class _Calls:
    """The calls in their thread.

    Attributes:
        answers: one for each question, in their order.
    """

    def __init__(
        self,
        runner: Runner,
        questions: Sequence[Question],
        target: _Access | Endpoint,
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._runner = runner
        self._questions = questions
        self._target = target
        self._is_cancelled = is_cancelled
        self._has_to_end = threading.Event()
        self.answers = tuple(runner.not_sent(question, CANCELLED) for question in questions)

    def run(self) -> None:
        asyncio.run(self._run())

    def cancel(self) -> None:
        self._has_to_end.set()

    async def _run(self) -> None:
        target = self._target
        if not isinstance(target, _Access):
            await self._ask(target)
            return
        try:
            http = open_client(target.settings)
        except OSError:
            self._fail("the certificates of SSL_CERT_FILE cannot be read")
            return
        except ImportError:
            self._fail("httpx is not installed; install wardround[language-model]")
            return
        async with http:
            await self._ask(Client(http, target.settings, target.key, target.memory))

    async def _ask(self, endpoint: Endpoint) -> None:
        tasks = [asyncio.create_task(self._runner.run(question, endpoint)) for question in self._questions]
        watch = asyncio.create_task(self._cancel_when_requested(tasks))
        self.answers = tuple(await asyncio.gather(*tasks))
        watch.cancel()

    def _fail(self, problem: str) -> None:
        self.answers = tuple(self._runner.not_sent(question, problem) for question in self._questions)

    async def _cancel_when_requested(self, tasks: Sequence[asyncio.Task[PlaneAnswer]]) -> None:
        while not (self._has_to_end.is_set() or self._is_cancelled()):  # noqa: ASYNC110  (set by other threads)
            await asyncio.sleep(_POLL_S)
        for task in tasks:
            task.cancel()
