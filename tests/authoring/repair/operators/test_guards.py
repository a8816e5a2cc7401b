"""Guards end a function or a turn of a loop early, or execute a statement under a condition."""

from __future__ import annotations

from tests.authoring.repair.edited_sources import edited

LOOP = """
    def names(items):
        found = []
        for item in items:
            found.append(item.name)
        return found
    """


def test_a_missing_value_ends_the_function() -> None:
    source = "def f(text):\n    return text.lower()"
    assert edited(source, "return-if-none")[0] == "if text is None: /     return text.lower()"
    assert "if not text: /     return" in edited(source, "return-if-empty")


def test_a_missing_value_ends_the_turn_of_a_loop() -> None:
    found = edited(LOOP, "continue-if-none")
    assert found[0] == "if item.name is None: /     continue"
    assert "if item is None: /     continue" in found


def test_a_guard_reads_no_variable_before_it_has_a_value() -> None:
    source = "def f(a):\n    b = a\n    return b"
    assert not any(line.startswith("if b") and "b = a" in line for line in edited(source, "return-if-none"))
    assert edited(source, "default-if-none")[0] == "if a is None: /     a = []"


def test_nothing_outside_of_a_loop_continues() -> None:
    assert edited("def f(x):\n    return x", "continue-if-empty") == []


def test_a_statement_of_several_lines_is_indented_with_its_comments() -> None:
    source = """
    def f(log, text):
        log(
            text,  # the text
        )
    """
    found = edited(source, "execute-if-true")
    assert found[0] == "if log: /     log( /         text,  # the text /     )"


def test_a_string_of_several_lines_is_not_indented() -> None:
    source = 'def f(log):\n    log("""a\n    b""")'
    assert edited(source, "execute-if-true") == []


def test_a_missing_value_makes_an_expression_none() -> None:
    found = edited("def f(user):\n    return user.name", "expression-if-not-none")
    assert found[0] == "return user.name if user is not None else None"


def test_an_operand_is_guarded_in_parentheses() -> None:
    found = edited("def f(user):\n    return user.name + 'x'", "expression-if-not-none")
    assert found[0] == "return (user.name if user is not None else None) + 'x'"


def test_membership_ends_a_turn() -> None:
    source = """
    def f(seen, items):
        for item in items:
            seen.add(item)
    """
    assert "if item not in seen: /     continue" in edited(source, "exit-by-membership")


def test_another_type_ends_the_function() -> None:
    found = edited("def f(x):\n    return x.strip()", "return-unless-instance")
    assert found[0] == "if not isinstance(x, str): /     return x"


def test_an_elif_gets_no_guard_before_it() -> None:
    source = """
    def f(a):
        if a:
            return 1
        elif a is None:
            return 2
    """
    assert not any("elif" in line for line in edited(source, "return-if-none"))


def test_tabs_of_a_file_are_kept() -> None:
    found = edited("def f(x):\n\treturn x.y", "return-if-none")
    assert found[0] == "if x.y is None: / \treturn x.y"
