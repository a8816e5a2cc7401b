"""The numbers of a change."""

from __future__ import annotations

import math

from tests.semantics.docdrift.changes import change, signature, words
from wardround.semantics.docdrift.features import NAMES, features
from wardround.semantics.docdrift.model import DocComment, DocumentedChange, DocumentedCode

SAID = words("Load rows by fetch_id.\n\nto: who\ntries: how often", "to", "tries")


def numbers(one: DocumentedChange) -> dict[str, float]:
    return dict(zip(NAMES, features(one), strict=True))


def test_every_number_has_a_name_and_is_finite() -> None:
    values = features(change(SAID, "x = fetch_id\nraise E", "y = 2"))
    assert len(values) == len(NAMES) == len(set(NAMES))
    assert all(isinstance(value, float) and math.isfinite(value) for value in values)


def test_names_fall_into_the_known_groups() -> None:
    groups = {name.partition("_")[0] for name in NAMES}
    assert groups == {"size", "shape", "signature", "outcome", "named", "overlap"}


def test_an_empty_callable_is_counted_too() -> None:
    assert len(features(DocumentedChange("", DocComment(""), DocumentedCode(()), DocumentedCode(())))) == len(
        NAMES
    )


def test_a_name_the_words_use_counts_when_it_goes() -> None:
    found = numbers(change(SAID, "a = fetch_id", "a = load_id"))
    assert found["named_gone"] == found["named_gone_code_like"] == found["named_gone_telling"] == 1
    assert found["named_replaced"] == 1
    assert found["overlap_gone"] == 1  # "fetch"; "id" stays


def test_the_signature_is_compared_with_the_documented_parameters() -> None:
    old = DocumentedCode(("def load(to, tries):",), signature("to", "tries"))
    new = DocumentedCode(("def load(to, wait):",), signature("to", "wait"))
    found = numbers(change(SAID, old, new))
    assert found["signature_gone_documented"] == found["signature_renamed"] == 1
    assert found["signature_come_unnamed"] == 1


def test_words_that_change_nothing_leave_size_alone() -> None:
    short, long = (change(words(text), "a = 1", "a = 2") for text in ("Load.", "Load. " * 40))
    sizes = [[v for k, v in numbers(item).items() if k.startswith("size_")] for item in (short, long)]
    assert sizes[0] == sizes[1]
