"""The catalogues of the data-flow analysis of scripts are consistent."""

from __future__ import annotations

from collections import Counter

from wardround_typescript.dataflow import sanitizers, sinks, sources
from wardround_typescript.dataflow.domain import NOTHING


def test_a_function_has_one_entry_for_each_kind_of_sink() -> None:
    entries = sinks.catalogue().functions
    counts = Counter((name, entry.kind) for entry in entries for name in entry.full_names())
    assert [entry for entry, count in counts.items() if count > 1] == []


def test_every_entry_names_a_kind_and_a_receiver_that_exist() -> None:
    catalogue = sinks.catalogue()
    assert catalogue.by_function
    assert catalogue.by_method
    used = {entry.receiver for entry in (*catalogue.functions, *catalogue.methods)}
    assert used - {None} == set(catalogue.receivers)


def test_every_sanitizer_removes_labels_and_is_listed_once() -> None:
    entries = sanitizers.catalogue().sanitizers
    assert all(entry.removed != NOTHING for entry in entries)
    assert max(Counter(name for entry in entries for name in entry.names).values()) == 1


def test_methods_that_compose_propagate_their_receiver() -> None:
    catalogue = sanitizers.catalogue()
    assert catalogue.composing_methods <= catalogue.propagating_methods


def test_request_part_is_text_or_an_object() -> None:
    catalogue = sources.catalogue()
    for part in (catalogue.request, catalogue.context, catalogue.event, catalogue.form):
        assert not part.text_properties & part.properties
        assert not part.text_methods & part.methods
