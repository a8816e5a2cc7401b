"""The memory of an endpoint: facts that reviews know about it before the first request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wardround.config.language_model import EndpointSettings
from wardround.planes.language_model.answer_cache import AnswerCache
from wardround.planes.language_model.known_parameters import KnownParameters

if TYPE_CHECKING:
    from wardround.storage.kv_cache import KeyValueCache

FILE = "answers.sqlite"
"""The file with the memory of all endpoints, in the state folder."""


class EndpointMemory(NamedTuple):
    """The usable answers to earlier requests, and the parameters that the endpoint accepts."""

    answers: AnswerCache
    parameters: KnownParameters


def no_memory() -> EndpointMemory:
    """Return a memory that knows nothing, and keeps nothing for the next review."""
    return EndpointMemory(AnswerCache(), KnownParameters())


def local_memory(entries: KeyValueCache, address: str, *, reuses_answers: bool) -> EndpointMemory:
    """Return the memory of a local model, which accepts every parameter.

    Args:
        address: the model with its digest and its runtime, on which answers depend.
    """
    answers = AnswerCache(entries, address) if reuses_answers else AnswerCache()
    return EndpointMemory(answers, KnownParameters())


def memory_of(
    settings: EndpointSettings, entries: KeyValueCache, day: int, *, reuses_answers: bool
) -> EndpointMemory:
    """Return the memory of the configured endpoint.

    Args:
        day: today, as a number of days.
        reuses_answers: False sends every request again.
    """
    address = settings.completions_url
    answers = AnswerCache(entries, address) if reuses_answers else AnswerCache()
    return EndpointMemory(answers, KnownParameters(entries, address, settings.model, day))
