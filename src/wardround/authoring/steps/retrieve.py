"""The code of a task: what failing tests execute, and what the words of the task name."""

from __future__ import annotations

from wardround.authoring.failing_tests import FailingTests
from wardround.authoring.repair.localization import suspicious_functions
from wardround.authoring.repair.model import Observation, SuspiciousFunction
from wardround.authoring.stages import CodePointer, LocalizationResult
from wardround.authoring.work import Work
from wardround.change.change_source import decode_text


class CodeOfTask:
    """Localizes one instance.

    Attributes:
        pointers: the code that was found so far, the most relevant first.
    """

    def __init__(self, work: Work, tests: FailingTests) -> None:
        self._work = work
        self._tests = tests
        self.pointers: tuple[CodePointer, ...] = ()

    async def run(self, instance_id: str) -> LocalizationResult:
        """Return pointers to the suspicious functions."""
        observation = await self._tests.observation()
        self.pointers = tuple(self._pointer(function) for function in self.functions(observation))
        return LocalizationResult(self.pointers, {"by": "coverage"})

    def functions(self, observation: Observation) -> tuple[SuspiciousFunction, ...]:
        """Return the functions that the failing tests executed, the most suspicious first."""
        source = "\n".join(test.source for test in self._tests.shown())
        return suspicious_functions(observation, self._read, source)

    def _pointer(self, function: SuspiciousFunction) -> CodePointer:
        blobs = dict(self._work.repository.blobs_of(self._work.instance.base))
        blob = blobs.get(function.path, "")
        return CodePointer(function.path, function.first_line, function.last_line, function.symbol, blob)

    def _read(self, path: str) -> str | None:
        content = self._work.repository.tree(self._work.instance.base).read(path)
        return None if content is None else decode_text(content)
