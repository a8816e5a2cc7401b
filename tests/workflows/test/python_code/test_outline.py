from __future__ import annotations

import pytest

from wardround.workflows.test.python_code.outline import MOST_BYTES, Outline, Sharing, outline
from wardround.workflows.test.python_code.outline_changes import FileDifference, difference


def changed(before: str, after: str, outside: frozenset[str] = frozenset()) -> FileDifference:
    return difference("a.py", outline(before), outline(after), outside)


def nothing(found: FileDifference) -> bool:
    return not (found.functions or found.names or found.imports or found.is_complete or found.unbounded)


NESTED = "def f():\n    def g():\n        return 1\n    return g\n"
BRANCHES = "if a:\n    def f(): return 1\nelse:\n    def f(): return 2\n"
EXAMPLE = 'def f():\n    """\n    >>> f()\n    1\n    """\n'
CLASS = "class Price:\n    rate: int = 2\n\n    def gross(self, net: float) -> float:\n        return net\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a: int) -> int:\n    return a\n", "def f(a):\n    return a\n"),
        ('def f():\n    """Old."""\n    return 1\n', 'def f():\n    """New."""\n    return 1\n'),
        ("def f():\n    x: int = 1\n    return x\n", "def f():\n    x = 1\n    return x\n"),
        ("import os\n", "import os\nimport sys\n"),
        (
            "from typing import TYPE_CHECKING\n",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n",
        ),
        ("X = 1\n", 'X = 1\nif __name__ == "__main__":\n    print(X)\n'),
        ("X = 1\n", "# a comment\nX = (\n    1\n)\n"),
        (CLASS, CLASS.replace("net: float) -> float", "net)")),
    ],
)
def test_syntax_without_an_effect_is_not_a_difference(before: str, after: str) -> None:
    assert nothing(changed(before, after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a=1):\n    return a\n", "def f(a=2):\n    return a\n"),
        ("def f():\n    return 1\n", "async def f():\n    return 1\n"),
        ("@app.get\ndef f(a: int):\n    return a\n", "@app.get\ndef f(a: str):\n    return a\n"),
        (EXAMPLE, EXAMPLE.replace("1", "2")),
        (NESTED, NESTED.replace("1", "2")),
        (BRANCHES, BRANCHES.replace("2", "3")),
        ("def f():\n    return 1\n", "def f():\n    return 1.0\n"),
        ("def f():\n    return 1\n", "def f():\n    return True\n"),
    ],
)  # fmt: skip
def test_an_effective_edit_changes_the_function(before: str, after: str) -> None:
    assert changed(before, after).functions == {"f"}


def test_a_decorator_changes_the_file_and_the_name_of_its_function() -> None:
    found = changed("@a\ndef f(): ...\n", "@b\ndef f(): ...\n")

    assert (found.names, found.is_complete) == ({"f"}, True)


def test_an_annotation_of_a_field_changes_the_class() -> None:
    assert changed(CLASS, CLASS.replace("rate: int", "rate: float")).names == {"Price"}


def test_a_condition_of_definitions_changes_their_names() -> None:
    found = changed("if a:\n    def f(): ...\n", "if b:\n    def f(): ...\n")

    assert (found.names, found.is_complete) == ({"f"}, True)


def test_a_removed_import_is_a_difference_for_code_that_uses_it() -> None:
    found = changed("from a import b, c\n", "from a import b\n")

    assert (found.imports, found.is_complete) == ({"c"}, False)


@pytest.mark.parametrize(
    ("added", "is_complete"),
    [
        ("def g():\n    return 2\n", False),
        ("class New(Exception):\n    pass\n", False),
        ("class New(Plugin):\n    pass\n", True),
        ("@register\ndef g():\n    return 2\n", True),
        ("@pytest.mark.slow\ndef test_g():\n    pass\n", False),
        ("NEW = 3\n", False),
    ],
)
def test_a_new_definition_has_an_effect_only_where_it_may_be_registered(
    added: str, is_complete: bool
) -> None:
    assert changed("X = 1\n", f"X = 1\n{added}").is_complete is is_complete


def test_a_new_method_of_a_class_with_a_base_may_replace_an_inherited_one() -> None:
    before = "class A(B):\n    def f(self): ...\n"

    found = changed(before, f"{before}    def g(self): ...\n")

    assert {"g", "A"} <= found.names
    assert found.is_complete


@pytest.mark.parametrize("added", ["f()", "X.append(1)", "from a import *", "del X", "assert X"])
def test_a_statement_with_another_effect_is_unbounded(added: str) -> None:
    assert "a.py (line 2)" in changed("X = 1\n", f"X = 1\n{added}\n").unbounded


def test_another_order_of_statements_is_a_difference() -> None:
    assert changed("X = 1\nY = 2\n", "Y = 2\nX = 1\n").values == {"X", "Y"}
    assert changed("X = f()\nY = 2\n", "Y = 2\nX = f()\n").is_complete


def test_a_removed_file_changes_all_it_defines() -> None:
    found = difference("a.py", outline("X = 1\ndef f(): ...\n"), None, frozenset())

    assert (found.functions, found.names, found.is_complete) == ({"f"}, {"X", "f"}, True)


@pytest.mark.parametrize(
    ("decorator", "sharing"),
    [
        ("pytest.fixture", Sharing.ONE_TEST),
        ("pytest.fixture(scope='function')", Sharing.ONE_TEST),
        ("pytest.fixture(scope='class')", Sharing.FILE),
        ("fixture(scope='module')", Sharing.FILE),
        ("pytest.fixture(scope='session')", Sharing.SESSION),
        ("pytest.fixture(scope=chosen)", Sharing.SESSION),
    ],
)
def test_the_scope_of_a_fixture_bounds_the_tests_that_share_it(decorator: str, sharing: Sharing) -> None:
    assert outline(f"@{decorator}\ndef f(): ...\n").functions[0].sharing is sharing


@pytest.mark.parametrize(
    "text",
    [
        "def (:\n",
        "\0",
        "x = " + "(" * 5000 + ")" * 5000,
        "x" * (MOST_BYTES + 1),
        "a = " + "-" * 200_000 + "1",
    ],
    ids=["syntax", "null", "nested", "long", "deep"],
)
def test_a_file_that_cannot_be_read_is_one_unbounded_statement(text: str) -> None:
    found = outline(text)

    assert isinstance(found, Outline)
    assert (len(found.statements), found.functions) == (1, ())
    assert found.problem
    assert difference("a.py", found, outline(f"{text} "), frozenset()).unbounded


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("X = 'a'\n", "# -*- coding: latin-1 -*-\nX = 'a'\n"),
        ("#!/bin/python\n# coding: utf-7\nX = 1\n", "#!/bin/python\n# coding: utf-8\nX = 1\n"),
        ("#!/usr/bin/python3\nX = 1\n", "#!/usr/bin/env -S python3 -O\nX = 1\n"),
    ],
)
def test_a_comment_that_python_or_the_system_obeys_is_a_difference(before: str, after: str) -> None:
    assert changed(before, after).unbounded


def test_the_usual_encoding_is_not_a_difference() -> None:
    assert nothing(changed("X = 1\n", "# -*- coding: utf-8 -*-\nX = 1\n# coding: latin-1\n"))
