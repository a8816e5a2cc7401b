"""The selection by majority vote over behaviour."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec

from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.ballots import Ballot, BallotBox
from wardround.authoring.selection.evidence import CandidateEvidence
from wardround.authoring.selection.thread import LoopSelection
from wardround.authoring.stages import Patch
from wardround.authoring.steps.alike import compare_candidates

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

    Patches behave alike if they have the same normal form, or the same results of tests and the same results
    of all calls of the functions that any of them edits, on arguments that tests pass to them. Without a call
    that can be compared, patches with another normal form are not alike. The behaviour is compared only of
    patches that can still decide the vote.
    """

    def __init__(self, inputs: RunInputs) -> None:
        super().__init__()
        self._inputs = inputs
        self._box = BallotBox(inputs.work)
        self._evidence = CandidateEvidence(inputs)
        self._problem = ""

    async def _select(self, patches: list[Patch], instance_id: str) -> Patch:
        ballots = self._box.ballots(patches)
        if not ballots:
            return patches[0]
        winner = await self._winner(ballots)
        line = f"{NAME}: {winner.votes} of {len(patches)} patches behave alike, {len(ballots)} differ in code"
        reason = f"; behaviour unknown: {self._problem}" if self._problem else ""
        self._inputs.report.selections.append(f"{line}{reason}")
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
        return _groups_by(ballots, await self._evidence.tests([ballot.candidate for ballot in ballots]))

    async def _by_behaviour(self, group: _Group) -> list[_Group]:
        if len(group.ballots) == 1:
            return [group]
        candidates = [ballot.candidate for ballot in group.ballots]
        self._inputs.work.progress(f"selection: behaviour of {len(candidates)} patches")
        found = await compare_candidates(self._inputs.work, candidates)
        self._problem = found.problem or ("" if found.is_known else "no call could be compared")
        keys = found.digests if found.is_known else [candidate.commit for candidate in candidates]
        return _groups_by(group.ballots, keys)


def _groups_by(ballots: Sequence[Ballot], keys: Sequence[Hashable]) -> list[_Group]:
    groups: dict[Hashable, list[Ballot]] = {}
    for ballot, key in zip(ballots, keys, strict=True):
        groups.setdefault(key, []).append(ballot)
    return [_Group(tuple(group)) for group in groups.values()]
