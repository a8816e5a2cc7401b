"""The files, lines and names that a task mentions."""

from __future__ import annotations

import pytest

from wardround.authoring.context.mentions import Mention, mentioned_files, mentioned_names

PATHS = ["src/shop/cart.py", "src/shop/__init__.py", "web/__init__.py", "web/cart.ts", "docs/cart.md"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/shop/cart.py:12", [Mention("src/shop/cart.py", 12, "src/shop/cart.py")]),
        ("cart.ts fails", [Mention("web/cart.ts", 0, "cart.ts")]),
        ("shop.cart.Basket is wrong", [Mention("src/shop/cart.py", 0, "shop.cart.Basket")]),
        ("in web/__init__.py", [Mention("web/__init__.py", 0, "web/__init__.py")]),
        ("nothing here, e.g. other.py", []),
        (
            'File "/usr/lib/python3/site-packages/shop/cart.py", line 7, in total',
            [Mention("src/shop/cart.py", 7, "usr/lib/python3/site-packages/shop/cart.py")],
        ),
    ],
)  # fmt: skip
def test_files_are_found_by_path_name_and_module(text: str, found: list[Mention]) -> None:
    assert mentioned_files(text, PATHS) == found


def test_a_file_name_that_many_folders_have_is_no_mention() -> None:
    assert mentioned_files("__init__.py", [f"a{n}/__init__.py" for n in range(4)]) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`Basket.total` is wrong", ["Basket", "total"]),
        ("parse_row() fails in rowParser", ["parse_row", "rowParser"]),
        ("the word total is plain", []),
        ("see src/shop/parse_row.py and https://example.org/a_b", []),
        ("use `for` and `True`, or `x`", []),
    ],
)  # fmt: skip
def test_names_are_identifiers_in_the_form_of_code(text: str, names: list[str]) -> None:
    assert mentioned_names(text) == names
