"""Recorded calls that cannot be repeated as the test made them."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared

BASE = '''\
STYLES = {}


def register(name):
    STYLES[name] = name.upper()


def style_of(name):
    """Return the registered style."""
    return STYLES[name]


def checked(number):
    if number < 0:
        raise ValueError("negative")
    return number


class Field:
    def __new__(cls, *arguments, is_bound=False):
        return super().__new__(cls) if is_bound else Unbound()

    def label(self):
        """Return the label."""
        return self.name.upper()


class Unbound:
    pass
'''
HEAD = (
    BASE.replace("    return STYLES[name]\n", "    assert name in STYLES\n    return STYLES[name]\n")
    .replace('ValueError("negative")', 'TypeError("negative")')
    .replace("self.name.upper()", "self.label_text()")
)
TESTS = """\
import pytest

from lib.core import Field, checked, register, style_of


def test_all():
    register("box")
    assert style_of("box") == "BOX"
    field = Field(is_bound=True)
    field.name = "a"
    assert field.label() == "A"
    with pytest.raises(ValueError):
        checked(-1)
"""


def test_a_call_that_depends_on_calls_before_it_is_not_a_difference(repo: GitRepository) -> None:
    files = {"lib/__init__.py": "", "lib/core.py": BASE, "tests/test_core.py": TESTS}

    found = Results(compared(repo, files, {**files, "lib/core.py": HEAD}))

    assert found.difference("style_of") is None
    assert found.difference("Field.label") is None
    assert found.reason("Field.label").startswith("its recorded arguments cannot be loaded again")
    assert found.texts("checked") == ("checked(-1)", "ValueError('negative')", "TypeError('negative')")
