"""The declarations of a module: a change that keeps all of them takes nothing away."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from wardround.context.surface.python_declarations import declarations

BASE = """
import os
from a import b

LIMIT = 1
__all__ = ["send"]

class Client(Base):
    kind: str = "a"

    def __init__(self, url):
        self.url = url

    @property
    def name(self): return 1

try:
    import fast
except ImportError:
    def fast(): ...
"""


def keeps(head: str) -> bool:
    return declarations(ast.parse(dedent(BASE))) <= declarations(ast.parse(dedent(head)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 1", "LIMIT = 2"),
        ("return 1", "return 2"),
        ("import os", "import os\nimport re"),
        ("    kind: str", "    size = 1\n    kind: str"),
        ("self.url = url", "self.url = url.strip()"),
    ],
)
def test_values_bodies_and_additions_take_nothing_away(before: str, after: str) -> None:
    assert keeps(BASE.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 1", ""),
        ("from a import b", ""),
        ('["send"]', '["get"]'),
        ("(Base)", ""),
        ("self, url", "self, url, path"),
        ("self.url = url", "pass"),
        ("    @property\n", ""),
        ("    def fast(): ...", "    pass"),
        ('    kind: str = "a"\n', ""),
    ],
)
def test_what_is_removed_or_declared_in_another_way_is_noticed(before: str, after: str) -> None:
    assert not keeps(BASE.replace(before, after))
