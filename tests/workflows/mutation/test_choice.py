"""The edits of changed lines, and the choice of those to try."""

from __future__ import annotations

from textwrap import dedent

import pytest

from wardround.workflows.mutation.choice import Mutant, choose_mutants, mutants_of
from wardround.workflows.mutation.edits import EditKind


def mutants(text: str, *changed: int) -> tuple[Mutant, ...]:
    text = dedent(text).lstrip("\n")
    return mutants_of("lib.py", text, changed or range(1, text.count("\n") + 2))


def shown(text: str, *changed: int) -> set[tuple[str, str]]:
    return {mutant.edit.shown for mutant in mutants(text, *changed)}


def in_function(line: str) -> set[tuple[str, str]]:
    return shown(f"def f(a, b, c):\n    {line}\n")


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("return a < b", "a < b", "a <= b"),
        ("return a is not b", "a is not b", "a is b"),
        ("return a not in b", "a not in b", "a in b"),
        ("return (a) == b", "(a) == b", "(a) != b"),
        ("return a and b", "a and b", "a or b"),
        ("return a * b", "a * b", "a / b"),
        ("return a + b", "return a + b", "return None"),
        ("a += b", "a += b", "a -= b"),
        ("return not a", "not a", "bool(a)"),
        ("if a > b: return c", "a > b", "not (a > b)"),
        ("return f(a, True)", "f(a, True)", "f(a, False)"),
        ("return a[1]", "a[1]", "a[2]"),
        ("return a['key']", "a['key']", "a['XXkeyXX']"),
        ("a.append(b)", "a.append(b)", "pass"),
        ("return max(a, b)", "max(a, b)", "min(a, b)"),
        ("return a.startswith(b)", "a.startswith(b)", "a.endswith(b)"),
        ("return [x for x in a if x]", "x", "not (x)"),
        ("a.b = c", "a.b = c", "a.b = None"),
        ("if a > 3: return c", "a > 3", "a > 4"),
        ("return a[1:]", "a[1:]", "a[2:]"),
        ("for x in a: continue", "continue", "break"),
    ],
)
def test_an_edit_of_a_line(line: str, before: str, after: str) -> None:
    found = in_function(line)
    assert (before, after) in found


@pytest.mark.parametrize(
    "line",
    [
        "logger.info('%s', a + 1)",
        "raise ValueError(f'{a + 1} of {b * 2}')",
        "assert a, b + 1",
        "a: list[1]",
        "'text'",
        "a = b if b < a else a",
        "print(a * 2)",
        "if a not in b: warnings.warn(c)",
        "os.fsync(a)",
        "a.close()",
        "return",
        "a = b(timeout=3)",
        "a = f'{b + 1}'",
        "a = b * c  # pragma: no mutate",
    ],
)
def test_a_line_without_an_edit_that_a_test_should_notice(line: str) -> None:
    assert in_function(line) == set()


@pytest.mark.parametrize(
    "text",
    [
        "LIMIT = 3\n",
        "class A:\n    size = 1\n",
        "if TYPE_CHECKING:\n    def f():\n        return g()\n",
        "def __repr__(self):\n    return self.a + self.b\n",
        "@overload\ndef f(a=1):\n    return g()\n",
        "def f(:\n",
    ],
)
def test_code_that_tests_need_not_pin(text: str) -> None:
    assert shown(text) == set()


def test_only_changed_lines_are_edited() -> None:
    text = "def f(a, b):\n    c = a < b\n    return c + 1\n"
    assert shown(text, 2) == {("a < b", "a <= b")}


def test_code_of_tests_is_not_edited() -> None:
    assert mutants_of("tests/test_lib.py", "def f(a):\n    return a + 1\n", [2]) == ()


def test_the_default_of_a_parameter_is_edited_for_tests_that_run_the_body() -> None:
    (item,) = mutants("def f(a=True):\n    b = a\n    c = b\n", 1)
    assert (item.edit.kind, item.edit.lines) == (EditKind.DEFAULT, (2, 3))


def test_equal_values_make_no_difference_to_a_limit() -> None:
    assert in_function("if a < b: a = b") == {("a < b", "not (a < b)")}


def test_an_edit_replaces_its_place_in_text_with_wide_characters() -> None:
    text = 'def f(a):\n    return "ä€" + a < 2\n'
    edit = next(item.edit for item in mutants_of("lib.py", text, [2]) if item.edit.kind is EditKind.BOUNDARY)
    assert text[: edit.start] + edit.after + text[edit.end :] == text.replace("<", "<=")


def test_each_line_has_its_turn_before_one_has_a_second() -> None:
    found = mutants("def f(a, b):\n    c = a < b and b < a\n    d = a + b\n    return c\n")
    assert {mutant.edit.line for mutant in choose_mutants(found, 3)} == {2, 3, 4}


def test_the_choice_does_not_depend_on_the_order_in_which_files_are_read() -> None:
    found = mutants("def f(a, b):\n    c = a < b and b < a\n    d = a + b\n    return c\n")
    assert choose_mutants(reversed(found), 5) == choose_mutants(found, 5)


def test_limits_in_one_of_several_conditions_have_no_edit() -> None:
    assert shown("def f(a, b):\n    return a > 0 and g(b, 1) >= 2\n") == {
        ("return a > 0 and g(b, 1) >= 2", "return None"),
        ("a > 0 and g(b, 1) >= 2", "a > 0 or g(b, 1) >= 2"),
    }
    assert ("a > 0", "a >= 0") in in_function("return a > 0")


def test_a_call_of_a_base_class_is_not_removed() -> None:
    assert in_function("super().post_process(a)") == set()
    assert in_function("a.post_process(b)") == {("a.post_process(b)", "pass")}


def test_one_of_several_flags_is_not_turned_round() -> None:
    assert in_function("return f(a, (True, False))") == {("return f(a, (True, False))", "return None")}
