"""The phrase of the documentation that names a removed piece of code."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wardround.lazy import LazyPattern
from wardround.semantics.docdrift.model import DocumentedChange, DocumentedCode, mentions_any
from wardround.text.tokens import NAME, is_code_like, tokens

_WORDS_AROUND = 4
_LONGEST = 72
_SHORTEST = 3
_LONGEST_LINE = 200
"""Maximum number of tokens of a line; longer ones are tables, and comparing them piece by piece takes too
long.
"""
_WORD = LazyPattern(r"\w{3}")
_PLAIN_TYPES = frozenset({"bytes", "dict", "float", "int", "list", "set", "str", "tuple"})
_ADDRESS = LazyPattern(r"\b[a-z]+://[^\s<>]+")
_DEFAULT_WORDS = LazyPattern(r"(?i)\bdefault")
_KINDS_OF_RESULT = {
    "list": ("[", "list(", "sorted("),
    "tuple": ("(", "tuple("),
    "dict": ("{", "dict("),
    "dictionary": ("{", "dict("),
    "None": ("None",),
}
"""English words for kinds of results, and how the returned expression begins."""
_KNOWN_KINDS = ("[", "(", "{", "'", '"', "None", "True", "False", *"0123456789")
"""The beginnings of expressions whose kind is evident."""


class QuoteKind(enum.StrEnum):
    """The kind of the removed code, the most reliable first."""

    DEFAULT = "default"
    ERROR = "error"
    PARAMETER = "parameter"
    NAME = "name"
    LITERAL = "literal"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Quote:
    """A phrase of the documentation and the removed piece of code that it names.

    Attributes:
        token: the removed code, as the documentation writes it.
        line, column: the position of the mention, 0-based; the column in its line.
        phrase: the words around it.
        now: its replacement, if known.
    """

    kind: QuoteKind
    token: str
    line: int
    column: int
    phrase: str
    now: str | None = None


def quotes(change: DocumentedChange) -> list[Quote]:
    """Return every phrase that names removed code, the most reliable first, one for each piece."""
    found: dict[str, Quote] = {}
    for quote in _all_quotes(change):
        found.setdefault(quote.token, quote)
    order = list(QuoteKind)
    return sorted(found.values(), key=lambda q: (order.index(q.kind), q.line, q.column))


def _all_quotes(change: DocumentedChange) -> Iterator[Quote]:
    yield from _defaults(change)
    yield from _errors(change)
    yield from _names(change)
    yield from _literals(change)
    yield from _results(change)


def _defaults(change: DocumentedChange) -> Iterator[Quote]:
    """Return documented defaults that changed."""
    new = change.new.signature.defaults
    for name, default in change.old.signature.defaults.items():
        if name not in change.new.signature.names or new.get(name) == default:
            continue
        if new.get(name) in (None, "None"):  # computed later, possibly to the same value
            continue
        text = _plain(default)
        for number in _lines_about(change, name):
            line = change.words.lines[number]
            start = _DEFAULT_WORDS.search(line)
            location = _find(line, text, start.start() if start else 0) if start else -1
            if location >= 0:
                yield _quote(change, QuoteKind.DEFAULT, text, number, location, _plain(new[name]))
                break


def _lines_about(change: DocumentedChange, parameter: str) -> Iterator[int]:
    """Return the lines that describe a parameter."""
    starts = sorted(entry.line for entry in change.words.parameters)
    for entry in change.words.parameters:
        if entry.name == parameter:
            extent = entry.text.count("\n") + 1
            following = next((s for s in starts if s > entry.line), len(change.words.lines))
            yield from range(entry.line, min(entry.line + extent + 1, following))


def _errors(change: DocumentedChange) -> Iterator[Quote]:
    """Return documented errors that another error replaced; a callee may still raise a removed one."""
    instead = [name for name in change.new.raises if name not in change.old.raises]
    for entry in change.words.raises if instead else ():
        simple = entry.name.rpartition(".")[2]
        if simple in change.old.raises and simple not in change.new.names:
            location = _find(change.words.lines[entry.line], simple)
            if location >= 0:
                yield _quote(change, QuoteKind.ERROR, simple, entry.line, location, instead[0])


def _names(change: DocumentedChange) -> Iterator[Quote]:
    """Return removed names: parameters, and names marked as code that were renamed or left the file.

    A name that was only removed may denote something that happens elsewhere now. If any keyword is accepted,
    a parameter may still be passed. The local variables of a function are not documented.
    """
    renamings = _renamings(change)
    for name in sorted((change.removed & change.words.named) - change.new.literals):
        if len(name) < _SHORTEST or name == change.simple_name:
            continue
        current = _renamed_to(change, renamings, name)
        if name in change.old.signature.names:
            if not change.new.signature.open_ended:
                yield from _first_mention(change, QuoteKind.PARAMETER, name, current)
        elif _is_stale_name(change, name, current):
            yield from _first(change, QuoteKind.NAME, name, current)


def _is_stale_name(change: DocumentedChange, name: str, current: str | None) -> bool:
    """Return True if a name that is marked as code was renamed or left the file."""
    if not is_code_like(name) and name not in change.words.marked:
        return False
    return (current is not None or _is_removed_from_file(change, name)) and not _is_local(change, name)


def _is_removed_from_file(change: DocumentedChange, text: str) -> bool:
    """Return True if no code of the file contains a name any more; False if the file is not known."""
    return bool(change.around) and not change.around_names.issuperset(NAME.findall(text))


def _is_local(change: DocumentedChange, name: str) -> bool:
    """Return True if the old code assigned a name."""
    assigned = re.compile(
        rf"(?:^|\bfor |\bas |, |\(|\b(?:let|const|var) ){name}(?:,.*)?(?: :?= | in |:$|\) )"
    )
    return any(assigned.search(line) for line in change.old.lines if name in line)


def _first_mention(
    change: DocumentedChange, kind: QuoteKind, name: str, current: str | None
) -> Iterator[Quote]:
    """Return the first mention of a parameter; a part of a dotted path or a plain word does not count."""
    marked = rf"(?<=[`*]){name}(?=[`*])|(?<![\w.~]){name}(?==)|^[ \t]*{name}(?= *[:-])"
    pattern = re.compile(rf"(?<![\w.~]){name}(?!\w|\.\w)" if is_code_like(name) else marked)
    for number, line in enumerate(change.words.lines):
        match = pattern.search(line) if name in line else None
        if match:
            yield _quote(change, kind, name, number, line.index(name, match.start()), current)
            return


def _literals(change: DocumentedChange) -> Iterator[Quote]:
    """Return replaced numbers, and strings marked as code that were replaced or left the file."""
    words = change.words
    parameters = {entry.name for entry in words.parameters}.union(change.new.signature.names)
    named = {text for text in change.removed_literals - parameters if text in words.text}
    replaced = _replaced_literals(change) if named else {}
    for text in sorted(named):
        if _is_stale_literal(change, text, replaced.get(text)):
            yield from _first(change, QuoteKind.LITERAL, text, replaced.get(text))


def _is_stale_literal(change: DocumentedChange, text: str, current: str | None) -> bool:
    """Return True if a named literal was replaced; a telling text also if it left the file."""
    words = change.words
    if text in words.numbers:
        return current is not None and text not in ("0", "1")
    if not _WORD.search(text):
        return False
    is_telling = is_code_like(text) or text in words.marked or not text.isalpha()
    return is_telling and (current is not None or _is_removed_from_file(change, text))


def _results(change: DocumentedChange) -> Iterator[Quote]:
    """Return the documented kinds of results that are evidently no longer returned."""
    old, new, words = change.old, change.new, change.words
    is_documented = words.returns is not None or mentions_any(words.stems, "return")
    if not is_documented or old.yields or not _has_known_results(new):
        return
    before, current = _returned_kinds(old), _returned_kinds(new)
    is_named = any(re.search(rf"\bor {kind}\b|\b{kind} or\b", words.text) for kind in current)
    for kind in before:
        if kind not in current and (kind == "None" or not is_named):
            yield from _first_of_result(change, kind)


def _has_known_results(body: DocumentedCode) -> bool:
    """Return True for a generator, and if each returned value is of an evident kind."""
    if body.yields:
        return True
    return bool(body.returns) and all(value.startswith(_KNOWN_KINDS) for value in body.returns)


def _returned_kinds(code: DocumentedCode) -> list[str]:
    """Return the kinds of results that the code evidently returns."""
    return [
        kind
        for kind, starts in _KINDS_OF_RESULT.items()
        if any(value.startswith(starts) for value in code.returns)
    ]


def _first_of_result(change: DocumentedChange, word: str) -> Iterator[Quote]:
    """Return the first line about the result that names a kind."""
    about = change.words.returns or ""
    for number, line in enumerate(change.words.lines):
        location = _find(line, word)
        if location >= 0 and (word == "None" or "return" in line.lower() or line.strip() in about):
            current = "yield" if change.new.yields else None
            yield _quote(change, QuoteKind.RESULT, word, number, location, current)
            return


def _first(change: DocumentedChange, kind: QuoteKind, token: str, current: str | None) -> Iterator[Quote]:
    for number, line in enumerate(change.words.lines):
        location = _find(line, token)
        if location >= 0 and not is_in_address(line, location):
            yield _quote(change, kind, token, number, location, current)
            return


def is_in_address(line: str, place: int) -> bool:
    """Return True if a position is within a URL, whose names are not those of the code."""
    return any(match.start() <= place < match.end() for match in _ADDRESS.finditer(line))


def _find(line: str, token: str, start: int = 0) -> int:
    """Return the offset of a token in a line as a separate word; -1 if there is none."""
    if token not in line:
        return -1
    match = re.compile(rf"(?<!\w){re.escape(token)}(?!\w)").search(line, start)
    return match.start() if match else -1


def _quote(
    change: DocumentedChange, kind: QuoteKind, token: str, line: int, column: int, current: str | None
) -> Quote:
    return Quote(kind, token, line, column, _phrase(change.words.lines[line], column, token), current)


def _phrase(line: str, column: int, token: str) -> str:
    """Return the words of a line around a position."""
    before = line[:column].split()
    after = line[column + len(token) :]
    glued = "" if line[:column].endswith(tuple(" \t")) or not before else before.pop()
    tail = after.split()
    joint = tail.pop(0) if tail and not after[:1].isspace() else ""
    phrase = " ".join([*before[-_WORDS_AROUND:], f"{glued}{token}{joint}", *tail[:_WORDS_AROUND]])
    return phrase if len(phrase) <= _LONGEST else f"{glued}{token}{joint}"[:_LONGEST]


def _plain(source: str) -> str:
    """Return a default as prose would write it: a string without its quotes."""
    return source[1:-1] if source[:1] in "'\"" and source[-1:] == source[:1] and len(source) > 2 else source


def _renamed_to(change: DocumentedChange, renamings: _Renamings, name: str) -> str | None:
    """Return the new name that turns a removed line into an added line, if it is of the same sort."""
    others = _new_parameters(change, name)
    for line in change.delta.old_lines:
        if name in line:
            for candidate in renamings.get(_blank_name(list(tokens(line)), name), ()):
                if candidate not in others and _same_sort(name, candidate):
                    return candidate
    return None


_Tokens = Sequence[tuple[str, str]]
_Renamings = Mapping[tuple[tuple[str, str], ...], Sequence[str]]
"""An added line without one new name -> the names that fill the gap."""


def _renamings(change: DocumentedChange) -> _Renamings:
    found: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for line in change.delta.new_lines:
        pieces = list(tokens(line))
        new = {text for kind, text in pieces if kind == "name"} & change.added
        for name in sorted(new) if len(pieces) <= _LONGEST_LINE else ():
            found.setdefault(_blank_name(pieces, name), []).append(name)
    return found


def _blank_name(line: _Tokens, name: str) -> tuple[tuple[str, str], ...]:
    """Return a line with a gap instead of a name."""
    return tuple(("gap", "") if piece == ("name", name) else piece for piece in line)


def _new_parameters(change: DocumentedChange, name: str) -> set[str]:
    """Return the parameters that cannot be the new name of something that was not a parameter."""
    return set() if name in change.old.signature.names else set(change.new.signature.names)


def _same_sort(name: str, other: str) -> bool:
    """Return True if both or neither are private, and both or neither are types."""
    return name.startswith("_") == other.startswith("_") and _is_type(name) == _is_type(other)


def _is_type(name: str) -> bool:
    return name.lstrip("_")[:1].isupper() or name in _PLAIN_TYPES


def _replaced_literals(change: DocumentedChange) -> dict[str, str]:
    """Return the literals replaced by others in otherwise unchanged lines, if the meaning differs.

    ``owner/name`` instead of ``name`` is the same in full.
    """
    new = {gap: text for line in change.delta.new_lines for gap, text in _literal_gaps(line)}
    found: dict[str, str] = {}
    for line in change.delta.old_lines:
        for gap, text in _literal_gaps(line):
            current = new.get(gap, text)
            if _letters(current) != _letters(text) and not current.endswith(f"/{text}"):
                found.setdefault(text, current)
    return found


def _literal_gaps(line: str) -> Iterator[tuple[tuple[object, ...], str]]:
    """Return a line without one of its literals, and that literal, for each."""
    pieces = list(tokens(line))
    for location, (kind, text) in enumerate(pieces) if len(pieces) <= _LONGEST_LINE else ():
        if kind in ("string", "number"):
            yield (*pieces[:location], "gap", *pieces[location + 1 :]), text


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()
