"""Handlers catch the exception of the traceback; others are raised."""

from __future__ import annotations

from tests.authoring.repair.edited_sources import edited

LOOKUP = """
    def f(rates, kind):
        rate = rates[kind]
        return rate
    """


def test_the_exception_of_the_traceback_is_caught() -> None:
    found = edited(LOOKUP, "try-and-assign", exception="KeyError")
    assert found[0] == "try: /     rate = rates[kind] / except KeyError: /     rate = None"


def test_a_value_is_returned_instead() -> None:
    found = edited(LOOKUP, "try-and-return", exception="KeyError")
    assert "try: /     rate = rates[kind] / except KeyError: /     return None" in found


def test_failed_assertions_are_not_caught() -> None:
    found = edited(LOOKUP, "try-and-pass", exception="AssertionError")
    assert not any("AssertionError" in line for line in found)


def test_a_handler_catches_one_more_exception() -> None:
    source = """
    def f(a):
        try:
            return g(a)
        except ValueError:
            return None
    """
    found = edited(source, "extend-handler", exception="KeyError")
    assert found[:2] == ["except (ValueError, KeyError):", "except (ValueError, TypeError):"]
    assert edited(source, "replace-handler-type", exception="KeyError")[0] == "except KeyError:"
    assert edited(source, "remove-try") == ["return g(a)"]


def test_one_of_several_handlers_is_deleted() -> None:
    source = """
    def f(a):
        try:
            return g(a)
        except ValueError:
            return None
        except KeyError:
            return a
    """
    assert edited(source, "delete-handler") == [
        "-except ValueError: / -return None",
        "-except KeyError: / -return a",
    ]


def test_an_exception_of_the_project_is_raised() -> None:
    source = "def f(a):\n    raise ValueError('x')"
    found = edited(source, "replace-raised-type", others="def g():\n    raise errors.Bad('y')")
    assert found[0] == "raise errors.Bad('x')"


def test_a_quiet_exit_raises_what_similar_functions_raise() -> None:
    others = "def load_all(path):\n    raise errors.Bad('no path')"
    found = edited("def load(path):\n    return None", "exit-to-raise", others=others)
    assert found[0] == "raise errors.Bad('no path')"


def test_a_missing_value_raises() -> None:
    others = "def load_all(path):\n    raise errors.Bad('no path')"
    found = edited("def load(path):\n    return open(path)", "raise-if", others=others)
    assert "if not path: /     raise errors.Bad('no path')" in found
