"""One run of ``solve``, from the instance to the packet, for every front end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

from wardround import __version__
from wardround.authoring.assembly import AUTHOR, Assembly, endpoints_of
from wardround.authoring.attempt import Attempt
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.endpoint.roles import ExchangeFailed, TokenBudget
from wardround.authoring.failing_tests import FailingTests
from wardround.authoring.instance import Instance
from wardround.authoring.loop import Loop
from wardround.authoring.packet import Cost, Packet, RunSummary, TestChange, packet_of
from wardround.authoring.repair.author import EditAuthor
from wardround.authoring.sequence import Header, Sequence, SequenceEnded, SequenceStore, Settings
from wardround.authoring.steps.retrieve import ContextOfTask, ExecutedCode
from wardround.authoring.steps.route import EDITS, choose_route
from wardround.authoring.work import Work
from wardround.change.repository import Repository
from wardround.config.schema import Config
from wardround.errors import SandboxError
from wardround.host import PluginHost

_MILLION = 1_000_000
_INTERRUPTED = "the run was interrupted; continue it with --resume"


class SolveRequest(msgspec.Struct, frozen=True, eq=False):
    """A requested run.

    Attributes:
        author: the name of the requested author; empty to choose one.
        interruption: the exception of a signal, which ends the run with a packet.
        shown_step: the role whose next request is shown and not sent; empty for none.
    """

    instance: Instance
    settings: Settings
    access: EndpointAccess
    author: str = ""
    interruption: type[BaseException] = KeyboardInterrupt
    shown_step: str = ""


class SolveResult(msgspec.Struct, frozen=True):
    """The packet of a run.

    Attributes:
        is_interrupted: a signal ended it.
        is_stopped: it ended before the last round, and can be resumed.
    """

    packet: Packet
    is_interrupted: bool = False
    is_stopped: bool = False


class Solver:
    """Runs instances of one repository.

    Args:
        config: that of the base.
        logs: the folder for the output of what runs.
    """

    def __init__(
        self,
        repository: Repository,
        host: PluginHost,
        config: Config,
        store: SequenceStore,
        logs: Path,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._repository = repository
        self._host = host
        self._config = config
        self._store = store
        self._logs = logs
        self._progress = progress

    def begin(self, request: SolveRequest) -> SolveResult:
        """Run an instance in a new sequence.

        Raises:
            UsageError: the instance, an endpoint or the store cannot be used.
            PromptRequested: a request is to be shown.
        """
        root = self._config.root
        route = choose_route(
            request.instance, root.roles, request.author, has_exchange=request.access.exchange is not None
        )
        endpoints = endpoints_of(route, root)
        header = Header(request.instance, request.settings, route, __version__, endpoints)
        name, sequence = self._store.begin(header)
        return self._run(request, name, sequence)

    def resume(self, name: str, request: SolveRequest) -> SolveResult:
        """Continue a sequence; the instance and the settings are its own. See ``begin``."""
        return self._run(request, name, self._store.resume(name))

    def replay(self, name: str, request: SolveRequest) -> SolveResult:
        """Derive the packet of a sequence again; nothing is sent, and nothing runs. See ``begin``."""
        access = msgspec.structs.replace(request.access, is_replay=True)
        return self._run(msgspec.structs.replace(request, access=access), name, self._store.replay(name))

    def _run(self, request: SolveRequest, name: str, sequence: Sequence) -> SolveResult:
        header = sequence.header
        work = Work(
            self._repository,
            header.instance,
            header.settings,
            sequence,
            self._host,
            os.environ,
            self._logs,
            self._progress,
        )
        run = _Run(work, request, sequence)
        is_interrupted = False
        try:
            asyncio.run(run.run())
        except request.interruption:
            is_interrupted = True
            run.stop(_INTERRUPTED)
        return SolveResult(packet_of(run.summary(name)), is_interrupted, bool(run.stopped))


class _Run:
    """The state of one run, of which a packet can be made at any time.

    Attributes:
        stopped: the reason why it ended early; empty if it did not.
    """

    def __init__(self, work: Work, request: SolveRequest, sequence: Sequence) -> None:
        self._work = work
        self._request = request
        self._sequence = sequence
        self._attempts: list[Attempt] = []
        self._failing_tests = FailingTests(work)
        self._executed = ExecutedCode(work, self._failing_tests)
        self._context = ContextOfTask(work, self._failing_tests, self._executed)
        self._edits = EditAuthor(work, self._failing_tests, self._executed.functions)
        self._budget = TokenBudget(None)
        self.stopped = ""

    def stop(self, reason: str) -> None:
        """End the run early, in its sequence, too."""
        self.stopped = reason
        self._sequence.end(reason)

    async def run(self) -> None:
        """Run the loop; see ``Solver.begin`` for the errors."""
        header = self._sequence.header
        assembly = Assembly(
            self._work, header, self._request.access, self._failing_tests, self._attempts,
            self._request.shown_step,
        )  # fmt: skip
        self._budget = assembly.budget
        localization = self._executed if header.route.author == EDITS else self._context
        async with AsyncExitStack() as opened:
            stages = await assembly.open(opened, localization, self._edits)
            loop = Loop(self._work, stages, self._failing_tests.shown, self._attempts)
            try:
                await loop.run()
            except SequenceEnded as cause:
                self.stopped = self._sequence.ending or str(cause)
            except (ExchangeFailed, SandboxError) as cause:
                self.stop(str(cause))

    def summary(self, name: str) -> RunSummary:
        """Return what the packet is made of."""
        return RunSummary(
            sequence=name,
            instance=self._work.instance,
            pointers=tuple(dict.fromkeys(self._context.pointers or self._executed.pointers)),
            attempts=tuple(self._attempts),
            tests=tuple(TestChange(test.id, test.failure) for test in self._failing_tests.shown()),
            search=self._edits.search,
            cost=self._cost(),
            stopped=self.stopped,
            advice=tuple(self._advice(name)),
        )

    def _advice(self, name: str) -> Iterator[str]:
        if self.stopped:
            yield f"wardround solve --resume {name} continues this run"
        yield from self._edits.advice()

    def _cost(self) -> Cost:
        budget, endpoint = self._budget, self._sequence.header.endpoints.get(AUTHOR)
        money = 0.0
        if endpoint is not None:
            money = (
                budget.prompt_tokens * endpoint.input_price + budget.completion_tokens * endpoint.output_price
            ) / _MILLION
        search = self._edits.search
        return Cost(
            budget.requests,
            budget.prompt_tokens,
            budget.completion_tokens,
            round(money, 6),
            0.0 if search is None else round(search.cpu_s, 1),
        )
