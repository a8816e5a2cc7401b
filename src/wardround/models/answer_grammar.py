"""The grammar of an answer: the tokens that may follow, by the JSON schema of the request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.errors import ModelError
from wardround.inference.onnx_session import first_line

if TYPE_CHECKING:
    import numpy as np
    from llguidance import LLMatcher, LLTokenizer
    from numpy.typing import NDArray

_LONGEST_STRING = 1000
_LARGEST_INTEGER = 10**9
_MOST_ITEMS = 50
"""The limits on values whose schema has none: a model that repeats itself ends them there."""
_LIMITS_OF_STRINGS = frozenset({"const", "enum", "format", "maxLength", "pattern"})
_LIMITS_OF_INTEGERS = frozenset(
    {"const", "enum", "exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"}
)
_SEPARATORS = (", ", ": ")
"""Those of the examples in the prompts; free white space would let a model produce nothing else."""


class GrammarFactory:
    """Makes grammars for the tokens of one model.

    Args:
        tokenizer: a ``tokenizer.json``, verified.
        width: the numbers of the model's output, which may exceed those of its tokens.
        end_token: the token that ends an answer.

    Raises:
        ModelError: the tokens cannot be used.
    """

    def __init__(self, tokenizer: bytes, width: int, end_token: int) -> None:
        from llguidance import LLTokenizer

        try:
            self._tokenizer: LLTokenizer = LLTokenizer(
                tokenizer.decode("utf-8"), n_vocab=width, eos_token=end_token
            )
        except Exception as cause:  # llguidance raises anything for content that it cannot read
            raise ModelError(f"its tokenizer cannot constrain an answer: {first_line(cause)}") from cause

    def of_schema(self, schema: Mapping[str, Any]) -> AnswerGrammar:
        """Return the grammar of JSON documents of a schema.

        Raises:
            ModelError: the schema cannot be used.
        """
        from llguidance import JsonCompiler, LLMatcher

        compiler = JsonCompiler(separators=_SEPARATORS, whitespace_flexible=False)
        try:
            grammar = compiler.compile(msgspec.json.encode(with_limits(schema)).decode())
        except ValueError as cause:
            raise ModelError(f"the schema of the answer cannot be used: {first_line(cause)}") from cause
        matcher = LLMatcher(self._tokenizer, grammar)
        if matcher.is_error():
            reason = " ".join(matcher.get_error().split())[:200]
            raise ModelError(f"the schema of the answer cannot be used: {reason}")
        return AnswerGrammar(matcher)


class AnswerGrammar:
    """The progress of one answer through its grammar."""

    def __init__(self, matcher: LLMatcher) -> None:
        self._matcher = matcher

    @property
    def is_complete(self) -> bool:
        """True if nothing can follow."""
        return bool(self._matcher.is_stopped())

    def forced_tokens(self) -> list[int]:
        """Return the tokens that alone can follow, and advance past them."""
        tokens: list[int] = self._matcher.compute_ff_tokens()
        if tokens:
            self.advance(tokens)
        return tokens

    def permitted_tokens(self, width: int) -> NDArray[np.bool_]:
        """Return True for each token that may follow; shape (width,)."""
        import numpy as np

        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        return np.unpackbits(bits, count=width, bitorder="little").astype(bool)

    def advance(self, tokens: Sequence[int]) -> None:
        """Advance past tokens.

        Raises:
            ModelError: one of them may not follow.
        """
        if not self._matcher.consume_tokens(list(tokens)):
            reason = " ".join(self._matcher.get_error().split())[:200]
            raise ModelError(f"the answer cannot be constrained: {reason}")


def with_limits(schema: Any) -> Any:
    """Return a schema in which strings, integers and arrays have limits, and objects have named keys."""
    if isinstance(schema, list):
        return [with_limits(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    limited = {name: with_limits(value) for name, value in schema.items()}
    match schema.get("type"):
        case "string" if not _LIMITS_OF_STRINGS & schema.keys():
            limited["maxLength"] = _LONGEST_STRING
        case "integer" if not _LIMITS_OF_INTEGERS & schema.keys():
            limited |= {"minimum": -_LARGEST_INTEGER, "maximum": _LARGEST_INTEGER}
        case "array":
            limited.setdefault("maxItems", _MOST_ITEMS)
        case "object" if "properties" in schema:
            limited.setdefault("additionalProperties", False)
    return limited
