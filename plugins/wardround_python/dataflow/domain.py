"""What text from a stranger can still do, and what carries it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import IntFlag, auto
from typing import TYPE_CHECKING

from wardround.semantics.dataflow import domain, state, summaries
from wardround.semantics.dataflow.domain import PARAMETER, SinkHit, join

if TYPE_CHECKING:
    from wardround_python.dataflow.classes import Instance
    from wardround_python.dataflow.known_value import Known


class SinkKind(IntFlag):
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
    LOG = auto()
    """It can hold line ends, and so lines of its own."""
    SCRIPT = auto()
    """It can end a script it is written into."""
    HOST = auto()
    """It names the server as the sender calls it; other text from a request does not have this."""


NOTHING = SinkKind(0)
EVERYTHING = SinkKind(sum(SinkKind))
PASSED = EVERYTHING & ~SinkKind.PAGE
"""What a parameter hands on."""
ALL = PASSED & ~SinkKind.HOST
"""What a value has when it comes in: PAGE comes with tags around it."""

STORED = "stored"
"""What users of the site saved before: an address they gave, to be called by this server."""
MODEL = "model"
"""What a language model wrote, for whoever asked it."""
UPLOAD = "upload"
"""A file that came with the request: its content is the sender's, and its ``filename``."""

Taint = domain.Taint[SinkKind]
"""What an expression carries: for each origin the dangers that are left. An origin is REQUEST, ARCHIVE,
UPLOAD, or the name of a parameter behind ``PARAMETER``."""

ENCODED = "encoded:"
"""Before an origin: harmless as it is, and all it was once it is decoded."""
SELF = PARAMETER + "self."
"""An attribute of the object a method is called on, where a method of its class gives it a value."""
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
"""A kind, the expression it is at, and the path of the module that expression stands in."""


@dataclass(slots=True)
class Summary(summaries.Summary[SinkKind, Place]):
    """The effect of one function in terms of its parameters.

    Attributes:
        instance: the object it returns, if its class is known; its fields in terms of the parameters.
        returns_self: whether it returns the object it is called on.
        known: what is known of its result, whatever its arguments.
    """

    instance: Instance | None = None
    returns_self: bool = False
    known: Known | None = None

    def session_keys(self) -> set[str]:
        """Return the session entries that the function reads: ``session.next``."""
        origins = {o.removeprefix(PARAMETER) for v in (self.returned, *self.stores.values()) for o in v}
        return {name for name in (*origins, *self.reaches) if name.startswith("session.")}


def encoded(value: Taint) -> Taint:
    """The value in an encoding that does no harm by itself."""
    return {ENCODED + origin.removeprefix(ENCODED): left for origin, left in value.items()}


def decoded(value: Taint) -> Taint:
    return join(*({origin.removeprefix(ENCODED): left} for origin, left in value.items()))
