"""The second pass of a plane: a claim of the first is refuted, or it becomes a finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from wardround.planes.language_model.answer import CheckedClaim, UnusableAnswer
from wardround.planes.language_model.answer_text import claims_in
from wardround.planes.language_model.inputs import PlaneInput
from wardround.planes.language_model.prompts import load_refutation
from wardround.planes.language_model.question import Question


class RefutationInput(PlaneInput, frozen=True, kw_only=True):
    """The input of the second pass.

    Attributes:
        aspect: the plane of the claims.
        claims: each with its number, from 1.
        evidence: the input of the first pass.
    """

    aspect: str
    claims: tuple[dict[str, Any], ...]
    evidence: PlaneInput


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on one claim; further fields are not read."""

    claim: int
    verdict: Literal["upheld", "refuted"]
    reason: str = ""


Verdicts = dict[int, Verdict]
"""The index of a claim, from 0, and its verdict."""


def refutation(question: Question, claims: Sequence[CheckedClaim]) -> Question:
    """Return the question about the claims that answered another one."""
    numbered = tuple(
        {"claim": number, **msgspec.structs.asdict(claim)} for number, claim in enumerate(claims, 1)
    )
    content = RefutationInput(
        aspect=question.plane.value,
        claims=numbered,
        evidence=question.content,
        omitted_hunks=question.omitted,
    )
    return Question(load_refutation(question.plane), content, question.hunks, question.omitted)


class VerdictReader:
    """Reads the verdicts on some claims."""

    def __init__(self, count: int) -> None:
        self._count = count

    def decode(self, content: str) -> Verdicts:
        """Return the verdicts of a complete answer.

        Raises:
            UnusableAnswer: a claim has no verdict.
        """
        verdicts = self.read(content)
        missing = [str(number + 1) for number in range(self._count) if number not in verdicts]
        if missing:
            raise UnusableAnswer(f"no verdict on claim {', '.join(missing)}", verdicts)
        return verdicts

    def read(self, content: str) -> Verdicts:
        """Return the verdicts in a text; of two on one claim the one that upholds it."""
        found: Verdicts = {}
        for value in claims_in(content, "claims", "verdict").values:
            try:
                verdict = msgspec.convert(value, Verdict, strict=False)
            except msgspec.ValidationError:
                continue
            number = verdict.claim - 1
            if 0 <= number < self._count and (number not in found or verdict.verdict == "upheld"):
                found[number] = verdict
        return found

    def objection(self, content: Verdicts) -> str:
        """Return nothing: an answer with a verdict on each claim can be used."""
        return ""

    def join(self, before: Verdicts, after: Verdicts) -> Verdicts:
        """Return the verdicts of two answers; the later one counts."""
        return {**before, **after}
