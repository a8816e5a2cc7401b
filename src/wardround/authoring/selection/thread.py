"""A selection in a thread of its own, so that it can wait for effects, which run in the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from wardround.authoring.stages import Patch, Selection

Result = TypeVar("Result")


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


class LoopSelection:
    """Waits in a selection for what runs in the event loop in which it was created."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def wait_for(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Return the result of a coroutine; the loop must run in another thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()
