"""Documented parameters that were removed, and new undocumented ones."""

from __future__ import annotations

import pytest

from tests.semantics.docdrift.changes import change, signature, words
from wardround.semantics.docdrift.model import DocumentedChange, DocumentedCode, DocumentedSignature
from wardround.semantics.docdrift.parameters import removed_documented_parameters, undocumented_parameters

SAID = words("Load.\n\nto: who\ntries: how often", "to", "tries")


def changed(old: DocumentedSignature, new: DocumentedSignature, name: str = "load") -> DocumentedChange:
    return change(SAID, DocumentedCode(("a",), old), DocumentedCode(("b",), new), name=name)


def test_a_documented_parameter_that_went_is_found_with_its_line() -> None:
    (removed,) = removed_documented_parameters(changed(signature("to", "tries"), signature("to")))
    assert (removed.entry.name, removed.entry.line, removed.now) == ("tries", 3, None)


def test_what_is_in_its_place_is_its_new_name() -> None:
    (removed,) = removed_documented_parameters(changed(signature("to", "tries"), signature("to", "attempts")))
    assert removed.now == "attempts"


def test_no_new_name_is_guessed_where_parameters_moved() -> None:
    (removed,) = removed_documented_parameters(changed(signature("tries", "to"), signature("to", "attempts")))
    assert removed.now is None


@pytest.mark.parametrize(
    "new",
    [
        signature("to", open_ended=True),
        signature("tries", "to"),
        DocumentedSignature(signature("to").parameters, False, ("tries",)),
    ],
    ids=["any keyword is taken", "moved", "collects"],
)
def test_a_parameter_that_may_still_be_given_is_not_gone(new: DocumentedSignature) -> None:
    assert removed_documented_parameters(changed(signature("to", "tries"), new)) == []


def test_a_parameter_that_was_never_declared_did_not_go() -> None:
    assert removed_documented_parameters(changed(signature("to", "other"), signature("to"))) == []


def test_a_new_parameter_is_undocumented_where_two_are_documented() -> None:
    found = undocumented_parameters(changed(signature("to", "tries"), signature("to", "tries", wait="1")))
    assert [parameter.name for parameter in found] == ["wait"]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (signature("to", "tries"), signature("to", "tries", "_wait"), "load"),
        (signature("to", "tries"), signature("to", "tries", "WAIT"), "load"),
        (signature("to", "tries"), signature("to", "tries", "often"), "load"),
        (signature("to", "tries"), signature("to", "tries", "func"), "load"),
        (signature("to", "tries"), signature("wait", "to", "tries"), "load"),
        (signature("to", "tries"), signature("to", "tries", "wait"), "_load"),
        (signature("to", "tries"), signature("to", "tries", "wait"), "_Mail.load"),
        (signature("to", "x"), signature("to", "x", "wait"), "load"),
        (signature("to", "tries", "x", "y"), signature("to", "tries", "x", "y", "wait"), "load"),
        (signature("to", "tries"), signature("to", "attempts"), "load"),
    ],
    ids=[
        "private",
        "constant",
        "named",
        "wrapped",
        "first",
        "private function",
        "private class",
        "one documented",
        "half documented",
        "renamed",
    ],
)
def test_a_new_parameter_is_passed_over(
    old: DocumentedSignature, new: DocumentedSignature, name: str
) -> None:
    assert undocumented_parameters(changed(old, new, name)) == []


def test_special_methods_are_public() -> None:
    both = changed(signature("to", "tries"), signature("to", "tries", "wait"), "Mail.__init__")
    assert len(undocumented_parameters(both)) == 1
