"""What text from a stranger can still do, and what carries it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntFlag, auto

from tree_sitter import Node


class SinkKind(IntFlag):
    """One bit for each kind of place the text must not reach as it is."""

    SQL = auto()
    STATEMENT = auto()
    """It stands in SQL text already; SQL is what any text brings along."""
    QUOTED = auto()
    """It stands between quotes in SQL text: no name of a table or a column."""
    NOSQL = auto()
    """It may be an object, and then operators of MongoDB's are in it."""
    SHELL = auto()
    COMMAND = auto()
    """It stands in a command line already."""
    PATH = auto()
    CODE = auto()
    OBJECTS = auto()
    TEMPLATE = auto()
    HTML = auto()
    PAGE = auto()
    """It stands between tags already; HTML is what any text brings along."""
    REDIRECT = auto()
    URL = auto()
    HEADER = auto()
    LDAP = auto()
    XPATH = auto()
    TRUST = auto()
    FIELDS = auto()
    """It is an object, and the sender chose its keys."""
    KEY = auto()
    """It chooses a property."""
    REACHED = auto()
    """A property the sender chose; it may be the prototype of all objects."""
    PATTERN = auto()
    LINE = auto()
    """It may hold line breaks."""
    VIEW = auto()
    """It is given to a template whole; FIELDS is what it must be for that to matter."""
    METHOD = auto()
    """It chooses what is called."""


NOTHING = SinkKind(0)
EVERYTHING = SinkKind(sum(SinkKind))
PLACED = (
    SinkKind.STATEMENT | SinkKind.QUOTED | SinkKind.COMMAND | SinkKind.PAGE | SinkKind.REACHED | SinkKind.VIEW
)
"""What text gets only by where it is put."""
BEHIND = {
    SinkKind.STATEMENT: SinkKind.SQL,
    SinkKind.QUOTED: SinkKind.SQL,
    SinkKind.COMMAND: SinkKind.SHELL,
    SinkKind.PAGE: SinkKind.HTML,
    SinkKind.REACHED: SinkKind.KEY,
    SinkKind.VIEW: SinkKind.FIELDS,
}
"""Of what text gets by its place, what it must have brought along."""
ALL = EVERYTHING & ~PLACED
"""What a value has when it comes in."""
OBJECT = SinkKind.NOSQL | SinkKind.FIELDS
TEXT = ALL & ~OBJECT
"""What a value has that can be nothing but text."""

OWN_ADDRESS = SinkKind.REDIRECT | SinkKind.URL
"""What is gone from text that leads to a place of ours, whatever follows."""

REQUEST = "request"
ARCHIVE = "archive"
ARGUMENTS = "arguments"
"""The words of the command line: whoever starts the program chose them."""
PARAMETER = "parameter:"
KEYS = ":keys"
"""Ends the origin of what the keys of a parameter bring: the sender's text only where the object is his."""

FIELDS_KNOWN = "{}"
"""Ends the name under which an object is handed over whose fields are handed over by themselves."""
FIELD = "|"
"""Stands between the origin of a parameter and the name of a field of it."""

Value = Mapping[str, SinkKind]
"""What an expression carries: for each origin the dangers that are left. An origin is REQUEST, ARCHIVE,
ARGUMENTS, or a parameter behind ``PARAMETER``."""

CLEAN: Value = {}
SENT: Value = {REQUEST: ALL}
SENT_TEXT: Value = {REQUEST: TEXT}


@dataclass(frozen=True, slots=True)
class Hit:
    """Data of an origin reaches a place it must not, at a node of the module at ``path``."""

    danger: SinkKind
    path: str
    node: Node
    origin: str
    left: SinkKind = NOTHING


def united(*values: Value) -> Value:
    """What a value carries that may be any of these, or is made of all of them."""
    return all_of(values)


def all_of(values: Iterable[Value]) -> Value:
    """The same, of any number."""
    found = [value for value in values if value]
    if len(found) < 2:
        return found[0] if found else CLEAN
    merged: dict[str, SinkKind] = {}
    for value in found:
        for origin, left in value.items():
            merged[origin] = merged.get(origin, NOTHING) | left
    return merged


def without(value: Value, gone: SinkKind) -> Value:
    """The value after something took dangers away."""
    return {origin: left & ~gone for origin, left in value.items() if left & ~gone} if value else CLEAN


def only(value: Value, kept: SinkKind) -> Value:
    """The value where nothing but ``kept`` is handed on."""
    return {origin: left & kept for origin, left in value.items() if left & kept} if value else CLEAN


def added(value: Value, more: SinkKind, where: SinkKind) -> Value:
    """The value with ``more`` where it still has ``where``."""
    return {origin: left | more if left & where else left for origin, left in value.items()}


def field_of(value: Value, name: str) -> Value:
    """What a field brings of what may be a parameter: calls can say what the field is given."""
    if not any(origin.startswith(PARAMETER) for origin in value):
        return value
    return {
        f"{origin}{FIELD}{name}" if origin.startswith(PARAMETER) and _is_whole(origin) else origin: left
        for origin, left in value.items()
    }


def sources_of(origin: str) -> tuple[str, ...]:
    """Under which names something may have been handed to what an origin stands for.

    A field is given by an object written in the call, or is a part of whatever was handed over; a whole
    parameter is both.
    """
    origin = origin.removesuffix(KEYS)
    if FIELD in origin:
        return origin, parameter_of(origin)
    return origin, origin + FIELDS_KNOWN


def _is_whole(origin: str) -> bool:
    return FIELD not in origin and not origin.endswith(KEYS)


def parameter_of(origin: str) -> str:
    """The parameter an origin is, or is a part of."""
    return origin.removesuffix(KEYS).partition(FIELD)[0]
