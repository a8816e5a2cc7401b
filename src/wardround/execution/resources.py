"""The resources that the runs of a review share."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from wardround.execution.executor import Executor, InProcessExecutor
from wardround.storage.result_cache import ResultCache
from wardround.tools.process import Processes


def no_progress(text: str) -> None:
    """Show nothing."""


def open_cache() -> ResultCache:
    """Return the results of earlier reviews of this user."""
    return ResultCache.open()


class Resources(msgspec.Struct, frozen=True, eq=False):
    """The resources of a review.

    Attributes:
        processes: the running tools; stopping them cancels the review, and the rest is unreviewed.
        progress: called with the current step.
        executor: where the checks run; by default in the calling thread.
        cache: the results of earlier reviews; the file is opened when it is first used.
    """

    processes: Processes = msgspec.field(default_factory=Processes)
    progress: Callable[[str], None] = no_progress
    executor: Executor = msgspec.field(default_factory=InProcessExecutor)
    cache: ResultCache = msgspec.field(default_factory=open_cache)

    def of_part(self, progress: Callable[[str], None] | None = None) -> Resources:
        """Return the resources of a part of the review, which can end before the others.

        Args:
            progress: replaces that of the review.
        """
        return replace(self, processes=self.processes.of_part(), progress=progress or self.progress)
