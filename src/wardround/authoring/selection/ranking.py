"""The selection by a model's ranking."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from wardround.authoring.context.localization import with_text
from wardround.authoring.endpoint.author import ShownTest
from wardround.authoring.endpoint.conversation import Conversation
from wardround.authoring.endpoint.patch_answer import UnusableAnswer, decode_document
from wardround.authoring.endpoint.roles import Answer, Role
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.ballots import Ballot, BallotBox
from wardround.authoring.selection.thread import LoopSelection
from wardround.authoring.stages import LocalizationResult, Patch

NAME = "ranking"
_LONGEST_REASON = 300


class ShownPatch(msgspec.Struct, frozen=True):
    """A patch under the number by which the answer names it."""

    number: int
    patch: str


class RankerInput(msgspec.Struct, frozen=True):
    """The input of the ranker's prompt."""

    task: str
    constraints: tuple[str, ...]
    failing_tests: tuple[ShownTest, ...]
    context: str
    patches: tuple[ShownPatch, ...]


class RankedPatch(msgspec.Struct, frozen=True):
    """A patch in an answer."""

    number: int
    reason: str


class RankerAnswer(msgspec.Struct, frozen=True):
    """The answer of a ranker: all patches, the best first."""

    ranking: tuple[RankedPatch, ...]


class ModelRanking(LoopSelection):
    """Selects the first patch of a model's ranking; without a usable one, the first of the list.

    The model sees each different patch once as a diff, in an order that depends on the instance alone, and
    neither its author nor its place in the list.
    """

    def __init__(self, inputs: RunInputs, role: Role) -> None:
        super().__init__()
        self._inputs = inputs
        self._role = role
        self._box = BallotBox(inputs.work)

    async def _select(self, patches: list[Patch], instance_id: str) -> Patch:
        ballots = self._box.ballots(patches)
        if len(ballots) < 2:
            return patches[ballots[0].position if ballots else 0]
        shown = _display_order(ballots, instance_id)
        conversation = Conversation(self._role)
        answer = await conversation.ask(self._question(shown), lambda text: _decode(text, len(shown)))
        lines = self._inputs.report.selections
        if answer is None:
            lines.append(f"{NAME}: the first patch, as the answer cannot be used: {conversation.problem}")
            return patches[ballots[0].position]
        best = answer.ranking[0]
        lines.append(f"{NAME}: {best.reason[:_LONGEST_REASON]}")
        return patches[shown[best.number - 1].position]

    def _question(self, shown: Sequence[Ballot]) -> RankerInput:
        instance = self._inputs.work.instance
        return RankerInput(
            instance.text,
            tuple(constraint.text for constraint in instance.constraints),
            tuple(self._inputs.failing_tests.shown_tests()),
            self._context(),
            tuple(ShownPatch(number, ballot.candidate.diff) for number, ballot in enumerate(shown, 1)),
        )

    def _context(self) -> str:
        """Return the text of the localization; that of its pointers if it has no other."""
        report, work = self._inputs.report, self._inputs.work
        if report.context is not None:
            return report.context.text
        if not report.pointers:
            return ""
        found = LocalizationResult(report.pointers)
        return with_text(work.repository, work.instance.base, found, work.settings.tokens).text


def _display_order(ballots: Sequence[Ballot], instance_id: str) -> list[Ballot]:
    """Return the ballots in an order that depends on their diffs and the instance, not on their positions."""
    ordered = sorted(ballots, key=lambda ballot: ballot.candidate.diff)
    random.Random(instance_id).shuffle(ordered)  # noqa: S311
    return ordered


def _decode(answer: Answer, number: int) -> RankerAnswer:
    """Return the ranking in an answer.

    Raises:
        UnusableAnswer: there is none, or it does not have each number once.
    """
    found = decode_document(answer.text, RankerAnswer, "ranking")
    numbers = sorted(item.number for item in found.ranking)
    if numbers != list(range(1, number + 1)):
        raise UnusableAnswer(f"its ranking does not have each number from 1 to {number} once")
    return found
