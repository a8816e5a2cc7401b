"""Differences that are excluded because they are not results, and the words for the others."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared
from wardround.workflows.behaviour.report import as_text, statement

BASE = """\
import functools
import re


def _old_fix(tokens, name):
    return name


def planned(name):
    return [(3, functools.partial(_old_fix, name=name)), (4, _old_fix)]


class Table:
    pass


class Row:
    pass


def chosen(name):
    return Table


class Grammar:
    def __init__(self, rules):
        self.rules = rules


class ParseError(ValueError):
    def __init__(self, text, grammar):
        super().__init__(text, grammar)

    def __str__(self):
        return "no rule matches " + self.args[0]


def parsed(text):
    raise ParseError(text, Grammar(["a"]))


def refused(text):
    raise ParseError(text + " at 1", Grammar(["a"]))


def _first(one, two):
    return one


def called(name):
    return _first(name)


def nothing():
    return re.compile(r"[^\\s\\S]")


def digits():
    return [re.compile("^[0-9]+$")]


def spaced():
    return re.compile("a.b")


def encoded(text):
    return [("transcode", "decode_inconsistent_utf8")]


def hidden(name):
    return "password = 'hunter2-very-secret'"


def squared(number):
    if number < 0:
        print("negative", number)
    return number * number


def greet(name):
    print("hello", name)


class Settings:
    def __init__(self, names):
        self.names = names
        self.title = " ".join(names) * 20
        self.valid = {"a", "b"}


def tree(name):
    return {"kind": "tree", "children": [{"name": name, "rules": ["text", "emphasis", "strike"] * 6}]}


def joined(text, words):
    return len(text) + len(words)
"""
EDITS = [
    ("_old_fix", "_new_fix"),
    ("return Table", "return Row"),
    ('raise ParseError(text, Grammar(["a"]))', 'raise ParseError(text, Grammar(["a", "b"]))'),
    ('text + " at 1"', 'text + " at 2"'),
    ("_first(", "_very_first("),
    (r'"[^\\s\\S]"'.replace("\\\\", "\\"), '"(?!)"'),
    ('"^[0-9]+$"', '"^[0-9]*$"'),
    ('re.compile("a.b")', 're.compile("a.b", re.DOTALL)'),
    ("decode_inconsistent_utf8", "fix_inconsistent_utf8_mojibake"),
    ("hunter2-very-secret", "hunter3-very-secret"),
    ('print("negative", number)', 'print("below zero", number)'),
    ('print("hello", name)', 'print("hello,", name)'),
    ('        self.valid = {"a", "b"}\n', ""),
    ('"emphasis", "strike"] * 6', '"emphasis", "strike"] * 6 + ["link"]'),
    ("len(text) + len(words)", "len(text) - len(words)"),
]
TESTS = """\
from lib import core


def test_all():
    core.planned("a")
    core.chosen("a")
    for one in (core.parsed, core.refused, core.called):
        try:
            one("text")
        except (ValueError, TypeError):
            pass
    core.nothing()
    core.digits()
    core.spaced()
    core.encoded("a")
    core.hidden("a")
    assert core.squared(3) == 9
    assert core.squared(4) == 16
    assert core.squared(-4) == 16
    core.greet("you")
    core.Settings(["first", "second"])
    core.tree("a")
    core.joined("a long text of several words" * 10, ["word"] * 40)
"""
FILES = {"lib/__init__.py": "", "lib/core.py": BASE, "tests/test_core.py": TESTS}


def edited() -> str:
    text = BASE
    for old, new in EDITS:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.fixture(scope="module")
def kept() -> dict[str, Results]:
    return {}


@pytest.fixture
def results(repo: GitRepository, kept: dict[str, Results]) -> Results:
    """The comparison of base and head, which is run once."""
    if not kept:
        kept["both"] = Results(compared(repo, FILES, {**FILES, "lib/core.py": edited()}))
    return kept["both"]


def shown(results: Results, name: str) -> str:
    item = results.difference(name)
    return "" if item is None else statement(item).removeprefix("the result changed for this input: ")


@pytest.mark.parametrize("name", ["planned", "parsed", "called", "nothing", "hidden", "squared"])
def test_what_is_not_a_result_is_not_a_difference(results: Results, name: str) -> None:
    assert results.inputs(name), results.reason(name)
    assert shown(results, name) == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chosen", "chosen('a') returned <class Table>; it returns <class Row> now"),
        ("digits", "digits() returned [re.compile('^[0-9]+$')]; it returns [re.compile('^[0-9]*$')] now"),
        ("spaced", "spaced() returned re.compile('a.b'); it returns re.compile('a.b', re.DOTALL) now"),
        (
            "encoded",
            "encoded('a') returned [('transcode', 'decode_inconsistent_utf8')]; "
            "it returns [('transcode', 'fix_inconsistent_utf8_mojibake')] now",
        ),
        ("Settings.__init__", "Settings(['first', 'second']): the result has no attribute `valid` now"),
        (
            "tree",
            "tree('a'): `result['children'][0]['rules']` has 19 items now, 18 before: with 'link'",
        ),
    ],
)
def test_the_part_that_differs_is_shown(results: Results, name: str, text: str) -> None:
    assert shown(results, name) == text


def test_another_message_of_an_exception_with_objects_is_shown_by_the_message(results: Results) -> None:
    assert "ParseError('no rule matches text at 2'), before ParseError('no rule matches text at 1')" in shown(
        results, "refused"
    )


def test_printed_text_is_a_result_where_a_function_only_prints(results: Results) -> None:
    assert shown(results, "greet").endswith(
        "printing 'hello you\\n'; it returns None, printing 'hello, you\\n' now"
    )


def test_long_arguments_are_shortened(results: Results) -> None:
    item = results.difference("joined")

    assert item is not None
    assert len(item.call) <= 200
    assert item.call.startswith("joined('a long text of")
    assert "word" in item.call


def test_the_table_has_the_reason_why_none_is_shown(results: Results) -> None:
    reasons = {item.function: item.reason for item in results.run.compared if item.reason}

    assert reasons == {"hidden": "the results differ only in parts that are hidden or too long to show"}
    assert f"none is shown: {reasons['hidden']}" in as_text(results.run)


PRIVATE = """\
def _prefix(text){annotation}:
    return "> ", {empty}


def quoted(text):
    return getattr(__import__(__name__), "_" + "prefix")(text)[0] + text
"""


def private(annotation: str, empty: str) -> Mapping[str, str]:
    tests = (
        "from core import _prefix, quoted\n\n\ndef test_all():\n"
        "    assert [_prefix(one)[0] for one in 'abcdefghijkl']\n    quoted('d')\n"
    )
    return {"core.py": PRIVATE.format(annotation=annotation, empty=empty), "test_core.py": tests}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            ("", "''"), ("", "[]"),
            "it is private, and all recorded inputs differ, as for another form of an internal value",
        ),
        (
            (" -> str", "text and ''"), (" -> list", "text and []"),
            "it is private, and its return annotation changed with its results",
        ),
        (
            ("", "{'a': 1}"), ("", "{'a': 1, 'b': 2}"),
            "it is private, and its results only have more entries",
        ),
    ],
)  # fmt: skip
def test_another_form_of_an_internal_value_is_not_shown(
    repo: GitRepository, before: tuple[str, str], after: tuple[str, str], reason: str
) -> None:
    found = Results(compared(repo, private(*before), private(*after)))

    assert found.run.differences == ()
    assert [item.reason for item in found.run.compared if item.function == "_prefix"] == [reason]


def test_a_private_function_that_changes_some_results_is_shown(repo: GitRepository) -> None:
    found = Results(compared(repo, private("", "1"), private("", "1 + (text == 'a')")))

    assert found.texts("_prefix") == ("_prefix('a')", "('> ', 1)", "('> ', 2)")
