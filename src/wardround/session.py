"""The session of a review: a change that is opened once, and the resources that its reviews share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from types import TracebackType
from typing import Protocol, Self

from msgspec.structs import replace

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.config.request import ReviewRequest
from wardround.context.run_evidence import RunEvidence, RunPart
from wardround.context.ticket.model import Ticket
from wardround.execution.resources import Resources
from wardround.host import PluginHost


class Runner(Protocol):
    """Runs the requested parts of a change; parts that cannot run are in the result."""

    def __call__(
        self,
        source: ChangeSource,
        change: Change,
        parts: Sequence[RunPart],
        sandbox: str | None,
        progress: Callable[[str], None],
        /,
    ) -> RunEvidence: ...


class ReviewSession:
    """A change opened for its reviews. Use it as a context manager, or close it.

    It lives as long as the caller likes, and the source of the change has to be open as long. Several may be
    open at once, each in a thread of its own, in a process that has called
    ``execution.thread_safety.serialize_unsafe_calls``; they share the host, its rules and the loaded models.

    Args:
        resources: by default those of a review in the calling thread; stopping their processes cancels a
            review from another thread.
        runner: runs the change; by default in the sandbox.
        may_defer: the conclusion of a review for a commit is derived when it is read.
    """

    def __init__(
        self,
        source: ChangeSource,
        host: PluginHost,
        request: ReviewRequest,
        resources: Resources | None = None,
        *,
        runner: Runner | None = None,
        may_defer: bool = False,
    ) -> None:
        self.source = source
        self.change = source.change
        self.host = host
        self.request = request.for_all_files() if source.change.all_files else request
        self.may_defer = may_defer
        self.resources = resources or Resources()
        self._runner = runner or run_in_sandbox

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop running parts, and close the cache; a result of the session remains readable."""
        self.resources.processes.stop()
        self.resources.cache.close()

    def with_ticket(self, ticket: Ticket | None) -> ReviewSession:
        """Return a session of the same change with a ticket; it shares the resources of this one."""
        request = replace(self.request, ticket=ticket)
        return ReviewSession(
            self.source, self.host, request, self.resources,
            runner=self._runner, may_defer=self.may_defer,
        )  # fmt: skip

    @cached_property
    def under_review(self) -> ChangeUnderReview:
        """The change with its configuration.

        Raises:
            ConfigError: the configuration is wrong, or a required plugin is not installed.
            UsageError: the request names an unknown specialist.
        """
        return ChangeUnderReview.open(self.source, self.host, self.request)

    def is_cancelled(self) -> bool:
        """Return True once the reviews of the session are cancelled, or it is closed."""
        return self.resources.processes.is_stopped

    def run(self, parts: Sequence[RunPart]) -> RunEvidence:
        """Run parts of the change."""
        return self._runner(self.source, self.change, parts, self.request.sandbox, self.resources.progress)


def run_in_sandbox(
    source: ChangeSource,
    change: Change,
    parts: Sequence[RunPart],
    sandbox: str | None,
    progress: Callable[[str], None],
) -> RunEvidence:
    """Run parts of a change in the sandbox."""
    from wardround.workflows.change_run import run_change  # only reviews that run something

    return run_change(source, change, parts, sandbox, progress)
