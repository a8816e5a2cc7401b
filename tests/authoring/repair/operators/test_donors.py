"""Statements and values of the function and of similar ones are reused if their variables are in scope."""

from __future__ import annotations

from tests.authoring.repair.edited_sources import edited

SIMILAR = """
    def load_text(path, encoding):
        path = expand(path)
        check(encoding)
        return read(path)
    """


def test_a_statement_of_a_similar_function_is_inserted() -> None:
    found = edited("def load_bytes(path):\n    return open(path)", "insert-donor-statement", others=SIMILAR)
    assert "path = expand(path)" in found


def test_a_statement_with_a_missing_variable_is_not() -> None:
    found = edited("def load_bytes(path):\n    return open(path)", "insert-donor-statement", others=SIMILAR)
    assert "check(encoding)" not in found


def test_a_call_gets_the_arguments_of_another_call() -> None:
    source = "def f(a, b):\n    x = g(a, 1)\n    return g(b)"
    assert edited(source, "replace-by-similar-call") == ["x = g(b)", "return g(a, 1)"]


def test_a_value_is_replaced_by_one_of_the_same_role() -> None:
    source = "def f(a):\n    x = g(a)\n    x = h(a)\n    return x"
    assert edited(source, "replace-by-value-of-same-role") == ["x = h(a)", "x = g(a)"]
