"""A loaded decoder: continues a conversation, constrained to a JSON schema if there is one.

The answer is the most probable one at each token, so that neither a seed nor a temperature changes it. The
tokens that a schema alone permits, such as the names of keys, are appended without a step of their own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from wardround.errors import ModelError
from wardround.inference.onnx_session import first_line
from wardround.models.answer_grammar import AnswerGrammar, GrammarFactory
from wardround.models.chat_template import ChatMessage, ChatTemplate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

Finish = Literal["stop", "length", "stopped"]
_STEP_TOKENS = 128
"""The tokens of a request that are read at a time. The runtime holds Python's lock meanwhile, and a
generation can be stopped only between two steps."""


class Generation(msgspec.Struct, frozen=True):
    """An answer.

    Attributes:
        finish: ``stop`` for a complete answer, ``length`` for one with as many tokens as permitted,
            ``stopped`` for one that the caller stopped.
        seconds: the wall time; ``first_token_s`` is the part before the first token of the answer.
    """

    text: str
    finish: Finish
    prompt_tokens: int
    answer_tokens: int
    seconds: float
    first_token_s: float


class DecoderParts(msgspec.Struct, frozen=True):
    """The parts that a decoder is made of.

    Attributes:
        model: an ``onnxruntime_genai.Model``.
        window: most tokens of a request with its answer.
        end_tokens: the tokens that end an answer.
    """

    model: Any
    tokenizer: Tokenizer
    grammars: GrammarFactory
    template: ChatTemplate
    window: int
    end_tokens: tuple[int, ...]


class Decoder:
    """A decoder that is ready to run; one generation at a time."""

    def __init__(self, parts: DecoderParts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._special = _special_tokens(parts.tokenizer)

    def tokens(self, messages: Sequence[ChatMessage]) -> list[int]:
        """Return the tokens of a conversation up to the beginning of the answer.

        Special tokens in the messages become text, so that no message can end its turn.

        Raises:
            ModelError: the template refuses the messages.
        """
        text = self._parts.template.render([self._without_special_tokens(message) for message in messages])
        plain = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._parts.tokenizer.encode(plain, add_special_tokens=False).ids
        return ids

    def generate(
        self,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any] | None,
        most_tokens: int,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Generation:
        """Return the answer to a conversation.

        Args:
            schema: the JSON schema of the answer; None for any text.
            most_tokens: the limit on the answer.
            is_stopped: called before each step; True ends the generation.

        Raises:
            ModelError: the messages do not fit, the schema cannot be used, or the runtime fails.
        """
        prompt = self.tokens(messages)
        room = self._parts.window - len(prompt)
        if room < 1:
            raise ModelError(
                f"the request has {len(prompt)} tokens, and the model takes {self._parts.window} with its "
                "answer; lower language-model.input-tokens"
            )
        grammar = None if schema is None else self._parts.grammars.of_schema(schema)
        with self._lock:
            try:
                answer = _Answer(self._parts, len(prompt) + min(most_tokens, room), grammar, is_stopped)
                answer.read(prompt)
                return answer.generate(len(prompt))
            except ModelError:
                raise
            except Exception as cause:  # the runtime's exceptions have no common base
                raise ModelError(f"it cannot be run: {first_line(cause)}") from cause

    def _without_special_tokens(self, message: ChatMessage) -> ChatMessage:
        content = message.content
        for token in self._special:
            content = content.replace(token, f"{token[0]} {token[1:]}")
        return ChatMessage(message.role, content)


class _Answer:
    """One answer while it is generated.

    Args:
        length: most tokens of the request and the answer.
    """

    def __init__(
        self,
        parts: DecoderParts,
        length: int,
        grammar: AnswerGrammar | None,
        is_stopped: Callable[[], bool],
    ) -> None:
        import onnxruntime_genai

        parameters = onnxruntime_genai.GeneratorParams(parts.model)
        parameters.set_search_options(max_length=length, do_sample=False, batch_size=1, num_beams=1)
        self._generator = onnxruntime_genai.Generator(parts.model, parameters)
        self._parts = parts
        self._grammar = grammar
        self._is_stopped = is_stopped
        self._length = length
        self._tokens: list[int] = []
        self._started = time.monotonic()
        self._first_token_s = 0.0

    def read(self, prompt: Sequence[int]) -> None:
        """Read the request, step by step."""
        import numpy as np

        for begin in range(0, len(prompt), _STEP_TOKENS):
            if self._is_stopped():
                return
            self._generator.append_tokens(np.array(prompt[begin : begin + _STEP_TOKENS], np.int32))
        self._first_token_s = time.monotonic() - self._started

    def generate(self, prompt_tokens: int) -> Generation:
        """Return the answer to a request that was read."""
        finish = self._finish(self._length - prompt_tokens)
        text: str = self._parts.tokenizer.decode(self._tokens, skip_special_tokens=True)
        seconds = time.monotonic() - self._started
        return Generation(text, finish, prompt_tokens, len(self._tokens), seconds, self._first_token_s)

    def _finish(self, room: int) -> Finish:
        """Generate tokens until the answer ends; return the way in which it ended."""
        while len(self._tokens) < room:
            if self._is_stopped():
                return "stopped"
            tokens = self._next_tokens()
            if not tokens:
                return "stop"
            self._append(tokens[: room - len(self._tokens)])
        return "stop" if self._grammar is not None and self._grammar.is_complete else "length"

    def _next_tokens(self) -> list[int]:
        """Return the next tokens of the answer; none after its end."""
        if self._grammar is None:
            token = self._most_probable(self._logits())
            return [] if token in self._parts.end_tokens else [token]
        if self._grammar.is_complete:
            return []
        forced = self._grammar.forced_tokens()
        if forced:
            return [token for token in forced if token not in self._parts.end_tokens]
        return self._constrained_token(self._grammar)

    def _constrained_token(self, grammar: AnswerGrammar) -> list[int]:
        import numpy as np

        logits = self._logits()
        permitted = grammar.permitted_tokens(logits.size)
        token = self._most_probable(np.where(permitted, logits, -np.inf))
        grammar.advance([token])
        return [] if token in self._parts.end_tokens else [token]

    def _logits(self) -> NDArray[np.float32]:
        logits: NDArray[np.float32] = self._generator.get_logits()[0, -1]
        return logits

    def _most_probable(self, logits: NDArray[np.floating[Any]]) -> int:
        return int(logits.argmax())

    def _append(self, tokens: Sequence[int]) -> None:
        import numpy as np

        self._tokens += tokens
        self._generator.append_tokens(np.array(tokens, np.int32))


def _special_tokens(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the texts of special tokens with more than one character, the longest first."""
    added = tokenizer.get_added_tokens_decoder().values()
    texts = {token.content for token in added if token.special and len(token.content) > 1}
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))
