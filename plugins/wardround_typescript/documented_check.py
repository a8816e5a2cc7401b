"""What the checks of JSDoc comments share: the functions a change touched while it left their comment alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Check, Source
from wardround.drift.documented import DocumentedChange, Parameter
from wardround.drift.parameters import Gone, gone_parameters, undocumented_parameters
from wardround.drift.quoting import Quote, QuoteKind, quotes
from wardround.drift.text import is_code_like
from wardround.findings import Plane, Span
from wardround_typescript.functions import ComparedFunction, compared_functions

_FUNCTIONS_AT_MOST = 15
"""Where a change touches more documented functions of a file, it is a sweep and says little about each."""
_SHORTEST = 4


def untold(source: Source) -> Sequence[ComparedFunction]:
    """The documented functions whose code the change touched, and whose comment it did not."""
    found = compared_functions(source.base_text or "", source.text)
    if len(found) > _FUNCTIONS_AT_MOST:
        return ()
    return [one for one in found if not one.compared.is_told]


def gone(one: ComparedFunction) -> list[Gone]:
    """The documented parameters that the change took out; of a parameter and its parts, the parameter."""
    found = gone_parameters(one.compared.change)
    names = {each.entry.name for each in found}
    return [each for each in found if not _parents(each.entry.name) & names]


def _parents(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts))}


def undocumented(one: ComparedFunction) -> list[Parameter]:
    """The parameters the change brought to an exported function whose comment documents the others."""
    if not one.is_exported:
        return []
    named = one.compared.change.words.named
    found = ((p, p.name.rpartition(".")[2]) for p in undocumented_parameters(one.compared.change))
    return [parameter for parameter, name in found if name not in named and not name.startswith("_")]


def stale_quotes(one: ComparedFunction) -> list[Quote]:
    """The phrases of the comment that name something the change took out, as far as that is beyond doubt.

    It is a documented default that is another now, a documented error that is thrown no more, or a name or text
    that no word of a natural language can be, and that stands nowhere in the code of the file any more.
    """
    change = one.compared.change
    return [quote for quote in quotes(change) if _is_certain(quote, change)]


def _is_certain(quote: Quote, change: DocumentedChange) -> bool:
    if quote.kind is QuoteKind.DEFAULT:
        return quote.now is not None
    if quote.kind is QuoteKind.ERROR:
        return quote.token not in change.around_names
    if quote.kind not in (QuoteKind.NAME, QuoteKind.PARAMETER, QuoteKind.LITERAL):
        return False
    if len(quote.token) < _SHORTEST or not (is_code_like(quote.token) or quote.token in change.words.marked):
        return False
    return quote.token not in change.around_names and quote.token not in change.around


class JsDocCheck(Check):
    """A check of functions whose code changed under their comment; ``look_at`` sees one after another."""

    PLANE: ClassVar[Plane] = Plane.CONTRACT

    def run(self) -> None:
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
