"""Detection of new, undocumented parameters, and their features."""

from __future__ import annotations

import math

import pytest
from wardround_python.docdrift.documented_functions import documented_pairs
from wardround_python.docdrift.names import surroundings

from wardround.semantics.docdrift.model import DocumentedChange
from wardround.semantics.docdrift.new_parameters import NAMES, features
from wardround.semantics.docdrift.parameters import unnamed_parameters

BODY = '    """{docstring}"""\n    return post({names})\n'
DOCSTRING = "Send a text.\n\n    :param to: who gets it\n    "


def module(signature: str, docstring: str = DOCSTRING, rest: str = "") -> str:
    names = ", ".join(part.partition("=")[0].strip("* ") for part in signature.split(","))
    return f"def send({signature}):\n{BODY.format(docstring=docstring, names=names)}{rest}"


def change(before: str, after: str) -> DocumentedChange:
    (item,) = documented_pairs(before, after)
    return item.change


def counts(before: str, after: str, name: str) -> dict[str, float]:
    (item,) = (each for each in documented_pairs(before, after) if each.change.name == "send")
    (parameter,) = (each for each in unnamed_parameters(item.change) if each.name == name)
    return dict(zip(NAMES, features(parameter, surroundings(item, before, after)), strict=True))


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("to", "to, wait=1", ["wait"]),
        ("text", "text, to, wait", ["wait"]),  # the docstring names the other
        ("to", "to, _wait=1", []),
        ("to", "to, WAIT=1", []),
        ("to", "to, *rest", []),
        ("wait, to", "to, wait", []),
        ("*wait", "wait", []),
        ("to", "who", []),  # another name for what is documented
    ],
)
def test_what_came_and_is_not_named(before: str, after: str, names: list[str]) -> None:
    assert [item.name for item in unnamed_parameters(change(module(before), module(after)))] == names


def test_every_number_is_finite_and_has_a_name() -> None:
    found = counts(module("to"), module("to, wait=1"), "wait")
    assert list(found) == list(NAMES)
    assert len(set(NAMES)) == len(NAMES)
    assert all(math.isfinite(value) for value in found.values())
    assert (found["others_documented_share"], found["own_optional"], found["own_last"]) == (1, 1, 1)


def test_what_the_author_did_to_the_docstring_itself_changes_no_number() -> None:
    left = counts(module("to"), module("to, wait=1"), "wait")
    reported = counts(module("to"), module("to, wait=1", f"{DOCSTRING}:param wait: in seconds\n    "), "wait")
    assert left == reported


def test_what_the_author_did_to_the_rest_of_the_file_does() -> None:
    def other(words: str, signature: str) -> str:
        docstring = f'    """Hold a text.\n\n    {words}\n    """\n'
        return f"\n\ndef hold({signature}):\n{docstring}    return {signature}\n"

    before, untold = other("Soon.", "text"), other("Soon.", "text, wait")
    reported = other(":param wait: in seconds", "text, wait")
    silent = counts(module("to", rest=before), module("to, wait=1", rest=untold), "wait")
    aloud = counts(module("to", rest=before), module("to, wait=1", rest=reported), "wait")
    assert (silent["file_words_come"], silent["file_told"]) == (0, 0)
    assert aloud["file_words_come"] > 0
    assert aloud["file_told"] > 0
