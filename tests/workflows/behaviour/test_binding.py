"""Recorded values as the arguments at base and head, whose parameters have other kinds, names or
positions.
"""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared

BASE = """\
def starred(*keys):
    return [str(key) for key in keys]


def single(key):
    return str(key)


def options(**given):
    return sorted(given.items())


def taken(given):
    return sorted(given)


def swapped(first, second):
    return first + second


def renamed(first, *, loud=False):
    return first.upper() if loud else first


def rest_before(first, *others):
    return first + "".join(others)
"""
HEAD = """\
def starred(key):
    return [str(key)]


def single(*key):
    return "+".join(str(one) for one in key)


def options(*, size=None, **given):
    return sorted((given if size is None else {"size": size, **given}).items())


def taken(**given):
    return sorted(given)


def swapped(second, first):
    return first + second


def renamed(text, *, loud=False):
    return text.upper() if loud else text + ""


def rest_before(first, separator="", *others):
    return separator.join([first, *others])
"""
TESTS = """\
from lib.core import options, renamed, rest_before, single, starred, swapped, taken


def test_all():
    assert starred("a") == ["a"]
    assert single("a") == "a"
    assert options(size=2, name="b")
    assert taken({"a": 1}) == ["a"]
    assert swapped("a", "b") == "ab"
    assert renamed("a", loud=True) == "A"
    assert rest_before("a", "b", "c", "d") == "abcd"
"""


def test_values_are_bound_by_the_parameters_of_each_side(repo: GitRepository) -> None:
    files = {"lib/__init__.py": "", "lib/core.py": BASE, "tests/test_core.py": TESTS}

    found = Results(compared(repo, files, {**files, "lib/core.py": HEAD}))

    for name in ("starred", "single", "options", "renamed"):
        assert found.inputs(name) is not None, f"{name}: {found.reason(name)}"
        assert found.difference(name) is None, found.texts(name)
    refused = "its changed parameters do not accept the recorded arguments"
    assert found.reason("taken") == f"{refused} (parameter given is removed)"
    assert found.reason("swapped") == f"{refused} (the parameters have another order)"
    assert found.texts("rest_before") == ("rest_before('a', 'b', 'c', 'd')", "'abcd'", "'abcbd'")


def test_a_text_like_a_name_is_the_object_that_a_literal_is(repo: GitRepository) -> None:
    base = 'NAME = "KWD"\n\n\ndef is_exact(name):\n    return name is NAME\n'
    tests = 'from lib.core import is_exact\n\n\ndef test_it():\n    assert is_exact("KWD")\n'
    files = {"lib/__init__.py": "", "lib/core.py": base, "tests/test_core.py": tests}

    found = Results(compared(repo, files, {**files, "lib/core.py": base.replace(" is ", " == ")}))

    assert found.inputs("is_exact") is not None
    assert found.difference("is_exact") is None
