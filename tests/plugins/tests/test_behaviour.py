"""Renames, messages, markup and extracted functions change nothing that a test could notice."""

from __future__ import annotations

import pytest
from wardround_tests.changes.behaviour import changes_behaviour

from wardround.checks.source import ChangedFileView

_BASE = (
    "LIMIT = 3\ndef total(xs):\n    out = 0\n    for x in xs:\n        out += x\n"
    "    log.info('sum %s', out)\n    return out\n"
)
_EXTRACTED = (
    "LIMIT = 3\ndef added(xs):\n    out = 0\n    for x in xs:\n        out += x\n    return out\n\n"
    "def total(xs):\n    out = added(xs)\n    log.info('sum %s', out)\n    return out\n"
)
SAME = {
    "renamed function": _BASE.replace("total", "sum_of"),
    "renamed variable": _BASE.replace("out", "result"),
    "renamed constant": _BASE.replace("LIMIT", "MOST"),
    "text of a log": _BASE.replace("'sum %s'", "'the sum is %s'"),
    "comment": "# sums\n" + _BASE,
    "extracted function": _EXTRACTED,
}
OTHER = {
    "another call": _BASE.replace("in xs", "in reversed(xs)"),
    "another number": _BASE.replace("= 3", "= 4"),
    "another operator": _BASE.replace("+=", "-="),
    "another level": _BASE.replace("        out += x", "    out += x"),
    "one of two names": _BASE.replace("return out", "return xs"),
    "another logged value": _BASE.replace("%s', out", "%s', xs"),
    "extracted and changed": _EXTRACTED.replace("out += x", "out += 2 * x"),
    "lost line": _BASE.replace("    log.info('sum %s', out)\n", ""),
    "another library function": "from m import a\nx = min(y)\n",
}


TEXTS = (
    '__version__ = "1.0"\nTITLE = "Shop"\ndef find(kind, db):\n    """Finds."""\n    if kind == "all":\n'
    '        raise ValueError("no kind")\n    return db.run(f"select {kind} from shop")["rows"]\n'
)
PAGE = (
    "export const metadata = {\n  title: 'Shop',\n};\nexport function Shop({ rows }) {\n  return (\n"
    '    <ul className="a">\n      {rows.map(Row)}\n    </ul>\n  );\n}\n'
)
SAME_TEXTS = {
    "message": ("a.py", TEXTS, TEXTS.replace("no kind", "no such kind")),
    "label": ("a.tsx", PAGE, PAGE.replace("'Shop'", "'Select or delete a shop'")),
    "constant": ("a.py", TEXTS, TEXTS.replace('"Shop"', '"The shop"\nHINT = "none"')),
    "version": ("a.py", TEXTS, TEXTS.replace("1.0", "1.1")),
    "docstring": ("a.py", TEXTS, TEXTS.replace("Finds.", "Finds rows.\n\n    All of them.\n    ")),
    "class": ("a.tsx", PAGE, PAGE.replace('"a"', '"a b"')),
    "element": (
        "a.tsx",
        PAGE,
        PAGE.replace(
            "      {rows", '      <li aria-label="all">\n        All of <b>them</b>\n      </li>\n{rows'
        ),
    ),
    "metadata": ("a.tsx", PAGE, PAGE.replace("'Shop',", "'The shop',\n  description: 'All rows',")),
}
OTHER_TEXTS = {
    "compared": ("a.py", TEXTS, TEXTS.replace('"all"', '"each"')),
    "key": ("a.py", TEXTS, TEXTS.replace('"rows"', '"row"')),
    "query": ("a.py", TEXTS, TEXTS.replace("from shop", "from shops")),
    "value in a text": ("a.py", TEXTS, TEXTS.replace('"no kind"', 'f"no {kind}"')),
    "level": ("a.py", TEXTS, TEXTS.replace("        raise", "    raise").replace("no kind", "no")),
    "end of a loop": ("a.ts", "run(() => {\n});\n", "run(() => {\nbreak\n});\n"),
    "value in markup": ("a.tsx", PAGE, PAGE.replace("{rows.map(Row)}", "{rows.map(Item)}")),
    "markup elsewhere": ("a.ts", "a\n", "a\n<b>\n"),
}


def _file(base: str, text: str, path: str = "shop.py") -> ChangedFileView:
    return ChangedFileView(path, path, lambda line: True, lambda: text, lambda: base)


@pytest.mark.parametrize("name", SAME_TEXTS)
def test_other_texts_and_markup_change_nothing(name: str) -> None:
    path, before, after = SAME_TEXTS[name]
    assert after != before
    assert not changes_behaviour(_file(before, after, path))


@pytest.mark.parametrize("name", OTHER_TEXTS)
def test_a_text_that_decides_changes_something(name: str) -> None:
    path, before, after = OTHER_TEXTS[name]
    assert changes_behaviour(_file(before, after, path))


@pytest.mark.parametrize("name", SAME)
def test_nothing_changes(name: str) -> None:
    assert not changes_behaviour(_file(_BASE, SAME[name]))


@pytest.mark.parametrize("name", OTHER)
def test_something_changes(name: str) -> None:
    assert changes_behaviour(_file(_BASE, OTHER[name]))


def test_a_call_of_another_function_is_not_a_renaming() -> None:
    assert changes_behaviour(_file("x = min(y)\n", "x = max(y)\n"))


def test_a_new_file_changes_something() -> None:
    assert changes_behaviour(
        ChangedFileView("a.py", None, lambda line: True, lambda: "x = 1\n", lambda: None)
    )


def test_escaped_quotes_of_a_long_line_take_linear_time() -> None:
    catalog = "export const messages = " + r"\'a\', " * 20_000
    assert changes_behaviour(_file(f"{catalog}\nconst old = 1\n", f"{catalog};\nconst now = 1\n"))


@pytest.mark.parametrize("name", [*SAME, *OTHER])
def test_lines_before_the_first_difference_do_not_count(name: str) -> None:
    text, before = (SAME | OTHER)[name], "def first(xs):\n    log.info('first')\n    return xs\n\n"
    expected = changes_behaviour(_file(_BASE, text))
    assert changes_behaviour(_file(before + _BASE, before + text)) is expected
