"""The code that failing tests execute."""

from __future__ import annotations

from wardround.authoring.context.suspects import Suspect
from wardround.authoring.repair.failing_source import failing_source
from wardround.authoring.repair.localization import suspicious_functions
from wardround.authoring.repair.model import SuspiciousFunction
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.stages import CodePointer, LocalizationResult

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

    async def suspects(self) -> tuple[Suspect, ...]:
        """Return the first of the functions; none of an instance without failing tests."""
        if not self._work.instance.failing_tests:
            return ()
        result = await self.run(self._work.instance.id)
        return tuple(Suspect(pointer, _EXECUTED) for pointer in result.pointers[:_MOST_SUSPECTS])


async def executed_functions(inputs: RunInputs) -> tuple[SuspiciousFunction, ...]:
    """Return the functions that the failing tests execute, the most suspicious first."""
    observation = await inputs.failing_tests.observation()
    return suspicious_functions(observation, inputs.read, failing_source(observation, inputs.read))


def _pointer(function: SuspiciousFunction, blobs: dict[str, str]) -> CodePointer:
    blob = blobs.get(function.path, "")
    return CodePointer(function.path, function.first_line, function.last_line, function.symbol, blob)
