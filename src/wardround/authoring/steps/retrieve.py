"""The code of a task: what failing tests execute, and what the words of the task name."""

from __future__ import annotations

import msgspec

from wardround.authoring.context.assembly import ContextRequest, build_context
from wardround.authoring.context.base_code import BaseCode, with_base_code
from wardround.authoring.context.localization import task_of
from wardround.authoring.context.model import WriteContext
from wardround.authoring.context.suspects import Suspect
from wardround.authoring.plan.markdown import as_markdown
from wardround.authoring.plan.planning import plan_of
from wardround.authoring.repair.failing_source import failing_source
from wardround.authoring.repair.localization import suspicious_functions
from wardround.authoring.repair.model import SuspiciousFunction
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.stages import CodePointer, LocalizationResult
from wardround.authoring.task import Task

NAME = "context"
_MOST_SUSPECTS = 10
_EXECUTED = "the failing tests execute it"


class ExecutedCode:
    """Localizes an instance by the functions that its failing tests execute."""

    def __init__(self, inputs: RunInputs) -> None:
        self._inputs = inputs
        self._work = inputs.work

    async def run(self, instance_id: str) -> LocalizationResult:
        """Return pointers to the functions."""
        blobs = dict(self._work.repository.blobs_of(self._work.instance.base))
        functions = await executed_functions(self._inputs)
        pointers = tuple(_pointer(function, blobs) for function in functions)
        self._inputs.report.pointers = pointers
        return LocalizationResult(pointers, {"by": "coverage"})


async def executed_functions(inputs: RunInputs) -> tuple[SuspiciousFunction, ...]:
    """Return the functions that the failing tests execute, the most suspicious first."""
    observation = await inputs.failing_tests.observation()
    return suspicious_functions(observation, inputs.read, failing_source(observation, inputs.read))


class StartingPoint(msgspec.Struct, frozen=True):
    """The files of ``wardround write`` for a task: its context, and its plan as Markdown."""

    context: WriteContext
    plan: str


class ContextOfTask:
    """Localizes an instance as the ready text of its context, with the executed functions first."""

    def __init__(self, inputs: RunInputs) -> None:
        self._inputs = inputs
        self._work = inputs.work

    async def run(self, instance_id: str) -> LocalizationResult:
        """Return the text of the context."""
        pointers: tuple[CodePointer, ...] = ()
        if self._work.instance.failing_tests:
            await ExecutedCode(self._inputs).run(instance_id)
            pointers = self._inputs.report.pointers
        suspects = tuple(Suspect(pointer, _EXECUTED) for pointer in pointers[:_MOST_SUSPECTS])

        async def build() -> StartingPoint:
            return self._starting_point(suspects)

        request = (self._work.instance, self._work.settings.tokens, suspects)
        start = await self._work.effects.run(NAME, request, StartingPoint, build)
        report = self._inputs.report
        report.pointers = tuple(dict.fromkeys(start.context.pointers))
        report.context, report.plan = start.context, start.plan
        return LocalizationResult(start.context.text, {"by": "context", "digest": start.context.digest})

    def _starting_point(self, suspects: tuple[Suspect, ...]) -> StartingPoint:
        work = self._work
        request = ContextRequest(work.instance, self._task(), work.settings.tokens, suspects)

        def write(code: BaseCode) -> StartingPoint:
            context = build_context(code, request)
            return StartingPoint(context, as_markdown(plan_of(context, code)))

        return with_base_code(work.repository, work.instance.base, write, work.progress)

    def _task(self) -> Task:
        """Return the task in words; without any, the failing tests."""
        instance = self._work.instance
        if instance.text or instance.ticket is not None:
            return task_of(instance)
        title = f"Make {', '.join(instance.failing_tests)} pass"
        shown = (f"{test.source}\n{test.failure}" for test in self._inputs.failing_tests.shown_tests())
        return Task("text", "", title, "\n".join((title, *shown)))


def _pointer(function: SuspiciousFunction, blobs: dict[str, str]) -> CodePointer:
    blob = blobs.get(function.path, "")
    return CodePointer(function.path, function.first_line, function.last_line, function.symbol, blob)
