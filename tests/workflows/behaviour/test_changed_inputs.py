"""Inputs derived from recorded ones: those that a caller can pass."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared

BASE = """\
class State:
    def __init__(self, lines):
        self.lines = lines
        self.first = 0

    def size(self):
        return len(self.lines) - self.first

    def line_at(self, number):
        return self.lines[number]

    def upper(self, text):
        return text.upper()


class Token:
    def __init__(self, name):
        self.name = name


def name_of(token, is_short):
    return token.name


def at(tokens, number):
    return tokens[number].name


def last(tokens):
    return tokens[-1].name if len(tokens) != 1 else tokens[0].name


def signed(number):
    return abs(number)


def lines(text):
    return text.replace("\\r\\n", "\\n").split("\\n")
"""
HEAD = (
    BASE.replace("return len(self.lines) - self.first", "return len(self.lines) - abs(self.first)")
    .replace("return self.lines[number]", 'return self.lines[number] if number >= 0 else ""')
    .replace("return text.upper()", 'return text.upper() if text != "" else "EMPTY"')
    .replace("return token.name\n", 'return token.name if token.name == "ab" else ""\n', 1)
    .replace("return tokens[number].name", 'return tokens[number].name if number >= 0 else ""')
    .replace("if len(tokens) != 1 else", "if len(tokens) > 1 else")
    .replace("return abs(number)", "return number")
    .replace('.replace("\\r\\n", "\\n")', "")
)
TESTS = """\
from lib.core import State, Token, at, last, lines, name_of, signed


def test_all():
    state = State(["a", "b", "c"])
    assert state.size() == 3
    assert state.line_at(1) == "b"
    assert state.upper("a") == "A"
    tokens = [Token("ab"), Token("ab")]
    assert name_of(tokens[0], True) == "ab"
    assert at(tokens, 1) == "ab"
    assert last(tokens) == "ab"
    assert signed(2) == 2
    assert lines("a\\nb") == ["a", "b"]
"""


def test_changed_inputs_are_literals_that_a_caller_can_pass(repo: GitRepository) -> None:
    files = {"lib/__init__.py": "", "lib/core.py": BASE, "tests/test_core.py": TESTS}

    found = Results(compared(repo, files, {**files, "lib/core.py": HEAD}))

    for name in ("State.size", "State.line_at", "name_of", "at", "last"):
        assert found.inputs(name) is not None, name
        assert found.difference(name) is None, name
    assert found.texts("State.upper")[1:] == ("''", "'EMPTY'")
    assert found.texts("signed")[0].startswith("signed(-")
    call, before, after = found.texts("lines")
    assert "\\r\\n" in call
    assert ("\\r" in str(before), "\\r" in str(after)) == (False, True)


def test_both_defaults_and_none_are_passed_to_a_parameter_with_another_default(repo: GitRepository) -> None:
    base = 'def encoded(text, codec="utf-8"):\n    return f"{text} {codec}"\n'
    head = 'def encoded(text, codec="ascii"):\n    codec = "ascii" if codec is None else codec\n'
    tests = 'from lib.core import encoded\n\n\ndef test_it():\n    assert encoded("a", "b") == "a b"\n'
    files = {"lib/__init__.py": "", "lib/core.py": base, "tests/test_core.py": tests}

    found = Results(
        compared(repo, files, {**files, "lib/core.py": f'{head}    return f"{{text}} {{codec}}"\n'})
    )

    assert found.texts("encoded") == ("encoded('a', None)", "'a None'", "'a ascii'")
