"""The chat template of a decoder: turns messages into the text that the model was trained to continue."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.errors import ModelError
from wardround.inference.onnx_session import first_line

if TYPE_CHECKING:
    from jinja2 import Template

CONFIG, TEMPLATE = "tokenizer_config.json", "chat_template.jinja"
"""The files with the names of the special tokens, and with the template if it has a file of its own."""
_LONGEST_TEMPLATE = 1 << 20


class ChatMessage(msgspec.Struct, frozen=True):
    """One message of a conversation."""

    role: str
    content: str


class _NamedToken(msgspec.Struct, frozen=True):
    content: str


class _TokenizerConfig(msgspec.Struct, frozen=True):
    """The part of ``tokenizer_config.json`` that a template uses."""

    chat_template: str | None = None
    bos_token: str | _NamedToken | None = None
    eos_token: str | _NamedToken | None = None


class _RefusedConversationError(Exception):
    """A template refused a conversation."""


class ChatTemplate:
    """The template of one decoder.

    Args:
        config: the content of ``tokenizer_config.json``; empty if there is none.
        template: the content of ``chat_template.jinja``, which counts before that of ``config``.

    Raises:
        ModelError: it has none, or it is not valid.
    """

    def __init__(self, config: bytes, template: bytes) -> None:
        try:
            self._config = msgspec.json.decode(config or b"{}", type=_TokenizerConfig)
            self._source = template.decode("utf-8") or self._config.chat_template or ""
        except (msgspec.MsgspecError, ValueError, RecursionError) as cause:
            raise ModelError(f"{CONFIG}: {cause}; export the decoder again") from cause
        if not self._source or len(self._source) > _LONGEST_TEMPLATE:
            raise ModelError("it has no chat template; export the decoder with its tokenizer")

    def render(self, messages: Sequence[ChatMessage]) -> str:
        """Return the text up to the beginning of the answer.

        A template that knows no message of the system gets it as a part of the first one of the user.

        Raises:
            ModelError: the template cannot be used for these messages.
        """
        try:
            return self._render(messages)
        except ModelError:
            joined = _join_system_message(messages)
            if joined is None:
                raise
        return self._render(joined)

    def _render(self, messages: Sequence[ChatMessage]) -> str:
        documents = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return self._compiled.render(
                messages=documents,
                add_generation_prompt=True,
                bos_token=_text_of(self._config.bos_token),
                eos_token=_text_of(self._config.eos_token),
                tools=None,
            )
        except Exception as cause:  # a template can fail in any way
            raise ModelError(f"its chat template cannot be used: {first_line(cause)}") from cause

    @cached_property
    def _compiled(self) -> Template:
        """The template in the environment that transformers gives to it, without the time of day."""
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = _refuse_conversation
        return environment.from_string(self._source)


def _join_system_message(messages: Sequence[ChatMessage]) -> list[ChatMessage] | None:
    """Return the messages without that of the system, which precedes the first of the user; None if there
    is none.
    """
    if len(messages) < 2 or messages[0].role != "system":
        return None
    first = messages[1]
    joined = ChatMessage(first.role, f"{messages[0].content}\n\n{first.content}")
    return [joined, *messages[2:]]


def _text_of(token: str | _NamedToken | None) -> str:
    return token.content if isinstance(token, _NamedToken) else token or ""


def _refuse_conversation(reason: str) -> None:
    raise _RefusedConversationError(reason)


def _to_json(value: Any, indent: int | None = None) -> str:
    """Return a value in JSON as templates expect it: without escapes for HTML."""
    import json

    return json.dumps(value, ensure_ascii=False, indent=indent)
