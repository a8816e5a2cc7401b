"""The taint domain of Python: kinds of sink, sources and hits."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import IntFlag, auto

from wardround.semantics.dataflow import domain, state
from wardround.semantics.dataflow.domain import PARAMETER, SinkHit, join


class SinkKind(IntFlag):
    """The kinds of sink, one bit each."""

    SQL = auto()
    SHELL = auto()
    PATH = auto()
    CODE = auto()
    OBJECTS = auto()
    TEMPLATE = auto()
    HTML = auto()
    PAGE = auto()
    """The value is between the tags of a page; HTML is the kind of any text."""
    REDIRECT = auto()
    URL = auto()
    LDAP = auto()
    XPATH = auto()
    TRUST = auto()
    FIELDS = auto()
    """The value is a mapping whose keys the sender chooses."""
    ORIGIN = auto()
    PATTERN = auto()
    BACKTRACK = auto()
    LOG = auto()
    """The value can contain line breaks, and so forge log entries."""
    SCRIPT = auto()
    """The value can end the script it is written into."""
    HOST = auto()
    """The value is a server name chosen by the sender; no other part of a request has this kind."""


NOTHING = SinkKind(0)
EVERYTHING = SinkKind(sum(SinkKind))
PASSED = EVERYTHING & ~SinkKind.PAGE
"""The kinds that a parameter propagates."""
ALL = PASSED & ~SinkKind.HOST
"""The kinds of data from a source; PAGE needs tags around it."""

STORED = "stored"
"""The source of addresses that users saved, and that this server calls."""
MODEL = "model"
"""The source of text that a language model generates."""
UPLOAD = "upload"
"""The source of uploaded files: the sender chooses content and ``filename``."""

Taint = domain.Taint[SinkKind]
"""Origin -> the kinds of sink the data can still harm. An origin is REQUEST, ARCHIVE, UPLOAD and so on, or
the name of a parameter behind ``PARAMETER``."""

ENCODED = "encoded:"
"""Prefix of an origin: harmless until it is decoded."""
SELF = PARAMETER + "self."
"""Prefix of an attribute of ``self`` that a method of its class assigns."""
Sanitized = state.Sanitized[SinkKind]
CLEAN: Taint = {}


@dataclass(frozen=True, slots=True)
class Hit(SinkHit[SinkKind, ast.expr]):
    """Tainted data reaches a sink.

    Attributes:
        call: the call that passes the data to the function of the sink, if that is another one.
    """

    call: ast.expr | None = None


Place = tuple[SinkKind, ast.expr, str]
"""A kind of sink, the expression that reaches it, and the path of its module."""


def encode_taint(value: Taint) -> Taint:
    """Return the taint of an encoded value, which is harmless until it is decoded."""
    return {ENCODED + origin.removeprefix(ENCODED): kinds for origin, kinds in value.items()}


def decode_taint(value: Taint) -> Taint:
    return join(*({origin.removeprefix(ENCODED): kinds} for origin, kinds in value.items()))
