"""The context of a task as a localization: its ready text, its pointers and its plan."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import msgspec

from wardround.authoring.context.assembly import ContextRequest, build_context
from wardround.authoring.context.base_code import BaseCode, with_base_code
from wardround.authoring.context.code_vectors import Encoder
from wardround.authoring.context.localization import localization_of, task_of
from wardround.authoring.context.model import WriteContext
from wardround.authoring.context.suspects import Suspect
from wardround.authoring.plan.markdown import as_markdown
from wardround.authoring.plan.planning import plan_of
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.stages import LocalizationResult, Value
from wardround.authoring.task import Task

Suspects = Callable[[], Awaitable[tuple[Suspect, ...]]]
"""Returns the code that precedes all other code."""


class StartingPoint(msgspec.Struct, frozen=True):
    """The files of ``wardround write`` for a task: its context, and its plan as Markdown.

    Attributes:
        encoder: name of the encoder in the rankings; empty without one.
        cpu_s: processor seconds of this process.
    """

    context: WriteContext
    plan: str
    encoder: str = ""
    cpu_s: float = 0.0

    @property
    def cost(self) -> dict[str, Value]:
        """How it was made, for the metadata of a result."""
        return {"encoder": self.encoder, "cpu_s": self.cpu_s}


async def no_suspects() -> tuple[Suspect, ...]:
    """Return no code."""
    return ()


class ContextOfTask:
    """Localizes an instance as the ready text of its context.

    Args:
        name: that of the localization, and of its step in the sequence.
        suspects: the code that precedes what the rankings find.
        encoder: opens the encoder in the rankings; None for words alone.
    """

    def __init__(
        self,
        inputs: RunInputs,
        name: str,
        suspects: Suspects = no_suspects,
        encoder: Callable[[], Encoder] | None = None,
    ) -> None:
        self._inputs = inputs
        self._work = inputs.work
        self._name = name
        self._suspects = suspects
        self._encoder = encoder

    async def run(self, instance_id: str) -> LocalizationResult:
        """Return the text of the context, with its pointers and the lines in it.

        Raises:
            UsageError: it needs an encoder that cannot be used.
        """
        suspects = await self._suspects()

        async def build() -> StartingPoint:
            return self._starting_point(suspects)

        request = (self._work.instance, self._work.settings.tokens, suspects)
        start = await self._work.effects.run(self._name, request, StartingPoint, build)
        result = localization_of(start.context, {"by": self._name, "first": len(suspects), **start.cost})
        report = self._inputs.report
        report.pointers = result.pointers
        report.context, report.plan = start.context, start.plan
        return result

    def _starting_point(self, suspects: tuple[Suspect, ...]) -> StartingPoint:
        work, began = self._work, time.process_time()
        request = ContextRequest(work.instance, self._task(), work.settings.tokens, suspects)
        encoder = None if self._encoder is None else self._encoder()

        def write(code: BaseCode) -> tuple[WriteContext, str]:
            context = build_context(code, request)
            return context, as_markdown(plan_of(context, code))

        context, plan = with_base_code(work.repository, work.instance.base, write, work.progress, encoder)
        name = "" if encoder is None else encoder.name
        return StartingPoint(context, plan, name, round(time.process_time() - began, 2))

    def _task(self) -> Task:
        """Return the task in words; without any, the failing tests."""
        instance = self._work.instance
        if instance.text or instance.ticket is not None:
            return task_of(instance)
        title = f"Make {', '.join(instance.failing_tests)} pass"
        shown = (f"{test.source}\n{test.failure}" for test in self._inputs.failing_tests.shown_tests())
        return Task("text", "", title, "\n".join((title, *shown)))
