"""Decisions and the nesting of loops, in Python and in scripts."""

from __future__ import annotations

import textwrap

import pytest

from wardround.semantics.complexity import decisions, loop_nesting

PYTHON = """
def total(orders):
    for order in orders:
        while order:
            order.next()
    return sum(x for x in orders)
"""
SCRIPT = """
function total(orders) {
  orders.forEach((order) => {
    for (const line of order.lines) {
      use(line);
    }
  });
  return orders.map((order) => order.id);
}
"""


@pytest.mark.parametrize(
    ("source", "is_python", "expected"),
    [
        (PYTHON, True, 2),
        (SCRIPT, False, 2),
        ("def f(x):\n    return x\n", True, 0),
        ("def f(rows):\n    for row in rows:\n        [a for a in row]\n", True, 2),
        ("def f(rows):\n    for row in rows:\n        Book.objects.filter(row=row)\n", True, 1),
        ("# for a in b:\nfor a in b:\n    pass\n", True, 1),
    ],
)
def test_the_nesting_of_loops(source: str, is_python: bool, expected: int) -> None:
    assert loop_nesting(textwrap.dedent(source).split("\n"), is_python=is_python) == expected


def test_decisions_are_counted_by_tokens() -> None:
    assert decisions(("if", "a", "and", "b", ":", "for", "x")) == 4
    assert decisions(()) == 1
