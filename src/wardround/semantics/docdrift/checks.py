"""The common part of the documentation checks of all languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span

if TYPE_CHECKING:
    from wardround.checks.source import SourceFile
    from wardround.semantics.docdrift.comment_lines import CommentSyntax
    from wardround.semantics.docdrift.return_claims import StaleName
    from wardround.semantics.docdrift.stale_comments import StalePhrase

_TOLD_AT_MOST = 5
_WIDEST = 300


def is_changed(source: SourceFile) -> bool:
    """Return True if a file existed before the change and lost a line by it; a prefilter."""
    base = source.base_text
    if base is None or base == source.text or source.text.startswith(base):
        return False
    return not set(base.split("\n")) <= set(source.text.split("\n"))


def stale_comments(source: SourceFile, marks: CommentSyntax) -> Sequence[StalePhrase]:
    """Return the phrases of a file that the change made untrue, by line."""
    if not is_changed(source):
        return ()
    from wardround.semantics.docdrift.removed_steps import stale_choices, stale_steps
    from wardround.semantics.docdrift.return_claims import stale_results
    from wardround.semantics.docdrift.schema_bounds import stale_bounds
    from wardround.semantics.docdrift.stale_comments import (  # only if something changed
        stale_names,
        stale_values,
    )
    from wardround.semantics.docdrift.stale_verbs import stale_verbs
    from wardround.semantics.docdrift.units import stale_units

    base, text, is_added = source.base_text or "", source.text, source.is_added
    found: dict[int, StalePhrase] = {}
    looks = (
        stale_units, stale_values, stale_names, stale_results, stale_steps, stale_choices, stale_bounds,
        stale_verbs,
    )  # fmt: skip
    for look in looks:
        for one in look(base, text, marks, is_added):
            found.setdefault(one.line, one)
    return [found[line] for line in sorted(found)][:_TOLD_AT_MOST]


def describe(one: StalePhrase) -> tuple[Span, str]:
    """Return the positions of stale phrases and their messages."""
    swap = one.swap
    did = f'replaced "{swap.old}" with "{swap.new}"' if swap.new else f'removed "{swap.old}"'
    message = f'the text says "{one.phrase}", but this change {did}'
    return Span(one.line, one.column, one.line, max(one.end, one.column)), message


CHANGING = (
    "getdel", "getset", "pop", "rem", "delete", "unlink", "discard", "take", "_or_", "orcreate", "upsert",
    "update", "create", "insert", "destroy", "shift", "splice", "clear", "replace", "purge", "reset",
    "truncate", "drop", "revoke", "kill", "terminate", "wipe", "erase", "expunge", "flush",
    "deactivate", "archive",
)  # fmt: skip
"""Lower-case words; every name that ``docdrift.return_claims`` treats as a mutation contains one."""


def stale_reader_names(source: SourceFile, marks: CommentSyntax) -> Sequence[StaleName]:
    """Return the names that imply a function only reads, where it no longer does."""
    lowered = "" if source.base_text is None else source.added_text.lower()
    if not any(word in lowered for word in CHANGING):
        return ()
    from wardround.semantics.docdrift.return_claims import impure_getters

    return impure_getters(source.base_text or "", source.text, marks)


def said_of_name(one: StaleName) -> tuple[Span, str]:
    """Return the position of a stale name and its message."""
    span = Span(one.line, one.column, one.line, one.column + len(one.name))
    became = f'replaced "{one.was}" with "{one.now}"' if one.was else f'added "{one.now}"'
    return span, f'"{one.name}" has the name of a read, but this change {became}, which changes what is read'


class MismatchedUnits(msgspec.Struct, frozen=True):
    """A name of one unit that is assigned a name of another, and its position, 1-based."""

    name: str
    given: str
    line: int
    column: int


UNIT_WORDS = (
    "_ms", "_sec", "_millis", "_min", "_hour", "_day", "_kb", "_mb", "_gb", "_bytes", "_km", "_kib", "_mib",
    "Ms", "Sec", "Millis", "Min", "Hour", "Day", "Kb", "Mb", "Gb", "Bytes", "Km",
    "KB", "MB", "GB", "_MS", "_SEC", "_MIN", "_HOUR", "_DAY", "_S",
)  # fmt: skip
"""Every text with a name of a unit contains one of these."""
_GIVEN = LazyPattern(
    r"(?:_(?:ms|s|secs?|seconds?|millis\w*|mins?|minutes?|hours?|days?|kb|mb|gb|bytes|km|[km]ib)"
    r"|Ms|Secs?|Seconds|Millis\w*|Mins?|Minutes|Hours|Days|K[bB]|M[bB]|G[bB]|Bytes|Km|_MS|_SECS?|_SECONDS)"
    r"(?![A-Za-z0-9])[^\S\n]*(?::[^\n=]{1,40})?[=:]"
)


def unit_mismatches(source: SourceFile) -> Sequence[MismatchedUnits]:
    """Return the names of a unit that added lines assign a name of another."""
    from wardround.semantics.docdrift.units import mismatched

    found: dict[int, MismatchedUnits] = {}
    text = source.text
    for place in _GIVEN.finditer(text):
        start = text.rfind("\n", 0, place.start()) + 1
        end = text.find("\n", place.start())
        line = text[start : end if end >= 0 else len(text)]
        one = mismatched(line) if len(line) < _WIDEST else None
        if one is not None:
            number = text.count("\n", 0, start) + 1
            if source.is_added(number):
                found[number] = MismatchedUnits(one[0], one[1], number, one[2] + 1)
    return [found[number] for number in sorted(found)]


def unit_values(source: SourceFile) -> Sequence[tuple[Span, str]]:
    """Return the position and message of the numbers of added lines in another unit than their name."""
    from wardround.semantics.docdrift.unit_literals import misplaced_values

    told = []
    for one in misplaced_values(source.text):
        line, column = source.position(one.start)
        if source.is_added(line):
            message = f'"{one.name}" is set to {one.value}, which is apparently {one.is_in}'
            told.append((Span(line, column, line, column + len(one.name)), message))
    return told


def wrong_messages(source: SourceFile) -> Sequence[tuple[Span, str]]:
    """Return the position and message of added error texts that contradict the condition above them."""
    from wardround.semantics.docdrift.error_messages import mismatched_messages

    return [
        (Span(one.line, one.column, one.line, one.column + one.length), one.message)
        for one in sorted(mismatched_messages(source.text), key=lambda one: (one.line, one.column))
        if any(source.is_added(n) for n in range(max(one.line - 1, 1), one.line + 1))
    ]


def said_of_units(one: MismatchedUnits) -> tuple[Span, str]:
    """Return the position of differing units and their message."""
    span = Span(one.line, one.column, one.line, one.column + len(one.name))
    return span, f'"{one.name}" is assigned "{one.given}" unconverted, whose name is of another unit'
