"""The imports and attributes by which other files use a removed name of a module."""

from __future__ import annotations

import pytest
from wardround_python.analysis import import_users
from wardround_python.analysis.import_users import ImportUsers

from wardround.change.repository_view import InMemoryRepository


def lines_of_uses(text: str) -> list[int]:
    files = {"shop/__init__.py": "", "shop/tools.py": "", "shop/cart.py": text}
    return [use.line for use in ImportUsers("shop/tools.py", ["partial"], InMemoryRepository(files)).uses()]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("from shop.tools import partial\n", 1),
        ("from .tools import total, partial as p\n", 1),
        ("from shop.tools import (\n    important, partial,\n)\n", 2),
        ("from shop.tools import (  # all of them\n    partial  # too\n)\n", 2),
        ("from shop.tools import total, \\\n    partial\n", 2),
        ("import os; from shop.tools import partial\n", 1),
        ("from shop import tools\n\ntools.partial(1)\n", 3),
        ("from shop import tools\n\nf = (tools.\n     partial)\n", 3),
        ("from shop import tools\nx = [" + "1, " * 300 + "tools.partial]\n", 2),
    ],
)
def test_use_of_a_removed_name_is_found(text: str, line: int) -> None:
    assert lines_of_uses(text) == [line]
    assert lines_of_uses(text.replace("\n", "\r\n")) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "from functools import total\nfrom shop import tools\n\ntools.total(partial(1))\n",
        "import partial\nfrom shop import tools\n\ntools.total()\n",
        "from shop import tools\n\ntools.partially = 1\n",
        "from shop import tools\n\npartial = tools.total()\nprint(f'{partial}')\n",
    ],
)
def test_file_in_which_the_word_refers_to_something_else_is_not_parsed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(text: str) -> None:
        raise AssertionError(text)

    monkeypatch.setattr(import_users, "parse", parse)

    assert lines_of_uses(text) == []
