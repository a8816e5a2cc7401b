"""The part in which two long representations of values differ, as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

import msgspec

from wardround.lazy import LazyPattern

_HEAD = LazyPattern(r"(?:<[^<>\n]{1,200}>|[\w.]{1,200}|iterator )?[(\[{]")
_TAIL = LazyPattern(r"(?:, (?:shown as|with) |\.\.\. \(|\Z)")
_LABEL = LazyPattern(r"([A-Za-z_]\w{0,100}(?:\(\))?)=(?!=)")
_CONTINUED = LazyPattern(r"(?:shown as|with) ")
_SEQUENCES = ("(", "[", "{", "iterator [")
_OPEN, _CLOSE = "([{", ")]}"
_MOST_DEPTH = 12
_LEAD = 12
_MOST_VALUE = 50
"""Characters of a value."""
_MOST_PATH = 60


class _Container(msgspec.Struct, frozen=True):
    """The text of a value with entries.

    Attributes:
        opening: up to the first bracket.
        entries: with their labels, which are names, keys, or empty.
    """

    opening: str
    entries: tuple[tuple[str, str], ...]

    @property
    def is_keyed(self) -> bool:
        return self.opening.endswith("{")

    @property
    def is_labelled(self) -> bool:
        """True if each entry has a label of its own."""
        labels = [label for label, _ in self.entries]
        return all(labels) and len(set(labels)) == len(labels)


def differing_part(before: str, after: str, name: str) -> str:
    """Return the first part that differs, as a clause without a stop.

    Args:
        name: name of the value, such as ``the result``.
    """
    return _differing_part(before, after, name, "", 0)


def arguments_of(call: str) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Return a call up to its bracket, and its arguments with their names; None for another expression."""
    opening = [at for at, depth in _outside(call, 0) if depth == 1 and call[at] == "("]
    for at in reversed(opening):
        if _is_outer(call, at):
            return call[: at + 1], _entries(call, at + 1, is_keyed=False)[1]
    return None


def _is_outer(call: str, at: int) -> bool:
    """Return True for a bracket that the last character closes."""
    return _closing_bracket(call, at + 1)[0] == len(call) - 1


def around_difference(before: str, after: str, most: int = _MOST_VALUE) -> tuple[str, str]:
    """Return two representations, long ones shortened to the part between their common prefix and suffix."""
    if max(len(before), len(after)) <= most:
        return before, after
    start = _shared_length(before, after)
    end = _shared_length(before[start:][::-1], after[start:][::-1])
    start = start - _LEAD if start > 2 * _LEAD else 0
    shown = [text[start : max(start + _LEAD, len(text) - end + _LEAD)] for text in (before, after)]
    return _clip(before, start, min(most, len(shown[0]))), _clip(after, start, min(most, len(shown[1])))


def _shared_length(before: str, after: str) -> int:
    """Return the length of the common prefix of two strings."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (left, other) in pairs if left != other), min(len(before), len(after)))


def _clip(text: str, start: int, most: int) -> str:
    shown = text[start : start + most]
    return f"{'...' if start else ''}{shown}{'...' if start + most < len(text) else ''}"


def _differing_part(before: str, after: str, name: str, path: str, depth: int) -> str:
    old, new = _container(before), _container(after)
    if old is None or new is None or old.opening != new.opening or depth > _MOST_DEPTH:
        return _values(before, after, name, path)
    if old.is_labelled and new.is_labelled:
        found = _compare_labels(old, new, name, path, depth)
    elif old.opening not in _SEQUENCES:
        found = _compare_wrapped(old, new, name, path, depth)
    else:
        found = _compare_items(old, new, name, path, depth)
    return found or _values(before, after, name, path)


def _compare_labels(old: _Container, new: _Container, name: str, path: str, depth: int) -> str:
    """Compare attributes, or the keys of a dictionary."""
    before, after = dict(old.entries), dict(new.entries)
    kind = "key" if old.is_keyed else "attribute"
    for label, value in before.items():
        if label in after and after[label] != value:
            step = f"[{label}]" if old.is_keyed else f".{label}"
            return _differing_part(value, after[label], name, path + step, depth + 1)
    for label in before:
        if label not in after:
            return f"{_member(name, path)} has no {kind} {_quote(label)} now"
    for label, value in after.items():
        if label not in before:
            return f"{_member(name, path)} has the new {kind} {_quote(label)}: {_clip(value, 0, _MOST_VALUE)}"
    return ""


def _compare_wrapped(old: _Container, new: _Container, name: str, path: str, depth: int) -> str:
    """Compare a class around one container, such as an own list class."""
    before, after = (
        [_complete_entry(entry) for entry in old.entries],
        [_complete_entry(entry) for entry in new.entries],
    )
    if len(before) == len(after) == 1 and _container(before[0]) and _container(after[0]):
        return _differing_part(before[0], after[0], name, path, depth + 1)
    return ""


def _compare_items(old: _Container, new: _Container, name: str, path: str, depth: int) -> str:
    """Compare items by position, or by their contents if their number differs."""
    before, after = (
        [_complete_entry(entry) for entry in old.entries],
        [_complete_entry(entry) for entry in new.entries],
    )
    if len(before) == len(after) and old.opening != "{":
        for at, (left, other) in enumerate(zip(before, after, strict=True)):
            if left != other:
                return _differing_part(left, other, name, f"{path}[{at}]", depth + 1)
        return ""
    return _describe_counts(before, after, _member(name, path))


def _describe_counts(before: list[str], after: list[str], named: str) -> str:
    changes = [
        opcode
        for opcode in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if opcode[0] != "equal"
    ]
    counts = f"{named} has {_items(len(after))} now, {len(before)} before"
    kind, first, _, start, _ = changes[0]
    if kind == "delete":
        return f"{counts}: without {_clip(before[first], 0, _MOST_VALUE)}"
    if kind == "insert":
        return f"{counts}: with {_clip(after[start], 0, _MOST_VALUE)}"
    pair = around_difference(before[first], after[start])
    if len(before) == len(after):
        return f"{named} has {pair[1]} now, in the place of {pair[0]}"
    return f"{counts}: item {first} was {pair[0]}; it is {pair[1]} now"


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _values(before: str, after: str, name: str, path: str) -> str:
    item, other = around_difference(before, after)
    return f"{_member(name, path)} was {item}; it is {other} now"


def _member(name: str, path: str) -> str:
    """Return the name of a part, as the expression that has it."""
    if not path:
        return name
    root = "result" if name.startswith("the ") else name
    return f"`{root}{path if len(path) <= _MOST_PATH else f'...{path[-_MOST_PATH:]}'}`"


def _quote(label: str) -> str:
    return label if label[:1] in "'\"" or label[:1].isdigit() else f"`{label}`"


def _complete_entry(entry: tuple[str, str]) -> str:
    label, value = entry
    return f"{label}={value}" if label else value


def _container(text: str) -> _Container | None:
    head = _HEAD.match(text)
    if head is None:
        return None
    end, entries = _entries(text, head.end(), is_keyed=head.group().endswith("{"))
    is_cut = end < len(text) and not _TAIL.match(text, end + 1)
    return None if is_cut else _Container(head.group(), entries)


def _entries(text: str, start: int, *, is_keyed: bool) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Return the end of a bracket, and the entries between its commas."""
    end, commas = _closing_bracket(text, start)
    starts = [start, *(comma + 2 for comma in commas)]
    parts = [text[at:stop].removesuffix(",") for at, stop in zip_longest(starts, commas, fillvalue=end)]
    return end, tuple(_entry(entry, is_keyed=is_keyed) for entry in _join_entries(parts) if entry)


def _join_entries(parts: list[str]) -> Iterator[str]:
    """Yield the entries: a second representation of an entry after it belongs to it."""
    waiting = ""
    for part in parts:
        if waiting and not _CONTINUED.match(part):
            yield waiting
            waiting = part
        else:
            waiting = f"{waiting}, {part}" if waiting else part
    yield waiting


def _entry(text: str, *, is_keyed: bool) -> tuple[str, str]:
    if is_keyed:
        at = _colon(text)
        return (text[:at], text[at + 2 :]) if at > 0 else ("", text)
    found = _LABEL.match(text)
    return (found.group(1), text[found.end() :]) if found else ("", text)


def _colon(text: str) -> int:
    """Return the position of the first colon outside of brackets and quotes; -1 if there is none."""
    return next((at for at, depth in _outside(text, 0) if depth == 0 and text.startswith(": ", at)), -1)


def _closing_bracket(text: str, start: int) -> tuple[int, list[int]]:
    """Return the end of a bracket, or of a truncated text, and the positions of its commas."""
    commas: list[int] = []
    for at, depth in _outside(text, start):
        if depth < 0:
            return at, commas
        if depth == 0 and text.startswith(", ", at):
            commas.append(at)
    return len(text), commas


def _outside(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the positions outside of quotes, with the depth of brackets there."""
    depth, quote, at = 0, "", start
    while at < len(text):
        item = text[at]
        if quote:
            at += item == "\\"
            quote = "" if item == quote else quote
        elif item in "'\"":
            quote = item
        else:
            depth += (item in _OPEN) - (item in _CLOSE)
            yield at, depth
        at += 1
