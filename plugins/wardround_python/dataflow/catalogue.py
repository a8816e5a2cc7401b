"""The sources, sinks and sanitizers of Python that are known by name: ``wardround_rules/dataflow/python``."""

from __future__ import annotations

import msgspec

from wardround.semantics.dataflow.catalogue import load_catalogue


class SourceCatalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The content of ``sources.yml``, which documents each list."""

    request_parts: frozenset[str]
    request_calls: frozenset[str]
    handler_calls: frozenset[str]
    path_parts: frozenset[str]
    sender_parts: frozenset[str]
    host_parts: frozenset[str]
    host_calls: frozenset[str]
    host_headers: frozenset[str]
    archive_calls: frozenset[str]
    archives: frozenset[str]
    validated: frozenset[str]
    model_libraries: frozenset[str]


class SanitizerCatalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The content of ``sanitizers.yml``, which documents each list."""

    sanitizers: dict[str, list[str]]
    propagating: frozenset[str]
    matching: frozenset[str]
    encoding: frozenset[str]
    decoding: frozenset[str]
    reversible: frozenset[str]
    one_line: frozenset[str]
    propagating_methods: frozenset[str]
    argument_methods: frozenset[str]
    storing_methods: frozenset[str]
    clean_attributes: frozenset[str]
    converting: frozenset[str]
    text_guards: frozenset[str]
    no_guards: frozenset[str]


class SinkEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``sinks.yml``: arguments of some calls, by position and by keyword."""

    kind: str
    first: int = 0
    last: int = 0
    keywords: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


SOURCES = load_catalogue("python", "sources", SourceCatalogue)
SANITIZERS = load_catalogue("python", "sanitizers", SanitizerCatalogue)
SINKS = load_catalogue("python", "sinks", list[SinkEntry])
