"""The chat completions of OpenAI's API by a decoder: a request's body in, the body of a completion out.

A review and the endpoint on loopback both use this, so that a decoder answers either in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from wardround.errors import ModelError
from wardround.models.chat_template import ChatMessage
from wardround.models.decoder import Decoder, Generation

_USUAL_TOKENS = 2048
"""The limit on an answer where the request has none."""


class RequestRefused(ModelError):
    """A request cannot be answered as it is.

    Attributes:
        parameter: the one that it is about.
    """

    def __init__(self, parameter: str, text: str) -> None:
        super().__init__(f"{parameter}: {text}")
        self.parameter = parameter


class _TextPart(msgspec.Struct, frozen=True):
    text: str
    type: Literal["text"] = "text"


class _Message(msgspec.Struct, frozen=True):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | tuple[_TextPart, ...]


class _Schema(msgspec.Struct, frozen=True):
    schema: dict[str, Any]


class _Format(msgspec.Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: _Schema | None = None


class _Request(msgspec.Struct, frozen=True):
    """A request; a temperature and a seed change nothing, and further parameters are not read."""

    messages: tuple[_Message, ...]
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    response_format: _Format | None = None
    stream: bool | None = None
    n: int | None = None


def complete(
    decoder: Decoder, identity: str, body: bytes, is_stopped: Callable[[], bool]
) -> tuple[bytes, Generation]:
    """Return the body of the completion for a request, and the generation that it is from.

    Args:
        identity: what the completion names as its model.

    Raises:
        RequestRefused: a parameter cannot be used.
        ModelError: the decoder cannot answer.
    """
    request = _decode(body)
    most = request.max_completion_tokens or request.max_tokens or _USUAL_TOKENS
    generation = decoder.generate(
        [_plain_message(message) for message in request.messages], _schema_of(request), most, is_stopped
    )
    return _completion(identity, generation), generation


def _decode(body: bytes) -> _Request:
    try:
        request = msgspec.json.decode(body, type=_Request)
    except (msgspec.MsgspecError, ValueError, RecursionError) as cause:
        raise RequestRefused("messages", f"the request cannot be read: {cause}") from None
    if not request.messages:
        raise RequestRefused("messages", "there are none")
    if request.stream:
        raise RequestRefused("stream", "an answer is returned as a whole; leave it out")
    if request.n not in (None, 1):
        raise RequestRefused("n", "there is one answer to a request; leave it out")
    return request


def _plain_message(message: _Message) -> ChatMessage:
    role = "system" if message.role == "developer" else message.role
    content = message.content
    text = content if isinstance(content, str) else "".join(part.text for part in content)
    return ChatMessage(role, text)


def _schema_of(request: _Request) -> dict[str, Any] | None:
    form = request.response_format
    if form is None or form.type == "text":
        return None
    if form.type == "json_object":
        return {"type": "object"}
    if form.json_schema is None:
        raise RequestRefused("response_format", "it has no json_schema")
    return form.json_schema.schema


def _completion(identity: str, generation: Generation) -> bytes:
    finish = "stop" if generation.finish == "stop" else "length"
    return msgspec.json.encode(
        {
            "id": "chatcmpl-local",
            "object": "chat.completion",
            "created": 0,
            "model": identity,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": generation.text},
                    "finish_reason": finish,
                }
            ],
            "usage": {
                "prompt_tokens": generation.prompt_tokens,
                "completion_tokens": generation.answer_tokens,
                "total_tokens": generation.prompt_tokens + generation.answer_tokens,
            },
        }
    )
