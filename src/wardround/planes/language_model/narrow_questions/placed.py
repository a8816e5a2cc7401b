"""The questions of a plane about the hunks of its input."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from wardround.planes.language_model.narrow_questions.model import NarrowQuestion

_LONGEST_LINE = 160


class PlacedQuestion(msgspec.Struct, frozen=True):
    """A question about a line of a hunk.

    Attributes:
        number: within the request, from 1.
        path: path of the file at the head; ``file`` is the name that the model sees.
        line: line number at the head; for a removed line, that of the line after it.
        at: the text of the line that the question is about.
    """

    number: int
    question: NarrowQuestion
    path: str
    file: str
    line: int
    at: str

    @property
    def as_input(self) -> dict[str, Any]:
        """The question as values of JSON."""
        return {
            "question": self.number,
            "text": self.question.text,
            "file": self.file,
            "line": self.line,
            "at": self.at.strip()[:_LONGEST_LINE],
        }


class RoutedQuestions(msgspec.Struct, frozen=True):
    """The questions of a plane, and the number of those that exceed the bound."""

    placed: tuple[PlacedQuestion, ...] = ()
    omitted: int = 0

    @property
    def as_input(self) -> tuple[dict[str, Any], ...]:
        """The questions as values of JSON."""
        return tuple(question.as_input for question in self.placed)

    def about(self, places: Collection[tuple[str, int]]) -> RoutedQuestions:
        """Return the questions about some lines, numbered again; the others count as omitted.

        Args:
            places: path and line at the head.
        """
        retained = [question for question in self.placed if (question.path, question.line) in places]
        numbered = tuple(
            msgspec.structs.replace(question, number=number) for number, question in enumerate(retained, 1)
        )
        return RoutedQuestions(numbered, self.omitted + len(self.placed) - len(retained))
