"""The text of a call, as the programs in the sandbox write it."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

from wardround.workflows.wardround_in_sandbox.behaviour.pickling import dumps
from wardround.workflows.wardround_in_sandbox.behaviour.written import call_text

FUNCTION = {
    "name": "core",
    "owner": "",
    "receiver": "",
    "rest": "rest",
    "keywords": "",
    "keyword_only": (),
    "role": "",
}


class Parser:
    def __init__(self, text: str) -> None:
        self.text = text


class Number:
    def __init__(self) -> None:
        self.value = 0


def written(**arguments: Any) -> str:
    return str(call_text(dumps(arguments), list(arguments), FUNCTION)["written"])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a" * 100, repr("a" * 100)),
        ([1] * 50, repr([1] * 50)),
        (Parser("short"), "Parser(text='short')"),
        (Parser("a" * 100), "<Parser>"),
        (Number(), "<Number value=0>"),
        ([Parser("a" * 100)] * 2, "[<Parser>, <Parser>]"),
        ([Parser("a" * 100)] * 5, "[<Parser>, <Parser>, <Parser>, ...]"),
        ({"a": Parser("a" * 100)}, "<dict>"),
        (re.search("b.", "abc"), "<match 'bc'>"),
    ],
)
def test_a_long_argument_that_is_not_a_literal_is_abbreviated(value: Any, text: str) -> None:
    assert written(value=value) == f"core({text})"
    assert written(first=1, rest=(value,)) == f"core(1, {text})"


def test_the_patterns_of_matches_are_listed() -> None:
    payload = dumps({"value": [re.search("b.", "abc")]})

    assert call_text(payload, ["value"], FUNCTION)["patterns"] == ["b."]


def test_arguments_that_cannot_be_loaded_have_no_text() -> None:
    assert call_text(pickle.dumps(Parser), ["value"], FUNCTION) == {"written": ""}


def test_a_constructor_and_a_class_method_are_written_with_the_class_of_their_receiver() -> None:
    function = {**FUNCTION, "receiver": "self", "name": "Base.__init__"}
    class_method = {**FUNCTION, "receiver": "cls", "name": "Base.made"}

    written = [
        call_text(dumps({"self": Parser("a"), "text": "a"}), ["self", "text"], function)["written"],
        call_text(dumps({"cls": Parser, "text": "a"}), ["cls", "text"], class_method)["written"],
    ]

    assert written == ["Parser('a')", "Parser.made('a')"]
