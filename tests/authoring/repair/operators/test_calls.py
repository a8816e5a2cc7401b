"""Calls get other arguments, keyword arguments of other calls, and related methods and functions."""

from __future__ import annotations

import pytest

from tests.authoring.repair.edited_sources import edited


@pytest.mark.parametrize(
    ("operator", "expression", "expected"),
    [
        ("swap-arguments", "g(a, b)", ["g(b, a)"]),
        ("remove-argument", "g(a, k=b)", ["g(a)", "g(k=b)"]),
        ("remove-method-call", "a.strip()", ["a"]),
        ("remove-call", "a.name()", ["a.name"]),
        ("replace-method", "a.strip()", ["a.lstrip()", "a.rstrip()"]),
        ("replace-function", "any(a)", ["all(a)"]),
    ],
)
def test_a_call_is_edited(operator: str, expression: str, expected: list[str]) -> None:
    source = f"def f(a, b):\n    return {expression}"
    assert edited(source, operator) == [f"return {text}" for text in expected]


def test_keyword_arguments_of_other_calls_are_added_the_most_common_first() -> None:
    others = "dump(x, indent=2)\ndump(y, sort=True)\ndump(z, sort=True)"
    found = edited("def f(a):\n    return dump(a)", "add-seen-keyword", others=others)
    assert found == ["return dump(a, sort=True)", "return dump(a, indent=2)"]


def test_a_keyword_argument_gets_the_value_of_other_calls() -> None:
    found = edited(
        "def f(a):\n    return dump(a, sort=False)", "replace-keyword-value", others="dump(sort=True)"
    )
    assert found[0] == "return dump(a, sort=True)"


def test_a_variable_is_passed_to_the_parameter_of_its_name() -> None:
    others = "def dump(value, encoding):\n    pass"
    found = edited("def f(a, encoding):\n    return dump(a)", "pass-parameter", others=others)
    assert found == ["return dump(a, encoding=encoding)"]


def test_variadic_parameters_are_passed_on() -> None:
    source = "def f(a, *rest, **options):\n    return g(a)"
    assert edited(source, "pass-own-parameter")[:2] == ["return g(a, *rest)", "return g(a, **options)"]


def test_an_attribute_may_be_missing() -> None:
    found = edited("def f(a):\n    return a.name", "attribute-to-getattr")
    assert found[0] == "return getattr(a, 'name', None)"


def test_a_class_creates_its_own_type() -> None:
    source = """
    class Box:
        def copy(self):
            return Box(self)
    """
    assert edited(source, "class-to-own-type") == ["return self.__class__(self)", "return type(self)(self)"]


def test_a_similar_method_of_the_class_is_called() -> None:
    source = """
    class Box:
        def open_all(self): ...
        def close(self): ...
        def f(self):
            return self.open_one()
    """
    assert edited(source, "call-method-of-self") == [
        "return self.open_all()",
        "return self.close()",
        "return super().open_one()",
    ]


def test_values_are_converted_by_functions_of_the_project() -> None:
    source = """
    def clean(text): ...
    def f(a, b):
        x = clean(a)
        return b
    """
    assert "return clean(b)" in edited(source, "convert-by-project")


def test_constants_with_similar_names_are_exchanged() -> None:
    source = "MAX_SIZE = 1\nMIN_SIZE = 2\ndef f(a):\n    return MAX_SIZE"
    assert edited(source, "replace-global") == ["return MIN_SIZE"]


def test_usual_keyword_arguments_of_the_standard_library_are_passed() -> None:
    found = edited("def f(path):\n    return open(path, newline='')", "add-known-keyword")
    assert found[0] == "return open(path, newline='', encoding='utf-8')"
