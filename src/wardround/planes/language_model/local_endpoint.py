"""A decoder on this machine in place of an endpoint: requests and answers have the same form."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

from wardround.config.language_model import EndpointSettings
from wardround.errors import ModelError
from wardround.models.completions import complete
from wardround.models.decoder import Generation
from wardround.models.loading import FoundDecoder
from wardround.planes.language_model.endpoint import EndpointError
from wardround.planes.language_model.endpoint_memory import EndpointMemory


class LocalEndpoint:
    """Answers requests by a decoder, one at a time, within the seconds that a review has for it.

    Attributes:
        memory: the answers to earlier requests.
    """

    def __init__(self, found: FoundDecoder, settings: EndpointSettings, memory: EndpointMemory) -> None:
        self.memory = memory
        self._found = found
        self._budget_s = settings.budget
        self._slot = asyncio.Semaphore(1)
        self._end: float | None = None

    def slot(self) -> asyncio.Semaphore:
        """Wait until no other pass is answered: a decoder has one answer at a time."""
        return self._slot

    async def post(self, body: bytes) -> bytes:
        """Return the body of a completion; the decoder is loaded for the first one.

        A request that is cancelled ends the generation at its next step.

        Raises:
            EndpointError: the decoder cannot be loaded or cannot answer, or the time is over.
        """
        end = self._end_of_budget()
        is_cancelled = threading.Event()

        def is_stopped() -> bool:
            return is_cancelled.is_set() or time.monotonic() >= end

        try:
            completion, generation = await asyncio.to_thread(self._complete, body, is_stopped)
        except ModelError as cause:
            raise EndpointError(str(cause)) from None
        finally:
            is_cancelled.set()
        if generation.finish == "stopped":
            raise EndpointError(
                f"the review's {self._budget_s:g} s for a local model were over; raise language-model.budget"
            )
        return completion

    def _complete(self, body: bytes, is_stopped: Callable[[], bool]) -> tuple[bytes, Generation]:
        return complete(self._found.load(), self._found.identity, body, is_stopped)

    def _end_of_budget(self) -> float:
        """Return the time of the monotonic clock at which the review's budget ends; it begins now if it has
        not begun.
        """
        if self._end is None:
            self._end = time.monotonic() + self._budget_s
        return self._end
