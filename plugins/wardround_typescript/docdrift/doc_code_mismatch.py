"""Mismatches between a JSDoc comment and its function that a change introduces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.semantics.docdrift.model import DocumentedChange, Parameter
from wardround.semantics.docdrift.parameters import RemovedParameter, gone_parameters, undocumented_parameters
from wardround.semantics.docdrift.stale_phrases import Quote, QuoteKind, is_in_address, quotes
from wardround.storage.regex_cache import bounded
from wardround.text.tokens import is_code_like
from wardround_typescript.docdrift.documented_functions import ComparedFunction, compared_functions
from wardround_typescript.docdrift.jsdoc import defaults_of

_FUNCTIONS_AT_MOST = 15
"""Number of documented functions touched in one file above which a change is a sweep."""
_SHORTEST = 4
_PARTS_SHARE = 2 / 3
_OF_TYPE = LazyPattern(r"@(?:typedef|callback)\b")
"""Signs that a comment is about a type and precedes the function by chance."""
_CODE = ("*.ts", "*.tsx", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.mts", "*.cts", "*.vue", "*.svelte")
_CERTAIN = (QuoteKind.DEFAULT, QuoteKind.NAME, QuoteKind.PARAMETER, QuoteKind.LITERAL)


def untold(source: SourceFile) -> Sequence[ComparedFunction]:
    """Return the documented functions whose code the change touched and whose comment it did not.

    Of several comments above one function, the last is its own.
    """
    compared = compared_functions(source.base_text or "", source.text)
    found = {(one.compared.line, one.compared.change.name): one for one in compared}
    if len(found) > _FUNCTIONS_AT_MOST:
        return ()
    return [one for one in found.values() if not one.compared.is_told]


def gone(one: ComparedFunction) -> list[RemovedParameter]:
    """Return the documented parameters that the change removed; of a parameter and its properties, the
    parameter.

    One that is now read from a new parameter, ``args.tries``, is still passed under its name.
    """
    change = one.compared.change
    if _OF_TYPE.search(change.words.text):
        return []
    found = [each for each in gone_parameters(change) if not _is_part_now(each.entry.name, change)]
    names = {each.entry.name for each in found}
    return [each for each in found if not _parents(each.entry.name) & names]


def _is_part_now(name: str, change: DocumentedChange) -> bool:
    holders = set(change.new.signature.names) - set(change.old.signature.names)
    part = re.compile(rf"(?<![\w$])({'|'.join(map(re.escape, holders))}) \??\s?\. {re.escape(name)}(?![\w$])")
    return bool(holders) and any(part.search(line) for line in change.new.lines)


def _parents(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts))}


def undocumented(one: ComparedFunction) -> list[Parameter]:
    """Return the new parameters of an exported function whose comment documents the others.

    A property, ``options.tries``, only if the comment documents other properties too.
    """
    change = one.compared.change
    if not one.is_exported or _OF_TYPE.search(change.words.text):
        return []
    found = [
        parameter
        for parameter in undocumented_parameters(change)
        if "." not in parameter.name or _has_documented_parts(parameter.name.rpartition(".")[0], change)
    ]
    named = change.words.named
    brought = [parameter for parameter in found if not _is_renamed(parameter.name, change)]
    plain = ((parameter, parameter.name.rpartition(".")[2]) for parameter in brought)
    return [parameter for parameter, name in plain if name not in named and not name.startswith("_")]


def _is_renamed(name: str, change: DocumentedChange) -> bool:
    """Return True if a parameter replaces one that the comment did not name either."""
    old, new = change.old.signature.names, change.new.signature.names
    pairs = zip(old, new, strict=True) if len(old) == len(new) else ()
    return any(now == name and was not in new for was, now in pairs)


def _has_documented_parts(whole: str, change: DocumentedChange) -> bool:
    parts = {name for name in change.old.signature.names if name.startswith(f"{whole}.")}
    documented = {entry.name for entry in change.words.parameters} & parts
    return bool(parts) and len(documented) >= _PARTS_SHARE * len(parts)


def stale_quotes(one: ComparedFunction) -> list[Quote]:
    """Return the phrases of the comment that certainly name something the change removed.

    It is a documented default with a new value, or a name or text that is not a natural word, was replaced,
    and no longer occurs in the code of the file. A name that was only removed may have moved to another
    function, and then the comment is still right.
    """
    change = one.compared.change
    if _OF_TYPE.search(change.words.text):
        return []
    return [*_defaults(change), *(quote for quote in quotes(change) if _is_certain(quote, change))]


def names_nothing(quote: Quote, change: DocumentedChange, source: SourceFile) -> bool:
    """Return True if the named thing is removed for good, and not only from this function.

    A default is, and so is a declared type. Another name may refer to code elsewhere: a public way to the
    same result.
    """
    if quote.kind in (QuoteKind.DEFAULT, QuoteKind.PARAMETER):
        return True
    token = re.escape(quote.token)
    declared = re.compile(rf"(?:^|\s): {token}(?![\w$])|^{token} \??\s?:|\bas {token}(?![\w$])")
    if any(declared.search(line) for line in change.delta.old_lines):
        return True
    if bounded(rf"@(?:typedef|import)\b[^\n]*(?<![\w$]){token}(?![\w$])").search(source.text):
        return False
    return not any(path != source.path for path in source.project.files_with_word([quote.token], _CODE))


def _defaults(change: DocumentedChange) -> Iterator[Quote]:
    """Return the defaults in JSDoc syntax, ``[tries=3]``, that the change replaced."""
    old, new = change.old.signature.defaults, change.new.signature.defaults
    for message in defaults_of(change.words.text):
        now = new.get(message.name)
        if now is not None and _same(message.value, old.get(message.name)) and not _same(message.value, now):
            phrase = f"[{message.name}={message.value}]"
            yield Quote(QuoteKind.DEFAULT, message.value, message.line, message.column, phrase, now)


def _same(one: str, other: str | None) -> bool:
    return other is not None and one.strip("'\"`") == other.strip("'\"`")


def _is_certain(quote: Quote, change: DocumentedChange) -> bool:
    if quote.kind not in _CERTAIN or quote.now is None:
        return False
    if quote.kind is QuoteKind.DEFAULT:
        return True
    if any((entry.name, entry.line) == (quote.token, quote.line) for entry in change.words.parameters):
        return False  # where a parameter was split into properties, its name still refers to all of them
    if is_in_address(change.words.lines[quote.line], quote.column):
        return False
    if len(quote.token) < _SHORTEST or not (is_code_like(quote.token) or quote.token in change.words.marked):
        return False
    return quote.token not in change.around_names and quote.token not in change.around
