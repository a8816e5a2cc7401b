"""A selection in a thread of its own, so that it can wait for effects, which run in the event loop."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor

from wardround.authoring.stages import Patch, Selection


async def select(selection: Selection, patches: list[Patch], instance_id: str) -> Patch:
    """Return the selected patch.

    An interrupted run does not wait for the thread, as nothing ends one that waits for something else than
    the event loop; the pool of the loop, which ``asyncio.to_thread`` uses, would be waited for.
    """
    thread = ThreadPoolExecutor(1, "selection")
    try:
        return await asyncio.get_running_loop().run_in_executor(
            thread, selection.run, list(patches), instance_id
        )
    finally:
        thread.shutdown(wait=False)


class LoopSelection(ABC):
    """A selection whose work runs in the event loop in which it was created."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def run(self, patches: list[Patch], instance_id: str) -> Patch:
        """Return the selected patch; the first one if none is usable. The loop must run in another thread.

        Raises:
            SandboxError: nothing could be run.
            ExchangeFailed: the endpoint does not answer.
        """
        return asyncio.run_coroutine_threadsafe(self._select(patches, instance_id), self._loop).result()

    @abstractmethod
    async def _select(self, patches: list[Patch], instance_id: str) -> Patch:
        """Return the selected patch; see ``run``."""
