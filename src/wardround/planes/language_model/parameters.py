"""The parameters of a request, and the replacements for those that an endpoint rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from wardround.config.language_model import EndpointSettings
from wardround.lazy import LazyPattern

FORMAT = "response_format"
TOKENS = "max_completion_tokens"
STREAM = "stream"
"""Rejected if it is omitted: the endpoint only returns streams."""
_NAMED = {
    "temperature": LazyPattern(r"\btemperature\b"),
    "seed": LazyPattern(r"\bseed\b"),
    TOKENS: LazyPattern(r"\bmax_(?:completion_)?tokens\b"),
    STREAM: LazyPattern(r"(?i)\bstream(?:ing)?\b"),
    FORMAT: LazyPattern(r"(?i)\bresponse_format\b|json_schema|json_object|structured outputs?"),
}
"""The words by which the message of an endpoint names a parameter."""


class _Refusal(msgspec.Struct, frozen=True):
    param: str | None = None
    message: str | None = None


class _RefusalBody(msgspec.Struct, frozen=True):
    """The body of a refusal, in the form of OpenAI's API."""

    error: _Refusal


def named_in(body: bytes) -> frozenset[str]:
    """Return the parameters that a refusal is about; none if it names none."""
    try:
        error = msgspec.json.decode(body, type=_RefusalBody).error
        text = error.param or error.message or ""
    except (ValueError, RecursionError):
        text = body.decode("utf-8", "replace")
    return frozenset(name for name, pattern in _NAMED.items() if pattern.search(text))


class Sampling(msgspec.Struct, frozen=True):
    """The way an endpoint chooses among answers; the default is the most probable one.

    Attributes:
        seed_offset: added to the seed of the settings.
    """

    temperature: float = 0
    seed_offset: int = 0


MOST_PROBABLE = Sampling()


class AcceptedParameters(msgspec.Struct, frozen=True):
    """The parameters that an endpoint accepts, as far as is known.

    Attributes:
        refused: the names of rejected parameters, each as often as a form of it was rejected.
    """

    refused: tuple[str, ...] = ()

    def without(self, named: Collection[str]) -> AcceptedParameters | None:
        """Return those after a further refusal; None if every form was rejected.

        Args:
            named: the parameters that the refusal names; an empty collection means the output schema.
        """
        counts = Counter(self.refused)
        names = named or {FORMAT}
        last = {name: 1 if name == FORMAT and not named else _LAST_FORM[name] for name in names}
        refused = sorted(name for name in names if counts[name] < last[name])
        return AcceptedParameters((*self.refused, *refused)) if refused else None

    def merge(self, other: AcceptedParameters) -> AcceptedParameters:
        """Return the parameters that neither of two requests had to omit."""
        further = Counter(other.refused) - Counter(self.refused)
        return AcceptedParameters((*self.refused, *further.elements()))

    def values(
        self,
        settings: EndpointSettings,
        schema_format: Mapping[str, Any],
        sampling: Sampling = MOST_PROBABLE,
    ) -> dict[str, Any]:
        """Return the parameters of a request.

        Args:
            schema_format: requests an answer in the output schema.
        """
        counts = Counter(self.refused)
        tokens = TOKENS if not counts[TOKENS] else "max_tokens"
        formats = (schema_format, {"type": "json_object"}, None)
        values = {
            "temperature": sampling.temperature,
            "seed": settings.seed + sampling.seed_offset,
            tokens: settings.max_tokens,
            FORMAT: formats[counts[FORMAT]],
            STREAM: True if counts[STREAM] else None,
        }
        left_out = {name for name in ("temperature", "seed") if counts[name]}
        return {name: value for name, value in values.items() if value is not None and name not in left_out}


ALL_PARAMETERS = AcceptedParameters()
_LAST_FORM = {"temperature": 1, "seed": 1, TOKENS: 1, STREAM: 1, FORMAT: 2}
"""The number of refusals after which every form was sent."""
