"""The selection by majority vote over behaviour."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec

from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.ballots import Ballot, BallotBox
from wardround.authoring.selection.evidence import CandidateEvidence
from wardround.authoring.selection.thread import LoopSelection
from wardround.authoring.stages import Patch
from wardround.context.run_evidence import BehaviourRun, RunState

NAME = "vote"


class _Group(msgspec.Struct, frozen=True):
    """Ballots with the same behaviour, in their order."""

    ballots: tuple[Ballot, ...]

    @property
    def first(self) -> Ballot:
        return self.ballots[0]

    @property
    def votes(self) -> int:
        return sum(ballot.votes for ballot in self.ballots)

    @property
    def rank(self) -> tuple[int, int]:
        """The more, the better: votes, then an early first patch."""
        return self.votes, -self.first.position


class MajorityVote(LoopSelection):
    """Selects the first patch of the largest group of patches that behave alike.

    Patches behave alike if they have the same normal form, or the same results of tests and the same
    differences of behaviour, on recorded arguments, from the base. A patch of which no call could be compared
    is like no other one. The behaviour is compared only of patches that can still decide the vote.
    """

    def __init__(self, inputs: RunInputs) -> None:
        super().__init__()
        self._inputs = inputs
        self._box = BallotBox(inputs.work)
        self._evidence = CandidateEvidence(inputs)

    def run(self, patches: list[Patch], instance_id: str) -> Patch:
        """Return the selected patch; the first one if none is usable.

        Raises:
            SandboxError: nothing could be run.
        """
        return self.wait_for(self._selected(patches))

    async def _selected(self, patches: list[Patch]) -> Patch:
        ballots = self._box.ballots(patches)
        if not ballots:
            return patches[0]
        winner = await self._winner(ballots)
        self._inputs.report.selections.append(
            f"{NAME}: {winner.votes} of {len(patches)} patches behave alike, {len(ballots)} differ in code"
        )
        return patches[winner.first.position]

    async def _winner(self, ballots: Sequence[Ballot]) -> _Group:
        groups = await self._by_tests(ballots) if len(ballots) > 1 else [_Group(tuple(ballots))]
        winner = None
        for group in sorted(groups, key=lambda group: group.rank, reverse=True):
            if winner is not None and winner.rank > group.rank:
                break
            best = max(await self._by_behaviour(group), key=lambda part: part.rank)
            winner = max(filter(None, (winner, best)), key=lambda part: part.rank)
        assert winner is not None
        return winner

    async def _by_tests(self, ballots: Sequence[Ballot]) -> list[_Group]:
        return _grouped(ballots, await self._evidence.tests([ballot.candidate for ballot in ballots]))

    async def _by_behaviour(self, group: _Group) -> list[_Group]:
        if len(group.ballots) == 1:
            return [group]
        return _grouped(group.ballots, [await self._differences(ballot) for ballot in group.ballots])

    async def _differences(self, ballot: Ballot) -> Hashable:
        return _differences(await self._evidence.behaviour(ballot.candidate)) or ballot.candidate.commit


def _grouped(ballots: Sequence[Ballot], keys: Sequence[Hashable]) -> list[_Group]:
    groups: dict[Hashable, list[Ballot]] = {}
    for ballot, key in zip(ballots, keys, strict=True):
        groups.setdefault(key, []).append(ballot)
    return [_Group(tuple(group)) for group in groups.values()]


def _differences(run: BehaviourRun) -> Hashable:
    """Return the differences without the positions of the code; empty if no call could be compared."""
    if run.conditions.state is not RunState.COMPLETE or not run.compared:
        return ()
    shown = frozenset(
        (difference.path, difference.function, difference.call, difference.before, difference.after)
        for difference in run.differences
    )
    numbers = frozenset((function.path, function.function, function.differing) for function in run.compared)
    return shown, numbers
