"""What text from a stranger can still do, and what carries it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag, auto


class Danger(IntFlag):
    """One bit for each kind of place the text must not reach as it is."""

    SQL = auto()
    SHELL = auto()
    PATH = auto()
    CODE = auto()
    OBJECTS = auto()
    TEMPLATE = auto()
    HTML = auto()
    PAGE = auto()
    """It stands between tags already; HTML is what any text brings along."""
    REDIRECT = auto()
    URL = auto()
    LDAP = auto()
    XPATH = auto()
    TRUST = auto()
    FIELDS = auto()
    """It is a mapping, and the sender chose its keys."""
    ORIGIN = auto()
    PATTERN = auto()
    BACKTRACK = auto()


NOTHING = Danger(0)
EVERYTHING = Danger(sum(Danger))
ALL = EVERYTHING & ~Danger.PAGE
"""Everything but PAGE: what a value has when it comes in."""

REQUEST = "request"
ARCHIVE = "archive"
UPLOAD = "upload"
"""A file that came with the request: its content is the sender's, and its ``filename``."""

Value = Mapping[str, Danger]
"""What an expression carries: for each origin the dangers that are left. An origin is REQUEST, ARCHIVE,
UPLOAD, or the name of a parameter behind ``PARAMETER``."""

PARAMETER = "parameter:"
CLEAN: Value = {}


@dataclass(frozen=True, slots=True)
class Hit:
    """Data of an origin reaches a place it must not, at ``node``."""

    danger: Danger
    node: ast.expr
    origin: str


def united(*values: Value) -> Value:
    """What a value carries that may be any of these, or is made of all of them."""
    found = [value for value in values if value]
    if len(found) < 2:
        return found[0] if found else CLEAN
    merged: dict[str, Danger] = {}
    for value in found:
        for origin, left in value.items():
            merged[origin] = merged.get(origin, NOTHING) | left
    return merged


def without(value: Value, gone: Danger) -> Value:
    """The value after something took dangers away."""
    return {origin: left & ~gone for origin, left in value.items() if left & ~gone} if value else CLEAN


def only(value: Value, kept: Danger) -> Value:
    """The value where nothing but ``kept`` is handed on."""
    return {origin: left & kept for origin, left in value.items() if left & kept} if value else CLEAN
