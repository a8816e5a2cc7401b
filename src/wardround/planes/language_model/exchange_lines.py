"""The exchange over two streams: requests are written as lines of JSON, and answers are read from lines."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any, BinaryIO

import msgspec

from wardround.config.request import ExchangeStreams
from wardround.planes.language_model.client import MOST_BYTES
from wardround.planes.language_model.endpoint import EndpointError
from wardround.planes.language_model.exchange_endpoint import ExchangeEndpoint, ExchangeRequest
from wardround.text.escaping import one_line

LONGEST_LINE = 2 * MOST_BYTES
"""Maximum number of a line, in bytes: escapes make an answer longer."""
_MOST_MESSAGES = 20
"""Maximum number of ignored lines that are reported, so that the review goes on if nobody reads the messages.
"""
_SHOWN_DIGEST = 80
_FORM = 'it is not {"digest": ..., "answer": ...}'


class _AnswerLine(msgspec.Struct, frozen=True):
    """One answer: a JSON document, or its text; further keys are ignored."""

    digest: str
    answer: msgspec.Raw

    @property
    def text(self) -> str:
        answer = bytes(self.answer)
        return msgspec.json.decode(answer, type=str) if answer.startswith(b'"') else answer.decode()


class ExchangeLines(ExchangeEndpoint):
    """Writes each request to one stream, and reads the answers, in any order, from another.

    A thread writes and another reads, so that neither waits for the other, and no plane for a slow reader.
    Both end with the process.

    Args:
        wait_s: seconds to wait for an answer.
    """

    def __init__(self, streams: ExchangeStreams, wait_s: float) -> None:
        super().__init__()
        self._streams = streams
        self._wait_s = wait_s
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._open: dict[str, asyncio.Future[str]] = {}
        self._end = ""
        self._messages = 0
        self._is_started = False

    async def _answer(self, request: ExchangeRequest) -> str:
        if self._end:
            raise EndpointError(self._end)
        loop = asyncio.get_running_loop()
        self._start(loop)
        answer = self._open[request.digest] = loop.create_future()
        self._lines.put(msgspec.json.encode(request) + b"\n")
        try:
            return await asyncio.wait_for(answer, self._wait_s)
        except TimeoutError:
            raise EndpointError(f"not answered within {self._wait_s:g} s") from None
        finally:
            del self._open[request.digest]

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._is_started:
            return
        self._is_started = True
        for work in (self._write, self._read):
            threading.Thread(target=work, args=(_answer_in_loop(loop),), daemon=True).start()

    def _write(self, call: _Call) -> None:
        requests = self._streams.requests
        try:
            while True:
                requests.write(self._lines.get())
                requests.flush()
        except (OSError, ValueError):
            call(self._close, "not answered: nothing reads the requests")

    def _read(self, call: _Call) -> None:
        try:
            for number, line in enumerate(_bounded_lines(self._streams.answers), 1):
                call(self._receive, number, line)
        except (OSError, ValueError):
            call(self._close, "not answered: the answers cannot be read")
        call(self._close, "not answered before the end of the answers")

    def _receive(self, number: int, line: bytes) -> None:
        if not line.strip():
            return
        problem = self._problem(line)
        if not problem:
            return
        self._messages += 1
        if self._messages <= _MOST_MESSAGES:
            self._streams.report(f"answers, line {number}: {problem}; the line is ignored")

    def _problem(self, line: bytes) -> str:
        """Pass the answer of a line on, or return the reason why it is ignored."""
        if len(line) > LONGEST_LINE:
            return f"it has more than {LONGEST_LINE} bytes"
        try:
            found = msgspec.json.decode(line, type=_AnswerLine)
            text = found.text
        except (ValueError, RecursionError):
            return _FORM
        answer = self._open.get(found.digest)
        if answer is None or answer.done():
            return f"no open request has the digest {one_line(found.digest[:_SHOWN_DIGEST])}"
        answer.set_result(text)
        return ""

    def _close(self, reason: str) -> None:
        """End all open and future requests."""
        self._end = self._end or reason
        for answer in self._open.values():
            if not answer.done():
                answer.set_exception(EndpointError(self._end))


_Call = Callable[..., None]
"""Calls a function with its arguments in the event loop."""


def _answer_in_loop(loop: asyncio.AbstractEventLoop) -> _Call:
    def call(function: Callable[..., None], *arguments: Any) -> None:
        try:
            loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:  # the loop is closed, because all planes are answered
            return

    return call


def _bounded_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream; a line beyond the limit is truncated slightly above it."""
    while line := stream.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE + 1)
