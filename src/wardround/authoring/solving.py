"""One run of ``solve``, from the instance to the packet, for every front end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from wardround import __version__
from wardround.authoring.context.model import WriteContext
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.endpoint.roles import ExchangeFailed
from wardround.authoring.instance import Instance
from wardround.authoring.loop import Loop, Stages
from wardround.authoring.packet import Cost, Packet, RunSummary, TestChange, packet_of
from wardround.authoring.run_inputs import AUTHOR, VERIFIER, RunInputs
from wardround.authoring.sequence import Header, Sequence, SequenceEnded, SequenceStore, Settings
from wardround.authoring.stage_loading import contributed_stage
from wardround.authoring.steps.route import StageNames, choose_route
from wardround.authoring.work import Work
from wardround.change.repository import Repository
from wardround.config.language_model import EndpointSettings
from wardround.config.schema import Config
from wardround.errors import SandboxError
from wardround.host import PluginHost

_MILLION = 1_000_000
_INTERRUPTED = "the run was interrupted; continue it with --resume"


class SolveRequest(msgspec.Struct, frozen=True, eq=False):
    """A requested run.

    Attributes:
        stages: the names of the requested stages.
        interruption: the exception of a signal, which ends the run with a packet.
        shown_step: the role whose next request is shown and not sent; empty for none.
    """

    instance: Instance
    settings: Settings
    access: EndpointAccess
    stages: StageNames = StageNames()
    interruption: type[BaseException] = KeyboardInterrupt
    shown_step: str = ""


class SolveResult(msgspec.Struct, frozen=True):
    """The packet of a run.

    Attributes:
        is_interrupted: a signal ended it.
        is_stopped: it ended before the last round, and can be resumed.
        context: what the author started from; None if it needs no text.
        plan: the plan of the task as Markdown; empty without a context.
    """

    packet: Packet
    is_interrupted: bool = False
    is_stopped: bool = False
    context: WriteContext | None = None
    plan: str = ""


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
        root, access = self._config.root, request.access
        route = choose_route(
            request.instance, request.stages, root.roles, root.endpoints,
            has_exchange=access.exchange is not None,
        )  # fmt: skip
        header = Header(request.instance, request.settings, route, __version__)
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
        packet, report = packet_of(run.summary(name)), run.report
        return SolveResult(packet, is_interrupted, bool(run.stopped), report.context, report.plan)


class _Run:
    """The state of one run; its packet can be made at any time.

    Attributes:
        report: what stages add to the packet.
        stopped: the reason why it ended early; empty if it did not.
    """

    def __init__(self, work: Work, request: SolveRequest, sequence: Sequence) -> None:
        self._work = work
        self._sequence = sequence
        self._inputs = RunInputs(work, sequence.header, request.access, request.shown_step)
        self.report = self._inputs.report
        self.stopped = ""

    def stop(self, reason: str) -> None:
        """End the run early, in its sequence, too."""
        self.stopped = reason
        self._sequence.end(reason)

    async def run(self) -> None:
        """Run the loop; see ``Solver.begin`` for the errors."""
        async with self._inputs.opened:
            loop = Loop(self._work, await self._stages(), self._inputs)
            try:
                await loop.run()
            except SequenceEnded as cause:
                self.stopped = self._sequence.ending or str(cause)
            except (ExchangeFailed, SandboxError) as cause:
                self.stop(str(cause))

    async def _stages(self) -> Stages:
        names, inputs = self._sequence.header.route.stages, self._inputs
        return Stages(
            await contributed_stage("wardround_localizations", names.localization, inputs),
            await contributed_stage("wardround_authors", names.author, inputs),
            await contributed_stage("wardround_selections", names.selection, inputs),
            await inputs.role(VERIFIER) if inputs.has_role(VERIFIER) else None,
        )

    def summary(self, name: str) -> RunSummary:
        """Return what the packet is made of."""
        inputs = self._inputs
        return RunSummary(
            sequence=name,
            instance=self._work.instance,
            pointers=inputs.report.pointers,
            attempts=tuple(inputs.attempts),
            tests=tuple(TestChange(test.id, test.failure) for test in inputs.failing_tests.shown_tests()),
            proposed_tests=inputs.report.proposed_tests,
            search=inputs.report.search,
            cost=self._cost(),
            stopped=self.stopped,
            advice=tuple(self._advice(name)),
            selections=tuple(inputs.report.selections),
        )

    def _advice(self, name: str) -> Iterator[str]:
        if self.stopped:
            yield f"wardround solve --resume {name} continues this run"
        yield from self._inputs.report.advice

    def _cost(self) -> Cost:
        budget, search = self._inputs.budget, self._inputs.report.search
        endpoint = self._sequence.header.route.endpoints.get(AUTHOR, EndpointSettings())
        price = budget.prompt_tokens * endpoint.input_price + budget.completion_tokens * endpoint.output_price
        return Cost(
            budget.requests,
            budget.prompt_tokens,
            budget.completion_tokens,
            round(price / _MILLION, 6),
            0.0 if search is None else round(search.cpu_s, 1),
        )
