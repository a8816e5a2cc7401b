"""Newer syntax lowered for the running interpreter: each node has the type and position that a newer
Python gives it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wardround.languages.python.lowering import Interpolation, TemplateStr, parse_lowered
from wardround.languages.python.tree import parse

_LIBRARY = Path(argparse.__file__).parent
_MODULES = sorted(
    path
    for path in (*_LIBRARY.glob("*.py"), *_LIBRARY.glob("asyncio/*.py"))
    if b' f"' in path.read_bytes() or b"(f'" in path.read_bytes()
)[:30]
_HAS_PLACES_IN_STRINGS = sys.version_info >= (3, 12)
"""Before, what is inside an f-string has the position of the string, or another."""


def _dump(node: Any, *, in_string: bool = False) -> Any:
    """A tree as values that compare: kinds, positions and fields, but for type parameters."""
    if isinstance(node, list):
        return [_dump(item, in_string=in_string) for item in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    location: Any = [
        getattr(node, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")
    ]
    if in_string and not _HAS_PLACES_IN_STRINGS:
        location = None
    inside = in_string or isinstance(node, ast.JoinedStr)
    fields = {
        name: _dump(getattr(node, name, None), in_string=inside)
        for name in node._fields
        if name != "type_params"
    }
    return type(node).__name__, location, fields


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: path.stem)
def test_lowering_changes_nothing_that_the_interpreter_reads(path: Path) -> None:
    text = path.read_text("utf-8")
    lowered = parse_lowered(text)
    assert lowered is not None
    assert _dump(lowered) == _dump(ast.parse(text))


_PLAIN = [
    "x = f'a{b}c' 'd' f'{e!r:>{w}.{p}}'\n",
    "x = ('a'  # one\n     f'{b}'\n     'c')\n",
    "x = f'{a = }{b=!s}{c=:>5}{d  =  }'\n",
    "x = f'''\n{a}\n  {b\n}'''.strip(), f'{1, 2}'\n",
    "é = f'é{ü}é' + ö\n",
    "x = f'{{}}{a}}}', rf'\\d{a}', f'\\x41\\N{EM DASH}{a}\\\n'\n",
    "f'{a}'\nif f'{b}' 'c' in d: f'{e}'[0]\n",
    "def f(a=f'{b}'):\n    return lambda: f'{f\"{a}\"}'\n",
    "x = f'{(yield)}', f'{(lambda: 1)}', f'{ {1: 2}[1] }'\n",
    "x = f''\ny = f'' ''\nz = u'a' f'{b}'\n",
    "x = [f'{a}' for a in b if f'{a}']; y = {f'{a}': f'{b}'}\r\nz = f'{c}'\r\n",
]


@pytest.mark.parametrize("text", _PLAIN)
def test_f_strings_are_those_of_the_interpreter(text: str) -> None:
    assert _dump(parse_lowered(text)) == _dump(ast.parse(text))


def _place(text: str, node: Any) -> str:
    """Return the source range of a node on one line."""
    assert node.lineno == node.end_lineno
    line, start, end = int(node.lineno), int(node.col_offset), int(node.end_col_offset)
    return text.split("\n")[line - 1].encode()[start:end].decode()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('x = f"{d["k"]}" + y', "x = f\"{d['k']}\" + y"),
        ("x = f'{\"\\n\".join(a)}' + y", None),
        ('x = f"{f"{f"{1}"}"}" + y', "x = f\"\"\"{f'''{f'{1}'}'''}\"\"\" + y"),
        ("x = f'{a:{b:{c}}}' + y", None),
        ("def f[T: (int, str), *Ts, **P](x: T) -> T: return y", "def f(x: T) -> T: return y"),
        ("async def f[T](x): return y", "async def f(x): return y"),
        ("class C[T = int](B): y", "class C(B): y"),
        ("type A = list[y]", "A = list[y]"),
        ("type A[T] = list[y]", "A = list[y]"),
        ("if x: type A = y", "if x: A = y"),
        ("try: x\nexcept A, B.c: y", "try: x\nexcept (A, B.c): y"),
        ("try: x\nexcept* A, B: y", "try: x\nexcept* (A, B): y"),
        ("lazy import json; y", "import json; y"),
        ("lazy from json import dumps; y", "from json import dumps; y"),
        ("x = [*a for a in b], y", None),
        ("x = {**a for a in b}, y", "x = {**(a for a in b)}, y"),
        ("match x:\n    case +1 | [+2]: y", "match x:\n    case 1 | [2]: y"),
        ('x = t"{a!r:>{w}}", y', None),
    ],
)
def test_newer_syntax_is_read_and_what_follows_is_where_it_is(text: str, plain: str | None) -> None:
    tree = parse_lowered(text)
    assert tree is not None
    if plain is not None:
        assert ast.dump(tree) == ast.dump(ast.parse(plain))
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "y"]
    assert {_place(text, node) for node in names} == {"y"}
    assert names


def test_statements_begin_at_their_first_word() -> None:
    tree = parse_lowered("type A = int\nlazy import json\nlazy from a import b\n")
    assert tree is not None
    assert [(type(entry).__name__, entry.lineno, entry.col_offset) for entry in tree.body] == [
        ("Assign", 1, 0), ("Import", 2, 0), ("ImportFrom", 3, 0),
    ]  # fmt: skip


def test_a_handler_of_several_types_has_a_tuple_where_they_are() -> None:
    text = "try: x\nexcept A, B.c: y"
    tree = parse(text)
    [handler] = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]
    assert _place(text, handler.type) == "A, B.c"


def test_parts_of_an_f_string_stand_where_they_are() -> None:
    text = 'x = f"a{d["k"]!r:>{w}}b" "c"'
    tree = parse_lowered(text)
    assert tree is not None
    found = {type(node).__name__: node for node in ast.walk(tree)}
    assert _place(text, found["Subscript"]) == 'd["k"]'
    assert [
        _place(text, node) for node in ast.walk(tree) if isinstance(node, (ast.JoinedStr, ast.FormattedValue))
    ] == ['f"a{d["k"]!r:>{w}}b" "c"', '{d["k"]!r:>{w}}', ":>{w}", "{w}"]


def test_a_t_string_is_not_a_text() -> None:
    tree = parse_lowered("x = t'a{b + 1!r:>3}' t'{c=}'")
    assert tree is not None
    [template] = [node for node in ast.walk(tree) if isinstance(node, TemplateStr)]
    assert [type(value).__name__ for value in template.values] == [
        "Constant", "Interpolation", "Constant", "Interpolation",
    ]  # fmt: skip
    fields = [node for node in ast.walk(tree) if isinstance(node, Interpolation)]
    assert [(node.str, node.conversion) for node in fields] == [("b + 1", ord("r")), ("c", ord("r"))]


def test_an_unpacked_element_is_starred() -> None:
    text = "x = [*a for a in b]"
    tree = parse_lowered(text)
    assert tree is not None
    [comprehension] = [node for node in ast.walk(tree) if isinstance(node, ast.ListComp)]
    assert isinstance(comprehension.elt, ast.Starred)
    assert _place(text, comprehension.elt) == "*a"


@pytest.mark.parametrize(
    "text",
    ["x = [*a, *b]\n", "print(*a)\n", "type = 1\ntype in x\n", "lazy = 1\n", "case = +1\ncase: int = +1\n",
     "try: x\nexcept (A, B) as e: y\n", "x = type[int]\n", "x[type] = 1\n", "f(a, *b, c=[d for d in e])\n"],
)  # fmt: skip
def test_text_without_newer_syntax_is_unchanged(text: str) -> None:
    assert parse_lowered(text) is None


@pytest.mark.parametrize(
    "unit",
    ["except:", "except;", "case:", "case;", "type x[", "type x;", "lazy import;", "def f[T]():", "f'{x}'",
     "f'{", "[*a for ", "(*", "+1|", "f'' ", "class C[", "x=f'{a=}';"],
)  # fmt: skip
def test_long_texts_take_linear_time(unit: str) -> None:
    started = time.process_time()
    for text in (unit * 2_000, f"{unit}\n" * 2_000):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            parse_lowered(text)
    assert time.process_time() - started < 5
