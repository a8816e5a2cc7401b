"""The result of a mutation run, and its part in the evidence of a review."""

from __future__ import annotations

import msgspec

from wardround.context.run_evidence import RunState, TestsRun, UnnoticedMutation


class TriedMutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant whose tests ran.

    Attributes:
        kind: kind of the edit, as ``removed-call``.
        tests: the number of tests that run the line.
    """

    path: str
    line: int
    kind: str
    before: str
    after: str
    is_noticed: bool
    tests: int


class MutationResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The mutants that were tried.

    Attributes:
        possible: the number of mutants of the changed lines.
        detail: one sentence unless all mutants that tests cover were tried, up to the limit.
    """

    state: RunState
    tried: tuple[TriedMutant, ...] = ()
    possible: int = 0
    detail: str = ""

    @property
    def unnoticed(self) -> tuple[UnnoticedMutation, ...]:
        """Mutants after which all tests that execute the line still passed, by position."""
        found = [mutant for mutant in self.tried if not mutant.is_noticed]
        found.sort(key=lambda mutant: (mutant.path, mutant.line))
        return tuple(
            UnnoticedMutation(mutant.path, mutant.line, mutant.before, mutant.after) for mutant in found
        )

    def added_to(self, evidence: TestsRun) -> TestsRun:
        """Return the evidence of a run of tests with that of the mutants."""
        return msgspec.structs.replace(
            evidence, mutations=len(self.tried), unnoticed=self.unnoticed, mutation_problem=self._problem
        )

    @property
    def _problem(self) -> str:
        """The reason why possible mutants did not run, without the path of a log; empty if they did."""
        is_missing = self.state is RunState.REFUSED or (self.state is RunState.FAILED and self.possible > 0)
        return self.detail.partition(" (see ")[0] if is_missing else ""
