"""The statements that a change edits: layout, annotations and indentation alone edit none."""

from __future__ import annotations

import difflib

from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.workflows.test.python_code.edited_statements import edited_lines, statement_starts


def changed(before: str, after: str) -> ChangedFile:
    """The file with the hunks between two texts, as in ``diff -U0``."""
    blocks = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    hunks = tuple(
        Hunk(a + (b > a), b - a, c + (d > c), d - c)
        for kind, a, b, c, d in blocks.get_opcodes()
        if kind != "equal"
    )
    return ChangedFile("app.py", "app.py", FileStatus.MODIFIED, "100644", hunks=hunks)


def edited(before: str, after: str) -> list[int]:
    """The lines of the edited statements, each by its first changed line."""
    lines = edited_lines(changed(before, after), before, after)
    return sorted(statement_starts(after, lines).values())


def test_a_wrapped_call_is_not_edited() -> None:
    assert edited("def f(a):\n    return g(a, 1)\n", "def f(a):\n    return g(\n        a, 1\n    )\n") == []


def test_parentheses_and_comments_edit_nothing() -> None:
    assert edited("x = a or b and c\n", "# order\nx = a or (b and c)  # note\n") == []


def test_annotations_without_an_effect_edit_nothing() -> None:
    before = "def f(a, b=1):\n    x = a\n    return x\n"
    after = "def f(a: int, b: int = 1) -> int:\n    x: int = a\n    return x\n"
    assert edited(before, after) == []


def test_a_cast_edits_nothing() -> None:
    before = "def f(a):\n    return a.b.lower()\n"
    cast = 'def f(a):\n    return cast("str", a.b).lower()\n'
    assert edited(before, f"from typing import cast\n{cast}") == [1]
    assert edited(before, f"from sqlalchemy import cast\n{cast}") == [1, 3]


def test_a_statement_in_a_new_block_is_not_edited_and_the_condition_is() -> None:
    assert edited("def f(a):\n    g(a)\n", "def f(a):\n    if a:\n        g(a)\n") == [2]


def test_another_default_and_another_argument_are_edits() -> None:
    before = "def f(a, b=1):\n    return g(\n        a,\n        b,\n    )\n"
    after = "def f(a, b=2):\n    return g(\n        a,\n        b + 1,\n    )\n"
    assert edited(before, after) == [1, 4]


def test_a_second_copy_of_a_removed_statement_is_an_edit() -> None:
    assert edited("if a:\n    f()\n", "if b:\n    f()\nelse:\n    f()\n") == [1, 4]


def test_a_new_file_and_one_that_does_not_parse_count_every_line() -> None:
    file = changed("x = 1\n", "x = (\n")
    assert edited_lines(file, "x = 1\n", "x = (\n") == {1}
    added = ChangedFile("app.py", None, FileStatus.ADDED, "100644")
    assert edited_lines(added, "", "x = 1\n") == {1, 2}
    assert statement_starts("x = (\n", {1}) == {}


def test_blank_lines_and_comments_are_no_statement() -> None:
    assert statement_starts("if a:\n    # note\n\n    f()\n", {2, 3}) == {}


def test_a_moved_statement_is_not_edited_unless_it_is_a_short_one() -> None:
    body = "    self.total = compute(rows)\n    return None\n"
    before = f"def f(self, rows):\n{body}\n\ndef g():\n    pass\n"
    after = f"def f(self, rows):\n    pass\n\n\ndef g():\n    pass\n\n\ndef h(self, rows):\n{body}"
    assert edited(before, after) == [2, 9, 11]
