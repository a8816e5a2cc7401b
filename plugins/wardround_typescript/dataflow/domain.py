"""The taint domain of scripts: the kinds of sinks, the sources, and the origins that stand for parameters."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag, auto

from tree_sitter import Node

from wardround.semantics.dataflow import domain, state
from wardround.semantics.dataflow.domain import PARAMETER, REQUEST, SinkHit


class SinkKind(IntFlag):
    """A kind of sink; as a label of a value: the value can do harm there.

    A contextual kind is a label that a string gets from its surrounding text, if it has the underlying kind.
    """

    SQL = auto()
    STATEMENT = auto()
    """Contextual: it is part of SQL text."""
    QUOTED = auto()
    """Contextual: it is between quotes in SQL text, so it is not the name of a table or a column."""
    NOSQL = auto()
    """It may be an object with operators of MongoDB."""
    SHELL = auto()
    COMMAND = auto()
    """Contextual: it is part of a command line."""
    PATH = auto()
    CODE = auto()
    OBJECTS = auto()
    TEMPLATE = auto()
    HTML = auto()
    PAGE = auto()
    """Contextual: it is between tags."""
    REDIRECT = auto()
    URL = auto()
    HEADER = auto()
    LDAP = auto()
    XPATH = auto()
    TRUST = auto()
    FIELDS = auto()
    """An object whose keys the sender chose."""
    KEY = auto()
    """It chooses a property."""
    REACHED = auto()
    """Contextual: it is a property that the sender chose, maybe the prototype of all objects."""
    PATTERN = auto()
    LINE = auto()
    """It may contain line breaks."""
    VIEW = auto()
    """Contextual: it is the complete context of a template."""
    METHOD = auto()
    """A value that selects the called function."""


NOTHING = SinkKind(0)
EVERYTHING = SinkKind(sum(SinkKind))
UNDERLYING = {
    SinkKind.STATEMENT: SinkKind.SQL,
    SinkKind.QUOTED: SinkKind.SQL,
    SinkKind.COMMAND: SinkKind.SHELL,
    SinkKind.PAGE: SinkKind.HTML,
    SinkKind.REACHED: SinkKind.KEY,
    SinkKind.VIEW: SinkKind.FIELDS,
}
"""Contextual kind -> the kind that a value must have to get it."""
CONTEXTUAL = SinkKind(sum(UNDERLYING))
INCOMING = EVERYTHING & ~CONTEXTUAL
"""The labels of a value from a source."""
OBJECT = SinkKind.NOSQL | SinkKind.FIELDS
TEXT = INCOMING & ~OBJECT
"""The labels of a value from a source that can only be text."""
OWN_ADDRESS = SinkKind.REDIRECT | SinkKind.URL
"""The labels that text no longer has after the beginning of an address of ours."""

ARGUMENTS = "arguments"
"""Source: the arguments of the program, which its user chose."""
KEYS = ":keys"
"""Suffix of the origin of the keys of a parameter, which are tainted only where the sender chose them."""
FIELDS_KNOWN = "{}"
"""Suffix of the name under which a call binds an object whose fields it binds one by one."""
FIELD = "|"
"""Separator between the origin of a parameter and the name of its field."""

Taint = domain.Taint[SinkKind]
"""Origin -> the labels of a value; an origin is a source, or a parameter behind ``PARAMETER``."""
Sanitized = state.Sanitized[SinkKind]

CLEAN: Taint = {}
TAINTED: Taint = {REQUEST: INCOMING}
TAINTED_TEXT: Taint = {REQUEST: TEXT}


@dataclass(frozen=True, slots=True)
class Hit(SinkHit[SinkKind, Node]):
    """A tainted value reaches a sink.

    Attributes:
        labels: the labels of the value.
    """

    labels: SinkKind = NOTHING


def field_of(taint: Taint, name: str) -> Taint:
    """Return the taint of a field: of a parameter only what calls bind to that field."""
    if not any(origin.startswith(PARAMETER) for origin in taint):
        return taint
    return {
        f"{origin}{FIELD}{name}"
        if origin.startswith(PARAMETER) and _is_complete_parameter(origin)
        else origin: labels
        for origin, labels in taint.items()
    }


def keys_of(taint: Taint) -> Taint:
    """Return the taint of the keys of an object: they are tainted only where the sender chose them."""
    return {
        origin + KEYS if origin.startswith(PARAMETER) and not origin.endswith(KEYS) else origin: labels
        for origin, labels in taint.items()
        if labels & SinkKind.FIELDS
    }


def binding_names(origin: str) -> tuple[str, ...]:
    """Return the names under which calls may bind a value to an origin.

    A field is bound by an object literal, or is part of any other argument; a complete parameter is both.
    """
    origin = origin.removesuffix(KEYS)
    if FIELD in origin:
        return origin, parameter_of(origin)
    return origin, origin + FIELDS_KNOWN


def _is_complete_parameter(origin: str) -> bool:
    return FIELD not in origin and not origin.endswith(KEYS)


def parameter_of(origin: str) -> str:
    """Return the parameter of an origin."""
    return origin.removesuffix(KEYS).partition(FIELD)[0]
