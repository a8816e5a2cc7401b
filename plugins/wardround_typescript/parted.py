"""Where a change parted a JSDoc comment from its function: what only the comment says, or only the code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.checks import Source
from wardround.drift.documented import DocumentedChange, Parameter
from wardround.drift.parameters import Gone, gone_parameters, undocumented_parameters
from wardround.drift.quoting import Quote, QuoteKind, quotes
from wardround.drift.text import is_code_like
from wardround_typescript.bundles import is_bundle
from wardround_typescript.functions import ComparedFunction, compared_functions
from wardround_typescript.jsdoc import defaults_of

_FUNCTIONS_AT_MOST = 15
"""Where a change touches more documented functions of a file, it is a sweep and says little about each."""
_SHORTEST = 4
_CERTAIN = (QuoteKind.DEFAULT, QuoteKind.NAME, QuoteKind.PARAMETER, QuoteKind.LITERAL)


def untold(source: Source) -> Sequence[ComparedFunction]:
    """The documented functions whose code the change touched, and whose comment it did not."""
    found = compared_functions(source.base_text or "", source.text)
    if len(found) > _FUNCTIONS_AT_MOST or (found and is_bundle(source.path, source.text)):
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

    It is a documented default that is another now, or a name or text that no word of a natural language can
    be, that another took the place of, and that stands nowhere in the file's code any more. What only went
    may have moved into a function of its own, and then the words are still right.
    """
    change = one.compared.change
    return [*_defaults(change), *(quote for quote in quotes(change) if _is_certain(quote, change))]


def _defaults(change: DocumentedChange) -> Iterator[Quote]:
    """The defaults written as JSDoc writes them, ``[tries=3]``, that the change made others."""
    old, new = change.old.signature.defaults, change.new.signature.defaults
    for said in defaults_of(change.words.text):
        now = new.get(said.name)
        if now is not None and _same(said.value, old.get(said.name)) and not _same(said.value, now):
            phrase = f"[{said.name}={said.value}]"
            yield Quote(QuoteKind.DEFAULT, said.value, said.line, said.column, phrase, now)


def _same(one: str, other: str | None) -> bool:
    return other is not None and one.strip("'\"`") == other.strip("'\"`")


def _is_certain(quote: Quote, change: DocumentedChange) -> bool:
    if quote.kind not in _CERTAIN or quote.now is None:
        return False
    if quote.kind is QuoteKind.DEFAULT:
        return True
    if len(quote.token) < _SHORTEST or not (is_code_like(quote.token) or quote.token in change.words.marked):
        return False
    return quote.token not in change.around_names and quote.token not in change.around
