"""Renames, texts of logs and extracted functions change nothing that a test could notice."""

from __future__ import annotations

import pytest
from wardround_tests.changes.behaviour import changes_behaviour

from wardround.checks.source import ChangedFileView

_BASE = (
    "LIMIT = 3\ndef total(xs):\n    out = 0\n    for x in xs:\n        out += x\n"
    "    log.info('sum %s', out)\n    return out\n"
)
_EXTRACTED = (
    "LIMIT = 3\ndef added(xs):\n    out = 0\n    for x in xs:\n        out += x\n    return out\n\n"
    "def total(xs):\n    out = added(xs)\n    log.info('sum %s', out)\n    return out\n"
)
SAME = {
    "renamed function": _BASE.replace("total", "sum_of"),
    "renamed variable": _BASE.replace("out", "result"),
    "renamed constant": _BASE.replace("LIMIT", "MOST"),
    "text of a log": _BASE.replace("'sum %s'", "'the sum is %s'"),
    "comment": "# sums\n" + _BASE,
    "extracted function": _EXTRACTED,
}
OTHER = {
    "another call": _BASE.replace("in xs", "in reversed(xs)"),
    "another number": _BASE.replace("= 3", "= 4"),
    "another operator": _BASE.replace("+=", "-="),
    "another level": _BASE.replace("        out += x", "    out += x"),
    "one of two names": _BASE.replace("return out", "return xs"),
    "another logged value": _BASE.replace("%s', out", "%s', xs"),
    "extracted and changed": _EXTRACTED.replace("out += x", "out += 2 * x"),
    "lost line": _BASE.replace("    log.info('sum %s', out)\n", ""),
    "another library function": "from m import a\nx = min(y)\n",
}


def _file(base: str, text: str) -> ChangedFileView:
    return ChangedFileView("shop.py", "shop.py", lambda line: True, lambda: text, lambda: base)


@pytest.mark.parametrize("name", SAME)
def test_nothing_changes(name: str) -> None:
    assert not changes_behaviour(_file(_BASE, SAME[name]))


@pytest.mark.parametrize("name", OTHER)
def test_something_changes(name: str) -> None:
    assert changes_behaviour(_file(_BASE, OTHER[name]))


def test_a_call_of_another_function_is_no_renaming() -> None:
    assert changes_behaviour(_file("x = min(y)\n", "x = max(y)\n"))


def test_a_new_file_changes_something() -> None:
    assert changes_behaviour(
        ChangedFileView("a.py", None, lambda line: True, lambda: "x = 1\n", lambda: None)
    )


def test_escaped_quotes_of_a_long_line_take_linear_time() -> None:
    catalog = "export const messages = " + r"\'a\', " * 20_000
    assert changes_behaviour(_file(f"{catalog}\nconst old = 1\n", f"{catalog};\nconst now = 1\n"))


@pytest.mark.parametrize("name", [*SAME, *OTHER])
def test_lines_before_the_first_difference_do_not_count(name: str) -> None:
    text, before = (SAME | OTHER)[name], "def first(xs):\n    log.info('first')\n    return xs\n\n"
    expected = changes_behaviour(_file(_BASE, text))
    assert changes_behaviour(_file(before + _BASE, before + text)) is expected
