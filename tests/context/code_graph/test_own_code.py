"""A function changes if something besides its layout, documentation and annotations does."""

from __future__ import annotations

import pytest

from wardround.context.code_graph.own_code import own_code


def code(path: str, text: str) -> dict[str, tuple[str, ...]]:
    return {name: tokens for name, (_, tokens) in own_code(path, text.encode()).items()}


PLAIN = (
    "class Cart:\n    rate = 2\n    def total(self, rows, tax=1):\n        found = 0\n        return found\n"
)
PLAIN_SCRIPT = (
    "export class Cart {\n  rate = 2;\n  total(rows, tax = 1) { const found = 0; return found; }\n}\n"
)


@pytest.mark.parametrize(
    "text",
    [
        '"""About carts."""\n' + PLAIN,
        PLAIN.replace("rate = 2", '"""A cart."""\n    rate: int = 2  # per cent'),
        PLAIN.replace("rows, tax=1)", "rows: list[int],\n        tax: int = 1,\n    ) -> int"),
        PLAIN.replace("found = 0", "found: int = 0\n"),
    ],
)
def test_layout_documentation_and_annotations_of_python_are_no_change(text: str) -> None:
    found, known = code("a.py", text), code("a.py", PLAIN)
    assert {name: found[name] for name in ("Cart", "Cart.total")} == {
        name: known[name] for name in ("Cart", "Cart.total")
    }


@pytest.mark.parametrize(
    "text",
    [
        PLAIN_SCRIPT.replace("rate = 2;", "private readonly rate: number = 2 // per cent\n"),
        PLAIN_SCRIPT.replace("rows, tax = 1)", "rows: number[],\n    tax: number = 1,\n  ): number"),
        PLAIN_SCRIPT.replace("const found = 0", "const found: number = 0"),
    ],
)
def test_layout_documentation_and_annotations_of_typescript_are_no_change(text: str) -> None:
    assert code("a.ts", text) == code("a.ts", PLAIN_SCRIPT)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("found = 0", "found = 1", ["Cart.total"]),
        ("tax=1", "tax=2", ["Cart.total"]),
        ("rate = 2", "rate = 3", ["Cart"]),
        ("(self, rows", "(self, *rows", ["Cart.total"]),
        ("return found", "return (found,)", ["Cart.total"]),
    ],
)
def test_a_change_belongs_to_the_innermost_function_or_class(old: str, new: str, changed: list[str]) -> None:
    before, after = code("a.py", PLAIN), code("a.py", PLAIN.replace(old, new))
    assert [name for name in before if before[name] != after[name]] == changed


def test_a_file_without_a_syntax_tree_has_no_code() -> None:
    assert own_code("a.py", b"\0") == {}
    assert own_code("a.sql", b"SELECT 1") == {}
