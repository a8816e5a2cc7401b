"""The base of the checks of JSDoc comments."""

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
    """A check of functions whose code changed under their comment; ``look_at`` inspects each of them.

    The comparison of two versions is imported when there is something to compare.
    """

    CASE_PATH = "case.ts"
    PLANE: ClassVar[Plane] = Plane.CONTRACT

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ("/**",)

    def run(self) -> None:
        from wardround_typescript.docdrift.doc_code_mismatch import (
            untold,  # not needed if no comment can be separated from its code
        )

        for function in untold(self.source):
            self.look_at(function)

    @abstractmethod
    def look_at(self, item: ComparedFunction) -> None:
        """Report the defects of one function."""

    def words_span(self, item: ComparedFunction, token: str, line: int, column: int = 0) -> Span:
        """Return the span of a token of the comment in the file.

        Args:
            line, column: position of the token in the comment, or start of the search for it, counted
                from 0.
        """
        number = item.compared.words_line + line
        start = max(self.source.lines[number - 1].find(token, column), 0)
        return Span(number, start + 1, number, start + len(token) + 1)

    def name_span(self, place: int, name: str) -> Span:
        """Return the span of a name at an offset of the file."""
        line = self.source.text.count("\n", 0, place) + 1
        column = place - self.source.text.rfind("\n", 0, place)
        return Span(line, column, line, column + len(name))
