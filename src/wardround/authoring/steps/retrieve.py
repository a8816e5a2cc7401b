"""The code of a task: what failing tests execute, and what the words of the task name."""

from __future__ import annotations

from wardround.authoring.context.assembly import ContextRequest, build_context
from wardround.authoring.context.model import WriteContext
from wardround.authoring.context.suspects import Suspect
from wardround.authoring.failing_tests import FailingTests
from wardround.authoring.repair.localization import suspicious_functions
from wardround.authoring.repair.model import Observation, SuspiciousFunction
from wardround.authoring.stages import CodePointer, LocalizationResult
from wardround.authoring.task import Task
from wardround.authoring.work import Work
from wardround.change.change_source import decode_text

NAME = "context"
_MOST_SUSPECTS = 10
_EXECUTED = "the failing tests execute it"


class ExecutedCode:
    """Localizes an instance by the functions that its failing tests execute.

    Attributes:
        pointers: the code that was found, the most suspicious first; empty before.
    """

    def __init__(self, work: Work, tests: FailingTests) -> None:
        self._work = work
        self._tests = tests
        self.pointers: tuple[CodePointer, ...] = ()

    async def run(self, instance_id: str) -> LocalizationResult:
        """Return pointers to the functions."""
        observation = await self._tests.observation()
        blobs = dict(self._work.repository.blobs_of(self._work.instance.base))
        self.pointers = tuple(_pointer(function, blobs) for function in self.functions(observation))
        return LocalizationResult(self.pointers, {"by": "coverage"})

    def functions(self, observation: Observation) -> tuple[SuspiciousFunction, ...]:
        """Return the functions that the failing tests executed, the most suspicious first."""
        source = "\n".join(test.source for test in self._tests.shown())
        return suspicious_functions(observation, self._read, source)

    def _read(self, path: str) -> str | None:
        content = self._work.repository.tree(self._work.instance.base).read(path)
        return None if content is None else decode_text(content)


class ContextOfTask:
    """Localizes an instance as the ready text of its context, with the executed functions first.

    Attributes:
        pointers: as above.
    """

    def __init__(self, work: Work, tests: FailingTests, executed: ExecutedCode) -> None:
        self._work = work
        self._tests = tests
        self._executed = executed
        self.pointers: tuple[CodePointer, ...] = ()

    async def run(self, instance_id: str) -> LocalizationResult:
        """Return the text of the context."""
        if self._work.instance.failing_tests:
            await self._executed.run(instance_id)
        suspects = tuple(Suspect(pointer, _EXECUTED) for pointer in self._executed.pointers[:_MOST_SUSPECTS])

        async def build() -> WriteContext:
            work = self._work
            request = ContextRequest(work.instance, self._task(), work.settings.tokens, suspects)
            return build_context(work.repository, request, work.progress)

        request = (self._work.instance, self._work.settings.tokens, suspects)
        context = await self._work.effects.run(NAME, request, WriteContext, build)
        self.pointers = context.pointers
        return LocalizationResult(context.text, {"by": "context", "digest": context.digest})

    def _task(self) -> Task:
        """Return the task in words; without any, the failing tests."""
        instance = self._work.instance
        if instance.text:
            title = instance.text.strip().partition("\n")[0]
            return Task("text", "", title, instance.text, ticket=instance.ticket)
        title = f"Make {', '.join(instance.failing_tests)} pass"
        shown = (f"{test.source}\n{test.failure}" for test in self._tests.shown())
        return Task("text", "", title, "\n".join((title, *shown)))


def _pointer(function: SuspiciousFunction, blobs: dict[str, str]) -> CodePointer:
    blob = blobs.get(function.path, "")
    return CodePointer(function.path, function.first_line, function.last_line, function.symbol, blob)
