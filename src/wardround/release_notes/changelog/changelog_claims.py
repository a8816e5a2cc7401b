"""The claims of a changelog entry that the commits of a release can confirm: names of code, and versions."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.lazy import LazyPattern

_ROLE = LazyPattern(r":(?P<role>[a-z]{1,20}(?::[a-z]{1,20})?):`(?P<target>[^`]{1,200})`")
_HYPERLINK = LazyPattern(r"(?<!`)`[^`]{1,300}`__?(?!\w)")
_LITERAL = LazyPattern(r"``(?P<double>[^`]{1,200})``|`(?P<single>[^`]{1,200})`")
_EXPLICIT_TARGET = LazyPattern(r".{0,200}<\s*(?P<target>[^<>]{1,200})\s*>")
_NAME = LazyPattern(
    r"(?P<name>-{0,2}[A-Za-z_$][\w$]*(?:[-.:#/][\w$]+)*)(?:\(.{0,120}\)|\[.{0,60}\]|=.{0,60}|:)?"
)
_REFERENCE = LazyPattern(
    r"(?i)(?:(?<![\w/&])[#!+]|\bgh-|/(?:pull|issues?|merge_requests|pulls)/"
    r"|:(?:pr|pull|issue|gh|ghissue|ghpull|bug|ticket)\w{0,8}:`)(?P<number>\d{1,7})\b"
)
_VERSION_CLAIM = LazyPattern(
    r"(?i)\b(?:bump(?:s|ed)?|upgrade[sd]?|updates?|updated|requires?|required|pins?"
    r"|pinned)\s{1,3}(?:to\s{1,3}|the\s{1,3})?"
    r"`{0,2}(?P<name>@?[a-z][\w./-]{0,60}?)`{0,2}(?:\s{1,3}dependency)?"
    r"(?:\s{1,3}from\s{1,3}`{0,2}[v\d][\w.]{0,30}`{0,2})?\s{0,3}(?:to\b|>=|==|~=|\^"
    r"|~)?\s{0,3}`{0,2}v?(?P<version>\d{1,9}(?:\.\d{1,9}){1,4})"
)
_CODE_ROLES = frozenset(
    {"attr", "class", "const", "data", "envvar", "exc", "func", "meth", "method", "mod", "obj", "option"}
)
_SHORTEST_NAME = 3
_VALUES = frozenset({"none", "true", "false", "null", "undefined", "self", "cls", "nan", "inf"})
"""Literal values, which every code has."""


class VersionClaim(msgspec.Struct, frozen=True):
    """The version of a dependency that an entry claims to raise."""

    dependency: str
    version: str


def names_in(text: str) -> list[str]:
    """Return the names of code in an entry, each once: ``Cart.add`` of ```Cart.add()```."""
    found = (name for span in _code_spans(text) if (name := _name(span)))
    return list(dict.fromkeys(found))


def references_in(text: str) -> frozenset[str]:
    """Return the numbers of issues and pull requests in a text."""
    return frozenset(match["number"] for match in _REFERENCE.finditer(text))


def version_claims(text: str) -> list[VersionClaim]:
    """Return the dependencies whose versions an entry claims to raise."""
    return [VersionClaim(match["name"], match["version"]) for match in _VERSION_CLAIM.finditer(text)]


def _code_spans(text: str) -> Iterator[str]:
    for match in _ROLE.finditer(text):
        if match["role"].rpartition(":")[2] in _CODE_ROLES:
            target = _EXPLICIT_TARGET.fullmatch(match["target"])
            yield target["target"] if target else match["target"]
    for match in _LITERAL.finditer(_HYPERLINK.sub(" ", _ROLE.sub(" ", text))):
        yield match["double"] or match["single"]


def _name(span: str) -> str:
    """Return the name that a span of code consists of; empty for a command line, a path or a value."""
    match = _NAME.fullmatch(span.strip().lstrip("~!.@"))
    name = match["name"] if match else ""
    is_name = len(name) >= _SHORTEST_NAME and "/" not in name and name.lower() not in _VALUES
    return name if is_name else ""
