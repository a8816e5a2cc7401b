"""Sanitizers: the catalogue of names, and the string patterns that make values harmless."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.catalogue import load_catalogue
from wardround_typescript.dataflow.domain import EVERYTHING, NOTHING, SinkKind


class SanitizerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Functions that remove the same labels: those in ``removes``, or all but those in ``keeps``."""

    names: list[str]
    removes: list[str] = []
    keeps: list[str] | None = None

    @property
    def removed(self) -> SinkKind:
        """The labels that the functions remove."""
        if self.keeps is not None:
            return EVERYTHING & ~_labels(self.keeps)
        return _labels(self.removes)


class SanitizerCatalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", dict=True):
    """The content of ``wardround_rules/dataflow/typescript/sanitizers.yml``."""

    sanitizers: list[SanitizerEntry]
    propagating_functions: frozenset[str]
    deserializers: frozenset[str]
    propagating_methods: frozenset[str]
    composing_methods: frozenset[str]
    adding_methods: frozenset[str]
    iterating_methods: frozenset[str]
    clean_properties: frozenset[str]
    converters: frozenset[str]
    inconclusive_checks: frozenset[str]
    exits: frozenset[str]

    @cached_property
    def removed_labels(self) -> Mapping[str, SinkKind]:
        """The name of a sanitizer -> the labels it removes."""
        return {name: entry.removed for entry in self.sanitizers for name in entry.names}


@cache
def catalogue() -> SanitizerCatalogue:
    """Return the sanitizers that ``wardround_rules/dataflow/typescript/sanitizers.yml`` declares."""
    return load_catalogue("typescript", "sanitizers", SanitizerCatalogue)


def _labels(names: list[str]) -> SinkKind:
    labels = NOTHING
    for name in names:
        labels |= SinkKind[name.upper()]
    return labels


CHECKING = LazyPattern(
    r"^(is|has|in|allow(ed|s)?|valid(ate|ated|ator)?|check(ed|s)?|verif(y|ied)|ensure|assert|invariant|"
    r"require[sd]?|guard|permit(ted)?|match(es)?|contains|reject|deny|refuse|forbid|restrict|authori[sz]e|"
    r"whitelist(ed)?|saniti[sz]e|enforce)(?![a-z])"
)
"""Names of functions that validate a value."""

_HTML = SinkKind.HTML | SinkKind.PAGE
LEADS = LazyPattern(r"^(https?|wss?|ftp):?//[^/?#%{\s]+[/?#]|^/($|[^/\\])|^[?#]|^mailto:|^[a-z][\w.-]*/")
"""Text that fixes the target of an address, whatever follows it."""

TAG = LazyPattern(r"<\s*[/!a-zA-Z]")
STATEMENT = LazyPattern(
    r"(?i)\b(select\s.*?\bfrom|insert\s+into|delete\s+from|update\s+\S+\s+set|order\s+by|group\s+by|where\s+\S"
    r"|create\s+(table|index|database|user|role|schema|view)|drop\s+\w+|alter\s+\w+|truncate\s|set\s+(local|session|search_path)"
    r"|limit\s+|values\s*\(|having\s|grant\s|union\s|returning\s|call\s+\w+|notify\s|listen\s|copy\s)"
)
CLAUSE = LazyPattern(
    r"(?i)(^|[\s(.\w\"`\])])(=|<>|!=|>=?|<=?|~~?\*?|i?like|in\s*\(|between|is|and|or|@>|contains)\s*\(?\s*$"
)
"""Text after which a value of a condition follows."""
HEADER_LINE = LazyPattern(
    r"^(?:[A-Z][A-Za-z]*(?:-[A-Za-z0-9]+)+|Subject|To|From|Cc|Bcc|Host|Cookie|Location):\s"
)
REPLACES_ALL_BUT = LazyPattern(r"^/\(?\[\^|^/\\W|^/\\D|^/\\s\*?\[\^")
"""Regular expressions that remove all characters except those they list."""


def removed_labels(pattern: str) -> SinkKind:
    """Return the labels that a string no longer has after all matches of a regular expression are
    replaced.
    """
    if REPLACES_ALL_BUT.search(pattern):
        return EVERYTHING
    removed = NOTHING
    if "g" not in pattern.rpartition("/")[2] and pattern.startswith("/"):
        return NOTHING
    for marks, labels in _TAKEN_OUT:
        if all(mark in pattern for mark in marks):
            removed |= labels
    return removed


_TAKEN_OUT: tuple[tuple[tuple[str, ...], SinkKind], ...] = (
    (("\\r", "\\n"), SinkKind.HEADER | SinkKind.LINE),
    (("\\n",), SinkKind.HEADER | SinkKind.LINE),
    (("<",), _HTML),
    (("&",), _HTML),
    (("'",), SinkKind.SQL | SinkKind.STATEMENT | SinkKind.QUOTED),
    (("/", "\\\\"), NOTHING),
    (("(", ")", "*"), SinkKind.LDAP | SinkKind.PATTERN),
    (("\\\\", "^", "$"), SinkKind.PATTERN),
)
