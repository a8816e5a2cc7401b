"""The functions of a module found by a text scan, and the changes of those with a docstring."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from wardround_python.docdrift.documented_functions import documented_pairs

import wardround
import wardround_lab
from wardround.languages.python.function_text import function_texts

MODULE = '''\
"""Module.

def not_a_function():
"""

@once
@twice(
    1,
)
def plain(a):
    """Do.

def neither_this(): ...
    """
    text = """
def nor_this():
"""
    def inner():
        """Inside."""
    return text

class Outer:
    # def commented """
    quote = 'a"""' + "\'\'\'"
    async def method(self, a,
                     b):
        \'\'\'Do.\'\'\'
        rows = {
    1: 2,
        }
        return rows

    class Inner:
        def deep(self): pass

if plain:
    def conditional(): ...
'''


def test_functions_are_found_with_their_names_lines_and_decorators() -> None:
    found = [(item.name, item.line) for item in function_texts(MODULE)]
    assert found == [("plain", 6), ("Outer.method", 25), ("Outer.Inner.deep", 34), ("conditional", 37)]


def test_the_text_of_a_function_is_complete() -> None:
    plain = function_texts(MODULE)[0]
    assert plain.text.startswith("@once\n@twice(\n")
    assert plain.text.endswith("    return text")


@pytest.mark.parametrize(
    "path",
    sorted(path for root in (wardround, wardround_lab) for path in Path(root.__file__).parent.rglob("*.py")),
    ids=lambda p: p.name,
)
def test_functions_of_real_modules_are_those_of_the_parser(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    seen: list[str] = []

    def visit(node: ast.AST, above: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                seen.append(above + child.name)
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{above}{child.name}.")
            else:
                visit(child, above)

    visit(ast.parse(text), "")
    assert [item.name for item in function_texts(text)] == seen


def body(code: str, docstring: str = '"""Do it now."""', signature: str = "a") -> str:
    return f"def f({signature}):\n    {docstring}\n    {code}\n"


def test_a_function_whose_code_changed_is_compared_with_its_old_docstring() -> None:
    (found,) = documented_pairs(body("return a"), "import os\n\n" + body("return b", '"""Do it later."""'))
    assert (found.change.name, found.line, found.words_line) == ("f", 3, 4)
    assert (found.words_before, found.words_after) == ("Do it now.", "Do it later.")
    assert found.is_documentation_changed
    assert (found.change.removed, found.change.added) == ({"a"} - {"a"}, {"b"})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (body("return a"), body("return a")),
        (body("return (a)"), body("return a  # why")),
        (body("return a"), body("return a", signature="a: int")),
        (body("b = 1"), body("b: int = 1")),
        (body("return a", "pass"), body("return b", "pass")),
        (body("return a"), ""),
        (body("return a"), "class C:\n    pass\n"),
        (body("return a"), body("return b") + body("return c")),
        (body("return a"), body("return b ((")),
        (body("return a", "x = '''text'''"), body("return b", "x = '''text'''")),
    ],
    ids=["same", "formatting", "annotation", "local annotation", "no docstring", "deleted", "other",
         "bound twice", "broken", "no docstring but a string"],
)  # fmt: skip
def test_nothing_to_compare(old: str, new: str) -> None:
    assert documented_pairs(old, new) == ()


def test_a_function_as_long_as_a_table_is_ignored() -> None:
    old, new = (body(f"return [{x}, {'1, ' * 20_000}]") for x in "ab")
    assert documented_pairs(old, new) == ()


def test_versions_of_one_name_are_matched_by_their_order() -> None:
    old, new = (body("return a") + body(f"return {x}", '"""Do two."""') for x in "bc")
    (found,) = documented_pairs(old, new)
    assert found.words_before == "Do two."


def test_a_deleted_docstring_is_reported() -> None:
    (found,) = documented_pairs(body("return a"), body("return b", "pass"))
    assert found.words_after is None
    assert found.is_documentation_changed


def test_what_a_function_declares_returns_and_raises() -> None:
    new = body(
        "if a:\n        return [1]\n    def g():\n        raise Other\n    raise mail.Lost(a)",
        signature="self, a: int, /, b=1, *rest, c, d=None, **options",
    )
    (found,) = documented_pairs(body("return a"), new)
    code = found.change.new
    assert code.signature.names == ("a", "b", "c", "d")
    assert code.signature.defaults == {"b": "1", "d": "None"}
    assert code.signature.collectors == ("rest", "options")
    assert code.signature.open_ended
    assert (code.returns, code.raises, code.yields) == (("[1]",), ("Lost",), False)


def test_a_generator_yields_but_not_for_the_one_inside_it() -> None:
    (first,) = documented_pairs(body("return a"), body("b = yield a"))
    (second,) = documented_pairs(body("return a"), body("def g():\n        yield a\n    return g"))
    assert (first.change.new.yields, second.change.new.yields) == (True, False)


def test_methods_with_decorators_over_several_lines_are_read() -> None:
    text = (
        "class C:\n    @one(\n        1,\n    )\n    def m(self):\n        '''Do it.'''\n        return {}\n"
    )
    (found,) = documented_pairs(text.format("a"), text.format("b"))
    assert (found.change.name, found.line, found.words_line) == ("C.m", 2, 6)
    assert found.change.old.wrappers == ("one(1)",)
