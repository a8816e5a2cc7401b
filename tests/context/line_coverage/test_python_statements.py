"""Statements of Python whose run the data of coverage.py shows."""

from __future__ import annotations

import pytest

from wardround.context.line_coverage.python_statements import executable_lines

TEXT = '''\
"""Carts."""
import abc
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import shop


class Cart:
    """A cart."""

    @abc.abstractmethod
    def price(self):
        return 1

    def total(self, rows):
        return sum(
            row.price
            for row in rows
        )

    def debug(self):  # pragma: no cover
        print(self)

    def other(self):
        raise NotImplementedError


try:
    total = Cart()
except TypeError:
    total = None
'''


def executed(*numbers: int) -> dict[int, bool]:
    return dict.fromkeys(numbers, True)


def test_statements_that_projects_exclude_are_excluded() -> None:
    assert executable_lines(TEXT, {}) == dict.fromkeys((2, 3, 8, 15, 16, 24, 29, 31), False)


@pytest.mark.parametrize(
    "text",
    [
        "if __name__ == '__main__':\n    start()\n",
        "if sys.platform == 'win32':\n    start()\n",
        "if os.name and is_ready:\n    start()\n",
        "if TYPE_CHECKING or True:\n    import start\n",
        "if TYPE_CHECKING:\n    start()\n",
        "class A:\n    @abstractmethod\n    def a(self):\n        start()\n",
        "try:\n    import absent\nexcept ImportError:\n    start()\n",
        "def a():  # pragma: no cover\n    start()\n",
    ],
)
def test_nothing_excludes_a_line_that_the_change_adds(text: str) -> None:
    line = text.count("\n")

    assert (executable_lines(text, {}, {line}) or {}).get(line) is False
    assert line not in (executable_lines(text, {}) or {})


def test_imports_for_type_checkers_are_always_excluded() -> None:
    text = "if TYPE_CHECKING:\n    import shop\n"

    assert executable_lines(text, {}, {1, 2}) == {}


def test_a_statement_ran_if_one_of_its_own_lines_did() -> None:
    found = executable_lines(TEXT, executed(2, 3, 8, 18, 24))
    assert found is not None
    assert [number for number, ran in found.items() if ran] == [2, 3, 8, 16, 24]


def test_the_line_of_a_function_does_not_run_with_its_body() -> None:
    assert executable_lines("def f():\n    return 1\n", executed(2)) == {1: False, 2: True}


def test_a_text_that_does_not_parse_has_no_statements() -> None:
    assert executable_lines("def", executed(1)) is None


def test_the_handler_of_a_failed_import_is_excluded() -> None:
    text = """
try:
    import json5
except ImportError:
    json5 = None
try:
    read()
except ImportError:
    report()
"""
    assert executable_lines(text, {3: True, 7: True}) == {3: True, 7: True, 9: False}
