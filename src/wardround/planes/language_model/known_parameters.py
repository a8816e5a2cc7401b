"""The parameters that an endpoint accepts for a model, known from earlier requests of all reviews."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from wardround.planes.language_model.parameters import ALL_PARAMETERS, AcceptedParameters
from wardround.storage.digest import digest_key

if TYPE_CHECKING:
    from wardround.storage.kv_cache import KeyValueCache

_VALID_DAYS = 30
"""After these days every parameter is sent again: endpoints learn them, and names of models change hands."""
_REFUSAL_S = 1.0
"""The time within which an endpoint rejects a parameter: it does so before the model starts to answer."""


class _Entry(msgspec.Struct, frozen=True):
    refused: tuple[str, ...]
    day: int


class KnownParameters:
    """The accepted parameters, shared by the requests to one endpoint.

    Args:
        entries: keeps them for the next review; None for this review only.
        address: address of the endpoint.
        day: today, as a number of days.
    """

    def __init__(
        self, entries: KeyValueCache | None = None, address: str = "", model: str = "", day: int = 0
    ) -> None:
        self._entries = entries
        self._key = digest_key("parameters", address, model)
        self._day = day
        stored = self._stored_parameters()
        self._accepted = stored or ALL_PARAMETERS
        self._stored = stored
        self._is_open = entries is None or stored is not None
        self._has_first = False
        self._is_answered = asyncio.Event()

    @property
    def accepted(self) -> AcceptedParameters:
        """The parameters of the next request."""
        return self._accepted

    async def wait_for_first(self) -> None:
        """Let one request go first to an unknown endpoint, so that the others omit rejected parameters."""
        if self._is_open:
            return
        if not self._has_first:
            self._has_first = True
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(_REFUSAL_S):
                await self._is_answered.wait()

    def restrict_to(self, accepted: AcceptedParameters) -> None:
        """Exclude the parameters that the endpoint refused by name, for the rest of the review."""
        self._accepted = self._accepted.merge(accepted)

    def confirm(self, accepted: AcceptedParameters) -> None:
        """Keep the parameters of a request that was answered."""
        self._accepted = self._accepted.merge(accepted)
        self._is_answered.set()
        if self._entries is not None and self._accepted != self._stored:
            entry = _Entry(self._accepted.refused, self._day)
            self._entries.put({self._key: msgspec.json.encode(entry)})
            self._stored = self._accepted

    def _stored_parameters(self) -> AcceptedParameters | None:
        if self._entries is None:
            return None
        content = self._entries.get([self._key]).get(self._key)
        if content is None:
            return None
        entry = msgspec.json.decode(content, type=_Entry)
        return AcceptedParameters(entry.refused) if 0 <= self._day - entry.day < _VALID_DAYS else None
