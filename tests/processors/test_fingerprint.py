"""A finding keeps its name when lines move or are reformatted, and two findings never share one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wardround_python.syntax.host_adapter import statements

from wardround.processors.fingerprint import fingerprints
from wardround.processors.statements import StatementIndex
from wardround.specialists import lines_as_statements

RUFF = Path(sys.executable).with_name("ruff")
SNIPPETS = [
    "call( 'a' , [1,2,3] )\n",
    "def function(argument, other=[], *, third={'key': 'value'}, **rest) -> dict[str, int]:\n"
    "    return rest\n",
    "if (first and\n    second):\n    third()\n",
    "value = {'one': 1, 'two': [2, 3], 'three': {'four': (5, 6)}}\n",
    "assert some_function(argument_one, argument_two) == another_function(), 'message with words'\n",
    "class Name(Base, metaclass=Meta):\n    attribute = 1\n",
    "from module import (alpha, beta, gamma)\n",
    "with open('x') as a, open('y') as b:\n    read(a, b)\n",
    "total = first + \\\n    second\n",
    "raise ValueError('a message that is long enough to be wrapped by the formatter')\n",
    "x = first.method(argument_one, argument_two).other(argument_three).last()\n",
    "message = 'one part of the text ' 'and another part of it'\n",
    "x = function(alpha)[0](beta)(gamma, delta)['key']\n",
    "for index, (a, b) in enumerate(zip(first, second)):\n    use(index, a, b)\n",
]


def anchor(text: str, line: int = 1) -> str:
    return StatementIndex(text, statements(text)).statement_at(line)


def formatted(text: str, *options: str) -> str:
    done = subprocess.run(
        [RUFF, "format", *options, "-"], input=text, capture_output=True, check=True, text=True
    )
    return done.stdout


class TestAnchors:
    @pytest.mark.parametrize("width", ["20", "40", "200"])
    def test_reformatting_keeps_the_anchor_of_every_statement(self, width: str) -> None:
        text = "\n\n".join(SNIPPETS)
        other = formatted(text, "--line-length", width)

        def anchors(source: str) -> list[str]:
            found = StatementIndex(source, statements(source))
            return list(
                dict.fromkeys(
                    found.statement_at(n) for n in range(1, source.count("\n") + 1) if found.statement_at(n)
                )
            )

        assert anchors(other) == anchors(text)

    @pytest.mark.parametrize("snippet", SNIPPETS)
    def test_indenting_keeps_it(self, snippet: str) -> None:
        nested = "if True:\n" + re.sub(r"(?m)^", "    ", snippet).rstrip() + "\n"
        assert anchor(nested, 2) == anchor(snippet)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("f(a)", "f(b)"),
            ("x = 1", "x = 2"),
            ("x = 'a'", "x = 'b'"),
            ("f(a, b)", "f(b, a)"),
            ("a - b", "a + b"),
        ],
    )
    def test_what_means_something_else_has_another_anchor(self, one: str, other: str) -> None:
        assert anchor(one + "\n") != anchor(other + "\n")

    def test_every_line_of_a_statement_has_its_anchor(self) -> None:
        text = "f(\n    a,\n    b,\n)\ng()\n"
        assert {anchor(text, n) for n in (1, 2, 3, 4)} == {anchor("f(a, b)\n")}
        assert anchor(text, 5) != anchor(text, 4)

    @given(st.text(), st.integers(1, 50))
    @settings(max_examples=150, deadline=None)
    def test_any_text_and_line_has_one(self, text: str, line: int) -> None:
        assert isinstance(StatementIndex(text, lines_as_statements(text)).statement_at(line), str)
        assert isinstance(StatementIndex(text, statements(text)).statement_at(line), str)


parts = st.lists(
    st.tuples(st.sampled_from(["class", "other"]), st.sampled_from(["a.py", "b.py"]), st.text(max_size=3)),
    max_size=12,
)


class TestFingerprints:
    def test_it_is_sixteen_hexadecimal_digits_that_stay(self) -> None:
        assert fingerprints([("mutable-default", "a.py", "deff:")]) == fingerprints(
            [("mutable-default", "a.py", "deff:")]
        )
        (name,) = fingerprints([("mutable-default", "bad\udcff.py", "x")])
        assert re.fullmatch(r"[0-9a-f]{16}", name)

    @given(parts)
    @settings(max_examples=150, deadline=None)
    def test_no_two_share_one(self, given_: list[tuple[str, str, str]]) -> None:
        assert len(set(fingerprints(given_))) == len(given_)

    @given(parts, parts)
    @settings(max_examples=150, deadline=None)
    def test_others_do_not_change_them(
        self, given_: list[tuple[str, str, str]], others: list[tuple[str, str, str]]
    ) -> None:
        among = [(class_, f"new/{path}", text) for class_, path, text in others]
        assert fingerprints([*among, *given_])[len(among) :] == fingerprints(given_)
