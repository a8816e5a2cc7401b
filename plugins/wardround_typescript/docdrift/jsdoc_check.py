"""What every check of JSDoc comments is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.base import Check
from wardround.findings import Plane, Span
from wardround_typescript.check import SCRIPTS

if TYPE_CHECKING:
    from wardround_typescript.docdrift.documented_functions import ComparedFunction


class JsDocCheck(Check):
    """A check of functions whose code changed under their comment; ``look_at`` sees one after another.

    What it takes to compare two versions is imported when there is something to compare.
    """

    CASE_PATH = "case.ts"
    PLANE: ClassVar[Plane] = Plane.CONTRACT

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ("/**",)

    def run(self) -> None:
        from wardround_typescript.docdrift.doc_code_mismatch import (
            untold,  # not needed where no comment can have parted
        )

        for one in untold(self.source):
            self.look_at(one)

    @abstractmethod
    def look_at(self, one: ComparedFunction) -> None:
        """Report what is wrong with one function."""

    def words_span(self, one: ComparedFunction, token: str, line: int, column: int = 0) -> Span:
        """The place in the file of a token of the comment.

        Args:
            line, column: where the token stands in the words, or is looked for from, counted from 0.
        """
        number = one.compared.words_line + line
        start = max(self.source.lines[number - 1].find(token, column), 0)
        return Span(number, start + 1, number, start + len(token) + 1)

    def name_span(self, place: int, name: str) -> Span:
        """A name at an offset of the file."""
        line = self.source.text.count("\n", 0, place) + 1
        column = place - self.source.text.rfind("\n", 0, place)
        return Span(line, column, line, column + len(name))
