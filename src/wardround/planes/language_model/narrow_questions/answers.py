"""The answers of a model to narrow questions: each needs a quoted line, and may become a claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from wardround.planes.evidence import QuestionCounts
from wardround.planes.language_model.answer import Claim
from wardround.planes.language_model.answer_text import claims_in
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.narrow_questions.placed import PlacedQuestion, RoutedQuestions
from wardround.planes.language_model.sent_lines import SentLines, quoted_line

_OTHER_WORDS = {
    "true": "yes",
    "false": "no",
    "unknown": "unclear",
    "uncertain": "unclear",
    "unsure": "unclear",
    "n/a": "unclear",
}
"""Synonyms that models use instead of the values of the schema."""


class QuestionAnswer(msgspec.Struct, frozen=True):
    """One answer; further fields are not read."""

    question: int
    answer: Literal["yes", "no", "unclear"]
    quote: str = ""
    message: str = ""


QuestionAnswers = Mapping[int, QuestionAnswer]
"""The number of a question, and its answer."""


class QuestionReader:
    """Reads the answers to the questions of a request.

    Args:
        hunks: as they were sent.
    """

    def __init__(self, routed: RoutedQuestions, hunks: Sequence[SentHunk]) -> None:
        self._routed = routed
        self._by_number = {question.number: question for question in routed.placed}
        self._sent = SentLines(hunks)

    def read(self, content: str) -> QuestionAnswers:
        """Return the answers in a text that resolve a question, or leave it open as unclear."""
        found: QuestionAnswers = {}
        values = claims_in(content, "answers", "answer").values if self._by_number else ()
        for value in values:
            answer = _answer(value)
            if answer is not None and self._is_usable(answer):
                found = self.join(found, {answer.question: answer})
        return found

    def join(self, before: QuestionAnswers, after: QuestionAnswers) -> QuestionAnswers:
        """Merge two answers: the second cannot withdraw an answer that reports a problem."""
        joined = {**before, **after}
        joined.update((number, answer) for number, answer in before.items() if self._is_problem(answer))
        return joined

    def reminder(self, answers: QuestionAnswers) -> str:
        """Return the questions that have to be put again; empty if each has an answer."""
        missing = ", ".join(str(number) for number in self._unanswered_indices(answers))
        return f"it has no answer with a quoted line to question {missing}" if missing else ""

    def claims(self, answers: QuestionAnswers) -> list[Claim]:
        """Return a claim for each answer that means a problem."""
        return [
            Claim(
                file=placed.file,
                line=placed.line,
                quote=answer.quote,
                severity=placed.question.severity,
                message=answer.message.strip() or placed.question.message,
                kind=placed.question.id,
            )
            for placed, answer in self._answered_questions(answers)
            if self._is_problem(answer)
        ]

    def counts(self, answers: QuestionAnswers) -> QuestionCounts:
        """Return the number of questions by their outcome."""
        return QuestionCounts(
            sent=len(self._routed.placed),
            problems=sum(self._is_problem(answer) for answer in answers.values()),
            unclear=sum(answer.answer == "unclear" for answer in answers.values()),
            unresolved=len(self._unanswered_indices(answers)),
            omitted=self._routed.omitted,
        )

    def _unanswered_indices(self, answers: QuestionAnswers) -> list[int]:
        return [number for number in self._by_number if number not in answers]

    def _answered_questions(
        self, answers: QuestionAnswers
    ) -> Iterator[tuple[PlacedQuestion, QuestionAnswer]]:
        return ((placed, answers[number]) for number, placed in self._by_number.items() if number in answers)

    def _is_problem(self, answer: QuestionAnswer) -> bool:
        return answer.answer == self._by_number[answer.question].question.problem

    def _is_usable(self, answer: QuestionAnswer) -> bool:
        """Return True if an answer is about a question, and quotes a line of its file or leaves it open."""
        placed = self._by_number.get(answer.question)
        if placed is None:
            return False
        location = self._sent.place(placed.file, placed.line, quoted_line(answer.quote))
        return answer.answer == "unclear" or not isinstance(location, str)


def _answer(value: Any) -> QuestionAnswer | None:
    """Return an answer, whose value may be a synonym; None if it does not have the form of an answer."""
    if not isinstance(value, dict):
        return None
    word = str(value.get("answer")).strip().strip(".").lower()
    known = {name: part for name, part in value.items() if part is not None}
    try:
        return msgspec.convert(known | {"answer": _OTHER_WORDS.get(word, word)}, QuestionAnswer, strict=False)
    except msgspec.ValidationError:
        return None
