"""Mismatches between a JSDoc comment and its function that a change introduces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.lazy import LazyPattern
from wardround.semantics.docdrift.model import DocumentedChange, Parameter
from wardround.semantics.docdrift.parameters import (
    RemovedParameter,
    removed_documented_parameters,
    undocumented_parameters,
)
from wardround.semantics.docdrift.stale_phrases import Quote, QuoteKind, is_in_address, quotes
from wardround.text.tokens import is_code_like
from wardround_typescript.docdrift.documented_functions import ComparedFunction, compared_functions
from wardround_typescript.docdrift.jsdoc import defaults_of

_FUNCTIONS_AT_MOST = 15
"""Number of documented functions touched in one file above which a change is a sweep."""
_SHORTEST = 4
_PARTS_SHARE = 2 / 3
_OF_TYPE = LazyPattern(r"@(?:typedef|callback)\b")
"""Signs that a comment is about a type and precedes the function by chance."""
_CERTAIN = (QuoteKind.DEFAULT, QuoteKind.NAME, QuoteKind.PARAMETER, QuoteKind.LITERAL)


def untold(source: SourceFile) -> Sequence[ComparedFunction]:
    """Return the documented functions whose code the change touched and whose comment it did not.

    If there are several comments above one function, the last is its own.
    """
    functions = compared_functions(source.base_text or "", source.text)
    last = {(function.compared.line, function.compared.change.name): function for function in functions}
    if len(last) > _FUNCTIONS_AT_MOST:
        return ()
    return [function for function in last.values() if not function.compared.is_documentation_changed]


def removed_parameters(function: ComparedFunction) -> list[RemovedParameter]:
    """Return the documented parameters that the change removed; of a parameter and its properties, the
    parameter.

    A parameter that is now read from a new parameter, ``args.tries``, is still passed under its name.
    """
    change = function.compared.change
    if _OF_TYPE.search(change.words.text):
        return []
    removed = [
        parameter
        for parameter in removed_documented_parameters(change)
        if not _is_property_now(parameter.entry.name, change)
    ]
    names = {parameter.entry.name for parameter in removed}
    return [parameter for parameter in removed if names.isdisjoint(_parents(parameter.entry.name))]


def _is_property_now(name: str, change: DocumentedChange) -> bool:
    """Return True if the code reads a name as a property of a new parameter."""
    holders = set(change.new.signature.names) - set(change.old.signature.names)
    if not holders:
        return False
    part = re.compile(rf"(?<![\w$])({'|'.join(map(re.escape, holders))}) \??\s?\. {re.escape(name)}(?![\w$])")
    return any(part.search(line) for line in change.new.lines)


def _parents(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts))}


def find_undocumented_parameters(function: ComparedFunction) -> list[Parameter]:
    """Return the new parameters of an exported function whose comment documents the others.

    A property, ``options.tries``, only if the comment documents other properties too.
    """
    change = function.compared.change
    if not function.is_exported or _OF_TYPE.search(change.words.text):
        return []
    new = undocumented_parameters(change)
    return [parameter for parameter in new if _has_to_be_documented(parameter.name, change)]


def _has_to_be_documented(name: str, change: DocumentedChange) -> bool:
    owner, dot, own_name = name.rpartition(".")
    if own_name.startswith("_") or own_name in change.words.named:
        return False
    if dot and not _has_documented_properties(owner, change):
        return False
    return not _is_renamed(name, change)


def _is_renamed(name: str, change: DocumentedChange) -> bool:
    """Return True if a parameter replaces one that the comment did not name either."""
    old, new = change.old.signature.names, change.new.signature.names
    if len(old) != len(new):
        return False
    return any(current == name and previous not in new for previous, current in zip(old, new, strict=True))


def _has_documented_properties(whole: str, change: DocumentedChange) -> bool:
    parts = {name for name in change.old.signature.names if name.startswith(f"{whole}.")}
    documented = {entry.name for entry in change.words.parameters} & parts
    return bool(parts) and len(documented) >= _PARTS_SHARE * len(parts)


def stale_quotes(function: ComparedFunction) -> list[Quote]:
    """Return the phrases of the comment that certainly name something the change removed.

    Such a quote is a documented default with a new value, or a replaced name or string that is not a natural
    word and no longer occurs in the code of the file. A name that was only removed may have moved to another
    function, and then the comment is still right.
    """
    change = function.compared.change
    if _OF_TYPE.search(change.words.text):
        return []
    return [*_defaults(change), *(quote for quote in quotes(change) if _is_certain(quote, change))]


def _defaults(change: DocumentedChange) -> Iterator[Quote]:
    """Yield the defaults in JSDoc syntax, ``[tries=3]``, that the change replaced."""
    old, new = change.old.signature.defaults, change.new.signature.defaults
    for documented in defaults_of(change.words.text):
        name, value, current = documented.name, documented.value, new.get(documented.name)
        if current is None or _is_same_signature(value, current):
            continue
        if _is_same_signature(value, old.get(name)):
            phrase = f"[{name}={value}]"
            yield Quote(QuoteKind.DEFAULT, value, documented.line, documented.column, phrase, current)


def _is_same_signature(item: str, other: str | None) -> bool:
    return other is not None and item.strip("'\"`") == other.strip("'\"`")


def _is_certain(quote: Quote, change: DocumentedChange) -> bool:
    if quote.kind not in _CERTAIN or quote.now is None:
        return False
    if quote.kind is QuoteKind.DEFAULT:
        return True
    if _is_of_parameter(quote, change) or is_in_address(change.words.lines[quote.line], quote.column):
        return False
    return _is_special(quote, change) and not _is_in_file(quote, change)


def _is_of_parameter(quote: Quote, change: DocumentedChange) -> bool:
    """Return True for the name of a documented parameter: one that was split into properties still refers
    to all of them.
    """
    position = (quote.token, quote.line)
    return any((entry.name, entry.line) == position for entry in change.words.parameters)


def _is_special(quote: Quote, change: DocumentedChange) -> bool:
    """Return True for a name of code, not a natural word."""
    if len(quote.token) < _SHORTEST:
        return False
    return is_code_like(quote.token) or quote.token in change.words.marked


def _is_in_file(quote: Quote, change: DocumentedChange) -> bool:
    return quote.token in change.around_names or quote.token in change.around
