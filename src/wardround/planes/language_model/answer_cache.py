"""The usable answers of an endpoint, cached in the user's state folder for further reviews of a change.

The key of an answer covers the address and the body of the request: prompt, change, model, seed and
parameters. Nothing that a repository contains is ever read as an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wardround.planes.language_model.completion import Completion
from wardround.storage.digest import digest_key

if TYPE_CHECKING:
    from wardround.storage.kv_cache import KeyValueCache


class AnswerCache:
    """Answers by request.

    Args:
        entries: None caches nothing.
        address: address of the endpoint.
    """

    def __init__(self, entries: KeyValueCache | None = None, address: str = "") -> None:
        self._entries = entries
        self._address = address

    def get(self, body: bytes) -> Completion | None:
        """Return the cached answer to a request; None if there is none."""
        if self._entries is None:
            return None
        key = self._key(body)
        content = self._entries.get([key]).get(key)
        return None if content is None else msgspec.json.decode(content, type=Completion)

    def put(self, body: bytes, completion: Completion) -> None:
        """Store a usable answer, in the part that a review reads."""
        if self._entries is not None:
            self._entries.put({self._key(body): msgspec.json.encode(completion)})

    def _key(self, body: bytes) -> bytes:
        return digest_key("answer", self._address, body)
