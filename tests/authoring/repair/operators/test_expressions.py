"""Expressions get other operands, operators, variables, attributes, constants and bounds."""

from __future__ import annotations

import pytest

from tests.authoring.repair.edited_sources import edited


@pytest.mark.parametrize(
    ("operator", "expression", "expected"),
    [
        ("swap-operands", "a - b", ["b - a"]),
        ("swap-operands", "a - (b + 1)", ["(b + 1) - a", "a - (1 + b)"]),
        ("swap-compared-values", "a in b", ["b in a"]),
        ("replace-arithmetic-operator", "a + b", ["a - b", "a * b"]),
        ("remove-operand", "a + b", ["a", "b"]),
        ("shift-number", "a[1]", ["a[2]", "a[0]", "a[0]", "a[-1]"]),
        ("or-to-none-test", "a or b", ["a if a is not None else b"]),
        ("remove-cast", "str(a)", ["a"]),
        ("remove-subscript", "a[0]", ["a"]),
        ("flip-flag", "g(True)", ["g(False)", "g(None)"]),
        ("remove-sign", "-a", ["a"]),
        ("swap-branches", "a if c else b", ["b if c else a"]),
        ("select-branch", "a if c else b", ["a", "b"]),
        ("edit-conversion", "f'{a} {b!r}'", ["f'{a!r} {b!r}'", "f'{a} {b}'"]),
        ("remove-attribute", "a.b", ["a"]),
        ("index-to-slice", "a[0]", ["a[0:]", "a[:0]", "a[0:1]", "a[-1]", "a[0]"]),
    ],
)
def test_an_expression_is_edited(operator: str, expression: str, expected: list[str]) -> None:
    source = f"def f(a, b, c):\n    return {expression}"
    assert edited(source, operator) == [f"return {text}" if text != expression else "" for text in expected]


def test_variables_with_similar_names_come_first() -> None:
    source = "def f(total, old_path, new_path):\n    return old_path"
    assert edited(source, "replace-variable") == ["return new_path", "return total"]


def test_attributes_with_common_words_come_first() -> None:
    source = "def f(node):\n    return node.first_line"
    found = edited(
        source, "replace-attribute", others="print(x.first, x.last_line, x.first_body_line, x.name)"
    )
    assert found == ["return node.first_body_line", "return node.first", "return node.last_line"]


def test_a_missing_item_has_a_default() -> None:
    found = edited("def f(rates, kind):\n    return rates[kind]", "subscript-to-get")
    assert found[:2] == ["return rates.get(kind)", "return rates.get(kind, '')"]


def test_an_assigned_item_is_not_read() -> None:
    assert edited("def f(rates, kind):\n    rates[kind] = 1", "subscript-to-get") == []


def test_a_default_is_joined_in_parentheses_where_it_must() -> None:
    found = edited("def f(a):\n    return len(a.b) + a.c", "default-by-or")
    assert "return len(a.b or '') + a.c" in found
    assert "return len(a.b) + (a.c or '')" in found


def test_the_bounds_of_a_slice_move_together() -> None:
    found = edited("def f(a, n):\n    return a[1:n]", "shift-slice")
    assert {"return a[:n]", "return a[1 + 1:n]", "return a[1:n - 1]", "return a[:]"} <= set(found)


def test_quantifiers_of_patterns_are_edited_only_in_patterns() -> None:
    found = edited("import re\ndef f(t):\n    return re.sub(r'a+', 'b+', t)", "edit-pattern")
    assert "return re.sub(r'a*', 'b+', t)" in found
    assert edited("def f(t):\n    return t.sub(r'a+')", "edit-pattern") == []


def test_strings_keep_their_quotes_and_prefixes() -> None:
    found = edited('def f(t):\n    return t + u"a b "', "edit-string")
    assert 'return t + u"a b"' in found
    assert all(line.endswith('"') for line in found)


def test_positions_after_characters_of_several_bytes_are_exact() -> None:
    found = edited('def f(a, b):\n    return "größe 😀" + a - b', "swap-operands")
    assert found[0] == 'return b - ("größe 😀" + a)'


def test_values_are_converted_or_copied() -> None:
    source = "def f(items):\n    return g(items)"
    assert "return g(list(items))" in edited(source, "cast-value")
    assert "return g(items.copy())" in edited(source, "copy-value")
    assert "return g(max(items, 0))" in edited(source, "limit-value")


def test_a_variable_of_the_class_is_qualified() -> None:
    source = """
    class Shop:
        def open(self, rate):
            self.rate = 1
            return rate
    """
    assert edited(source, "qualify-by-self") == ["return self.rate"]


def test_a_string_with_names_in_braces_is_formatted() -> None:
    source = """
    def f(name):
        raise KeyError(
            "no {name} "
            'in {name.kind}'
        )
    """
    assert edited(source, "string-to-format") == ["f\"no {name} \" / f'in {name.kind}'"]
    assert edited("def f(name):\n    return '{}'", "string-to-format") == []


def test_a_constant_becomes_the_unused_parameter_first() -> None:
    source = "def f(words, sep):\n    return ' '.join(words)"
    found = edited(source, "replace-by-variable-of-scope")
    assert found == ["return sep", "return words", "return sep.join(words)", "return words.join(words)"]
