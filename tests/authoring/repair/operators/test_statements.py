"""Statements are deleted, moved and inserted with complete lines."""

from __future__ import annotations

from tests.authoring.repair.edited_sources import edited

LOOP = """
    def f(items):
        total = 0  # nothing yet
        for item in items:
            total = item
            log(total)
        return total
    """


def test_a_statement_is_deleted_with_its_line() -> None:
    found = edited(LOOP, "delete-statement")
    assert found[0] == "-total = 0  # nothing yet"
    assert found[2] == "-total = item"


def test_the_only_statement_of_a_block_becomes_pass() -> None:
    assert edited("def f(a):\n    if a:\n        g()", "delete-statement")[1] == "pass"


def test_a_branch_of_a_chain_is_not_deleted_as_a_statement() -> None:
    source = "def f(a):\n    if a:\n        g()\n    elif a is None:\n        h()\n    return a"
    assert edited(source, "delete-branch") == ["if a is None:"]
    assert not any("-elif" in line and "-if" not in line for line in edited(source, "delete-statement"))


def test_neighbours_are_exchanged() -> None:
    assert "log(total) / total = item" in edited(LOOP, "move-up")


def test_the_last_statement_of_a_block_moves_behind_it() -> None:
    assert "log(total)" in edited(LOOP, "move-out")
    assert "total = item / for item in items:" in edited(LOOP, "move-out")


def test_a_statement_moves_into_the_loop_after_it() -> None:
    assert "for item in items: /     total = 0" in [
        line.partition("  #")[0] for line in edited(LOOP, "move-into-next")
    ]


def test_exits_are_exchanged_within_loops_only() -> None:
    source = "def f(items):\n    for item in items:\n        break\n    return items"
    assert edited(source, "exchange-exit")[:3] == ["continue", "return items", "return"]


def test_a_statement_ends_the_turn_of_its_loop() -> None:
    assert "log(total) /     continue" not in edited(LOOP, "exit-after")
    assert "continue" in edited(LOOP, "exit-after")


def test_an_assignment_becomes_augmented_and_back() -> None:
    source = "def f(a):\n    a += 1\n    a = 2"
    assert edited(source, "replace-augmented")[0] == "a = 1"
    assert edited(source, "assignment-to-augmented") == ["a += 2", "a |= 2"]


def test_an_else_branch_is_executed_in_any_case() -> None:
    source = "def f(a):\n    if a:\n        g()\n    else:\n        h()\n        i()"
    assert edited(source, "else-to-sequence") == ["h() / i()"]


def test_conditions_of_a_chain_are_tested_alone_and_back() -> None:
    chain = "def f(a):\n    if a:\n        g()\n    elif a.b:\n        h()"
    assert edited(chain, "elif-to-if") == ["if a.b:"]
    assert edited(chain.replace("elif", "if"), "if-to-elif") == ["elif a.b:"]


def test_a_branch_is_replaced_by_its_body() -> None:
    source = "def f(a):\n    if a:\n        g()\n        h()"
    assert edited(source, "execute-body-always") == ["g() / h()"]


def test_a_loop_iterates_over_a_copy_or_over_items() -> None:
    found = edited(LOOP, "iterate-over")
    assert found[:4] == [
        "for item in list(items):",
        "for item in sorted(items):",
        "for item in reversed(items):",
        "for item in items.items():",
    ]


def test_variables_are_converted_before_they_are_used() -> None:
    assert "text = text.strip()" in edited("def f(text):\n    return g(text)", "convert-variable")


def test_statements_that_share_a_line_are_not_moved() -> None:
    source = "def f(a):\n    g(); h()\n    return a"
    assert not any(";" not in line and "h()" in line for line in edited(source, "move-up"))
    assert "pass; h()" in edited(source, "delete-statement")
