"""The code of a task: what failing tests execute, and what the words of the task name."""

from __future__ import annotations

from wardround.authoring.context.assembly import ContextRequest, build_context
from wardround.authoring.context.model import WriteContext
from wardround.authoring.context.suspects import Suspect
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
    source = "\n".join(test.source for test in inputs.failing_tests.shown())
    return suspicious_functions(observation, inputs.read, source)


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

        async def build() -> WriteContext:
            work = self._work
            request = ContextRequest(work.instance, self._task(), work.settings.tokens, suspects)
            return build_context(work.repository, request, work.progress)

        request = (self._work.instance, self._work.settings.tokens, suspects)
        context = await self._work.effects.run(NAME, request, WriteContext, build)
        self._inputs.report.pointers = tuple(dict.fromkeys(context.pointers))
        return LocalizationResult(context.text, {"by": "context", "digest": context.digest})

    def _task(self) -> Task:
        """Return the task in words; without any, the failing tests."""
        instance = self._work.instance
        if instance.text:
            title = instance.text.strip().partition("\n")[0]
            return Task("text", "", title, instance.text, ticket=instance.ticket)
        title = f"Make {', '.join(instance.failing_tests)} pass"
        shown = (f"{test.source}\n{test.failure}" for test in self._inputs.failing_tests.shown())
        return Task("text", "", title, "\n".join((title, *shown)))


def _pointer(function: SuspiciousFunction, blobs: dict[str, str]) -> CodePointer:
    blob = blobs.get(function.path, "")
    return CodePointer(function.path, function.first_line, function.last_line, function.symbol, blob)
