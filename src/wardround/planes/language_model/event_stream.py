"""A chat completion that arrives as server-sent events, joined into one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from wardround.planes.language_model.completion import Choice, Completion, Message, Usage
from wardround.planes.language_model.endpoint import EndpointError, TransientError

INCOMPLETE = "incomplete"
"""The finish reason of a stream that ended before its completion."""
MOST_STREAM_BYTES = 32 << 20
"""Maximum number of a stream, in which each token has an event of up to 500 bytes."""
MOST_TEXT = 1 << 20
"""Maximum number of the text of the joined completion, in characters."""
MOST_EVENT_BYTES = 1 << 18
_END = b"[DONE]"


class _Delta(msgspec.Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _ChunkChoice(msgspec.Struct, frozen=True):
    index: int = 0
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Chunk(msgspec.Struct, frozen=True):
    """One event; endpoints report errors in events, too."""

    choices: tuple[_ChunkChoice, ...] = ()
    model: str | None = None
    usage: Usage | None = None
    error: Any = None


class JoinedStream:
    """The completion in the bytes of a stream so far.

    Attributes:
        has_ended: the completion is complete; later events are not read.
    """

    def __init__(self) -> None:
        self.has_ended = False
        self._rest = b""
        self._bytes = 0
        self._characters = 0
        self._parts: dict[str, list[str]] = {name: [] for name in _Delta.__struct_fields__}
        self._has_chunks = False
        self._finish_reason: str | None = None
        self._model: str | None = None
        self._usage: Usage | None = None

    @property
    def has_output(self) -> bool:
        """True if a part of the answer or of the reasoning has arrived."""
        return self._characters > 0

    def add(self, data: bytes) -> None:
        """Read further bytes.

        Raises:
            EndpointError: they are too many, or no events of a chat completion.
        """
        self._bytes += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._bytes > MOST_STREAM_BYTES:
            raise EndpointError(f"the stream has more than {MOST_STREAM_BYTES} bytes")
        if len(self._rest) > MOST_EVENT_BYTES:
            raise EndpointError(f"an event of the stream has more than {MOST_EVENT_BYTES} bytes")
        for event in _events(lines):
            self._add_event(event)

    def completion(self) -> bytes:
        """Return the completion as the body of one response.

        Raises:
            TransientError: the stream had none.
        """
        if not self._has_chunks:
            raise TransientError("the response is not a chat completion")
        texts = {name: "".join(parts) or None for name, parts in self._parts.items()}
        is_complete = self.has_ended or self._finish_reason is not None
        choice = Choice(Message(**texts), self._finish_reason if is_complete else INCOMPLETE)
        return msgspec.json.encode(Completion((choice,), self._model, self._usage))

    def _add_event(self, event: bytes) -> None:
        if self.has_ended:
            return
        if event == _END:
            self.has_ended = True
            return
        try:
            chunk = msgspec.json.decode(event, type=_Chunk)
        except (ValueError, RecursionError):
            raise TransientError("the response is not a chat completion") from None
        if chunk.error is not None and not self.has_output:
            raise TransientError("the endpoint reports an error in its stream")
        self._model = chunk.model or self._model
        self._usage = chunk.usage or self._usage
        for choice in chunk.choices:
            if choice.index == 0:
                self._add_choice(choice)

    def _add_choice(self, choice: _ChunkChoice) -> None:
        self._has_chunks = True
        self._finish_reason = choice.finish_reason or self._finish_reason
        for name, parts in self._parts.items():
            text = getattr(choice.delta, name) or ""
            self._characters += len(text)
            parts.append(text)
        if self._characters > MOST_TEXT:
            raise EndpointError(f"the response has more than {MOST_TEXT} characters")


def _events(lines: list[bytes]) -> Iterator[bytes]:
    """Yield the data of events; those of a chat completion have one line, and no relevant name."""
    for line in lines:
        name, _, data = line.partition(b":")
        if name == b"data":
            yield data.strip()
