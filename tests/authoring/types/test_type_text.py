"""Types as a checker prints them, and as annotations."""

from __future__ import annotations

import ast

import pytest

from wardround.authoring.types.module_names import ModuleNames
from wardround.authoring.types.type_text import annotation_text


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Literal['a', 'b'] | None", "str | None"),
        ("None | int", "int | None"),
        ("int | float", "float"),
        ("tuple[int, ...]", "tuple[int, ...]"),
        ("Generator[str, Any, None]", "Iterator[str]"),
        ("dict[str, list[int]]", "dict[str, list[int]]"),
        ("list[Unknown]", None),
        ("dict[str, Any]", None),
        ("list", None),
        ("NoReturn", None),
        ("tuple[bool, None]", None),
        ("Self@Basket", None),
        ("(x: int) -> str", None),
        ("int | str | bytes | float | list[int]", None),
        ("tuple[int, list[Unknown]]", None),
    ],
)
def test_a_type_without_unknown_parts_becomes_an_annotation(printed: str, expected: str | None) -> None:
    assert annotation_text(printed) == expected


def test_a_coroutine_is_annotated_with_its_result() -> None:
    assert annotation_text("CoroutineType[Any, Any, list[int]]", is_coroutine=True) == "list[int]"
    assert annotation_text("list[int]", is_coroutine=True) is None


def test_names_must_be_in_the_module_and_later_ones_are_quoted() -> None:
    source = "from pathlib import Path\nif TYPE_CHECKING:\n    from x import T\ndef f(): ...\nclass C: ...\n"
    names = ModuleNames.of(ast.parse(source))
    lazy = ModuleNames.of(ast.parse(f"from __future__ import annotations\n{source}"))

    assert names.expression("Path | None", 4) == "Path | None"
    assert names.expression("list[C]", 4) == '"list[C]"'
    assert names.expression("T", 4) == '"T"'
    assert lazy.expression("C | T", 5) == "C | T"
    assert names.expression("Iterator[int]", 4) is None
