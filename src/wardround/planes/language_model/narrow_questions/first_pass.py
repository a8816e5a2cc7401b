"""The answer to the first pass of a plane: its claims, and the answers to its narrow questions."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from wardround.planes.evidence import QuestionCounts
from wardround.planes.language_model.answer import Answer, ClaimReader, UnusableAnswer
from wardround.planes.language_model.narrow_questions.answers import QuestionAnswers, QuestionReader
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.verified_claims import Verified


class FirstPass(msgspec.Struct, frozen=True):
    """The verified claims of an answer, and its answers to questions."""

    verified: Verified
    answers: QuestionAnswers


class FirstPassReader:
    """Reads the answers to the first pass of a plane.

    Args:
        verified: returns the claims of an answer that quote the input.
    """

    def __init__(self, question: Question, verified: Callable[[Answer], Verified]) -> None:
        self._claims = ClaimReader(question.prompt, verified)
        self._questions = QuestionReader(question.narrow, question.hunks)
        self._verified = verified

    def decode(self, content: str) -> FirstPass:
        """Return the content of a complete answer.

        Raises:
            UnusableAnswer: it has no document of the output schema, or none of its claims matches it.
        """
        try:
            return FirstPass(self._claims.decode(content), self._questions.read(content))
        except UnusableAnswer as cause:
            partial = Verified() if cause.partial is None else cause.partial
            raise UnusableAnswer(str(cause), FirstPass(partial, self._questions.read(content))) from cause

    def read(self, content: str) -> FirstPass:
        """Return the part of an incomplete answer that can be read."""
        return FirstPass(self._claims.read(content), self._questions.read(content))

    def join(self, before: FirstPass, after: FirstPass) -> FirstPass:
        """Merge two answers: the second cannot withdraw the claims of the first."""
        verified = self._claims.join(before.verified, after.verified)
        return FirstPass(verified, self._questions.join(before.answers, after.answers))

    def objection(self, content: FirstPass) -> str:
        """Return the reason why an answer cannot be used; empty if it can."""
        return self._claims.objection(content.verified)

    def reminder(self, content: FirstPass) -> str:
        """Return the questions that an answer skips; empty if it skips none."""
        return self._questions.reminder(content.answers)

    def claims(self, content: FirstPass) -> Verified:
        """Return the claims that the model makes, and those that follow from its answers."""
        answers = Answer(tuple(self._questions.claims(content.answers)))
        return self._claims.join(content.verified, self._verified(answers))

    def counts(self, content: FirstPass) -> QuestionCounts:
        """Return the number of questions by their outcome."""
        return self._questions.counts(content.answers)
