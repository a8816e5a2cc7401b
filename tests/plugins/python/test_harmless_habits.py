from __future__ import annotations

import pytest
from wardround_python.tools.false_positives.ruff import equality_of, is_harmless

from wardround.findings import Span
from wardround.tools.parsing import map_of

_POINT = "class Point:\n    def __eq__(self, other):\n        return self.x == other.x\n"
_BATCH = "def %s(event, context):\n    with open('/%s/crate.csv') as crate:\n        return crate.read()\n"
_HARM = [
    ("S108", _BATCH % ("unload", "tmp"), 2, 15),
    ("S108", _BATCH % ("handler", "var/tmp"), 2, 15),
    ("PLE0101", "class A:\n    def __init__(self):\n        return self\n", 3, 9),
    ("B018", "def f(x):\n    x.close\n", 2, 5),
    ("PLW1508", "import os\nport = os.getenv('PORT', 8080)\n", 2, 26),
    ("PLW0127", "def f(name):\n    name = name\n", 2, 5),
    ("PLW1641", _POINT + "def f(ps: list[Point]):\n    return set(ps)\n", 1, 7),
    ("PLW1641", _POINT + "seen = {Point(1): 2}\n", 1, 7),
    ("PLW1641", _POINT + "names: dict[Point, str] = {}\n", 1, 7),
    ("PLW2901", "for i in a:\n    for i in b:\n        g(i)\n    h(i)\n", 2, 9),
    ("E711", "def f(x):\n    if x == None:\n        return 1\n", 2, 13),
]
_NO_HARM = [
    ("S108", _BATCH % ("handler", "tmp"), 2, 15),
    ("PLE0101", "class A:\n    def __init__(self):\n        return super().__init__()\n", 3, 9),
    ("PLE0101", "class A:\n    def __init__(self):\n        return None\n", 3, 9),
    ("B018", "def f(x):\n    x.content\n", 2, 5),
    ("B018", "def f(x):\n    try:\n        x.close\n    except AttributeError:\n        return 1\n", 3, 9),
    ("PLW1508", "import os\nport = int(os.getenv('PORT', 8080))\n", 2, 30),
    ("PLW1508", "import os\nis_on = os.getenv('ON', False)\n", 2, 25),
    ("PLW0127", "str = str\n", 1, 1),
    ("PLW1641", _POINT + "def f(ps: list[Point]):\n    return list(ps)\n", 1, 7),
    ("PLW2901", "for i in a:\n    h(i)\n    for i in b:\n        g(i)\n", 3, 9),
    ("PLW2901", "for i in a:\n    i = i.strip()\n    h(i)\n", 2, 5),
    ("E711", "rows = query.filter(User.gone == None)\n", 1, 34),
    ("E711", "kept = User.gone == None\n", 1, 21),
]


@pytest.mark.parametrize(
    ("source", "end", "is_harmless_there"),
    [
        ("kinds = ['csv', 'orc' 'xml']\n", (1, 28), False),
        ("kinds = [\n    'orc'\n    'xml',\n]\n", (3, 10), False),
        ("kinds = [\n    'it is one '\n    'sentence',\n]\n", (3, 15), True),
        ("kinds = [\n    r'[a-z]+'\n    r'[0-9]+',\n]\n", (3, 14), True),
    ],
)
def test_strings_that_join_are_words_or_a_sentence(
    source: str, end: tuple[int, int], is_harmless_there: bool
) -> None:
    start = (1, 17) if end[0] == 1 else (2, 5)
    assert is_harmless("a.py", source, "ISC004", Span(*start, *end)) is is_harmless_there


@pytest.mark.parametrize(("code", "source", "line", "column"), _HARM)
def test_a_harmful_habit_is_reported(code: str, source: str, line: int, column: int) -> None:
    assert not is_harmless("a.py", source, code, Span(line, column, line, column + 1))


@pytest.mark.parametrize(("code", "source", "line", "column"), _NO_HARM)
def test_a_harmless_habit_is_not_reported(code: str, source: str, line: int, column: int) -> None:
    assert is_harmless("a.py", source, code, Span(line, column, line, column + 1))


def test_a_class_without_hash_is_reported_at_its_eq() -> None:
    assert equality_of("a.py", _POINT, Span(1, 7, 1, 12)) == Span(2, 9, 2, 15)


def test_the_position_is_unchanged_if_a_module_does_not_parse() -> None:
    assert equality_of("a.py", "def (:\n", Span(1, 1, 1, 2)) == Span(1, 1, 1, 2)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("redundant-condition", "Method `S.is_ready` is always truthy: Did you mean to call this method?"),
        ("not-subscriptable", "Cannot subscript object of type `bound method dict[str, int].get(key)`"),
        ("not-callable", "Object of type `list[Unknown]` is not callable"),
        ("missing-attribute", "Object of type `datetime` has no attribute `strftme`"),
        ("missing-attribute", 'Object of type `Literal["a"]` has no attribute `trim`'),
        ("missing-attribute", "Object of type `defaultdict[str, list[int]]` has no attribute `iteritems`"),
        ("missing-attribute", "Module `time` has no member `clock`"),
        ("missing-module-member", "Module `collections` has no member `OrderdDict`"),
        ("no-matching-overload", "No overload of function `print` matches arguments"),
        ("no-matching-overload", "No overload of bound method `str.split` matches arguments"),
        ("invalid-raise", 'Cannot use object of type `Literal["because"]` as an exception cause'),
    ],
)
def test_a_certain_type_is_a_fact(code: str, message: str) -> None:
    assert map_of("ty").states_fact(code, message)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("missing-attribute", "Object of type `Mail` has no attribute `sent`"),
        ("missing-attribute", "Object of type `tuple[()]` has no attribute `append`"),
        ("missing-attribute", "Object of type `str` has no attribute `_own`"),
        ("missing-attribute", "Unresolved attribute `sent` on type `Path`"),
        ("missing-attribute", "Module `shop.mail` has no member `send`"),
        ("missing-attribute", "Module `os` has no member `O_BINARY`"),
        ("missing-module-member", "Module `typing` has no member `_Final`"),
        ("missing-module-member", "Module `asyncio` has no member `ProactorEventLoop`"),
        ("no-matching-overload", "No overload of bound method `str.join` matches arguments"),
        ("no-matching-overload", "No overload of function `sum` matches arguments"),
        ("redundant-condition", "Expression `x` is always truthy (has type `Path`)"),
        ("not-subscriptable", "Cannot subscript object of type `None` with no `__getitem__` method"),
        ("not-callable", "Object of type `None` is not callable"),
        ("invalid-yield", 'Yield type `Literal["a"]` does not match'),
    ],
)
def test_an_annotated_type_is_not_a_fact(code: str, message: str) -> None:
    assert not map_of("ty").states_fact(code, message)
