"""Conditions are negated, related otherwise, joined with others and freed from a part."""

from __future__ import annotations

import pytest

from tests.authoring.repair.edited_sources import edited

BRANCH = """
    def price(item, rate):
        if item.cost > 3 and not item.free:  # the usual case
            return item.cost
        return rate
    """


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("negate-condition", ["if not (item.cost > 3 and not item.free):  # the usual case"]),
        ("shift-boundary", ["if item.cost >= 3 and not item.free:  # the usual case"]),
        (
            "remove-conjunct",
            ["if item.cost > 3:  # the usual case", "if not item.free:  # the usual case"],
        ),
        ("swap-boolean-operator", ["if item.cost > 3 or not item.free:  # the usual case"]),
        (
            "negate-conjunct",
            [
                "if not (item.cost > 3) and not item.free:  # the usual case",
                "if item.cost > 3 and item.free:  # the usual case",
            ],
        ),
        (
            "truth-to-none-test",
            ["if item.cost > 3 and item.free is None:  # the usual case"],
        ),
        ("replace-by-constant", ["if True:  # the usual case", "if False:  # the usual case"]),
    ],
)
def test_a_condition_is_edited_at_its_place(operator: str, expected: list[str]) -> None:
    assert edited(BRANCH, operator) == expected


def test_a_relation_is_replaced_by_the_others() -> None:
    found = edited("def f(a, b):\n    return a == (b)", "replace-relation")
    assert found == [f"return a {relation} (b)" for relation in ("!=", "in", "is", ">=", "<=")]


def test_a_disjunction_gets_parentheses_only_as_a_conjunct() -> None:
    source = "def f(a, b):\n    if a or b:\n        return a"
    assert "if (a or b) and a:" in edited(source, "add-conjunct")
    assert "if a or b or not b:" in edited(source, "add-disjunct")


def test_a_condition_is_joined_with_variables_of_its_own_first() -> None:
    source = "def f(a, b):\n    while a.size:\n        pass"
    found = edited(source, "add-none-conjunct")
    assert found[:2] == ["while a.size is not None and a.size:", "while a.size is None or a.size:"]


def test_types_that_the_module_tests_come_first() -> None:
    source = """
    def g(x):
        return isinstance(x, Path)


    def f(x):
        if isinstance(x, str):
            return x
    """
    assert edited(source, "extend-isinstance")[:2] == [
        "if isinstance(x, (str, Path)):",
        "if isinstance(x, (str, dict)):",
    ]


def test_a_comparison_with_one_string_becomes_membership() -> None:
    source = """
    def f(kind):
        if kind == "a":
            return "b"
    """
    assert edited(source, "extend-membership")[0] == 'if kind in ("a", "b"):'


def test_a_comparison_with_one_constant_becomes_membership_of_similar_ones() -> None:
    source = "def f(code):\n    if code != errno.E_SRCH:\n        raise code"
    found = edited(source, "extend-comparison", others="print(errno.E_PERM)")
    assert found == ["if code not in (errno.E_SRCH, errno.E_PERM):"]


def test_a_condition_of_the_same_function_is_reused() -> None:
    source = """
    def f(a, b):
        if a.ready:
            return 1
        if b:
            return 2
    """
    assert edited(source, "replace-by-other-condition") == ["if b:", "if a.ready:"]
    assert "if a.ready and b:" in edited(source, "add-other-condition")


def test_empty_elements_of_a_comprehension_are_left_out() -> None:
    assert edited("def f(xs):\n    return [x for x in xs]", "add-filter") == [
        "return [x for x in xs if x]",
        "return [x for x in xs if x is not None]",
    ]


def test_none_tests_and_truth_are_exchanged() -> None:
    source = "def f(x):\n    return 1 if x is None else 2"
    assert edited(source, "none-test-to-truth") == ["return 1 if (not x) else 2"]
    assert edited("def f(x):\n    return 1 if x else 2", "truth-to-none-test") == [
        "return 1 if x is not None else 2"
    ]


def test_a_comparison_of_types_becomes_an_instance_test() -> None:
    source = "def f(x):\n    return type(x) == dict"
    assert edited(source, "type-equality-to-isinstance") == ["return isinstance(x, dict)"]


def test_a_condition_is_joined_with_one_about_a_similar_constant() -> None:
    source = """
    MERGE_NEW = 1
    MERGE_ALL = 2


    def f(flags, x):
        if x:
            return 1
        if flags & MERGE_NEW:
            return 2
    """
    assert edited(source, "add-similar-condition")[0] == "if x or flags & MERGE_ALL:"


def test_tests_of_strings_are_exchanged() -> None:
    source = "def f(a, b):\n    return a.startswith(b)"
    assert edited(source, "replace-string-test") == ["return a == b", "return b in a"]
    assert edited("def f(a, b):\n    return a == b", "equality-to-string-test") == [
        "return a.startswith(b)",
        "return a.endswith(b)",
    ]


def test_a_collection_gets_a_constant_of_a_similar_name() -> None:
    source = "def f(x):\n    return x in (T.first_line, T.x)"
    assert edited(source, "extend-collection", others="print(T.y)") == [
        "return x in (T.first_line, T.x, T.y)"
    ]


def test_a_returned_truth_value_is_a_condition() -> None:
    assert edited("def f(x):\n    return x is None", "negate-condition") == ["return not (x is None)"]
