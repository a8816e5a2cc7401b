"""Only lines with an effect are evidence."""

from __future__ import annotations

import pytest

from wardround.analyses.criterion.added_code import (
    MAX_LINES,
    AddedCode,
    AddedLine,
    ChangedSource,
    Language,
    language_of,
    read_added_code,
)


def read(path: str, text: str, removed: str = "", used: frozenset[str] = frozenset()) -> AddedCode:
    lines = tuple(AddedLine(number, line) for number, line in enumerate(text.splitlines(), 1))
    return read_added_code(ChangedSource(path, lines, tuple(removed.splitlines())), used)


def live(path: str, text: str) -> list[int]:
    return [line.number for line in read(path, text).effective]


@pytest.mark.parametrize(
    ("path", "text", "numbers"),
    [
        ("a.py", "# limit\nx(1)  # limit", [2]),
        ("a.py", 'def f():\n    """Limit.\n\n    Two.\n    """\n    g()', [1, 6]),
        ("a.py", 'x = f("""\nlimit\n""")', [1, 2, 3]),
        ("a.py", "log.info(\n    'limit',\n)\nx(1)", [4]),
        ("a.py", "print('limit')\nlogger.warning('limit')\nf()", [3]),
        ("a.py", "    The limit of all uploads is higher now.\nf()", [2]),
        ("a.py", "import limit\nfrom limit import *\nf()", [3]),
        ("a.py", "if False:\n    limit()\n    more()\nf()", [4]),
        ("a.py", "def f():\n    return 1\n    limit()\ndef g():\n    h()", [1, 2, 4, 5]),
        ("a.py", "LIMIT = 5\nNAMES = ['limit', 'x']\nf()", [3]),
        ("a.py", "LIMIT = 5\nf(LIMIT)", [1, 2]),
        ("a.ts", "// limit\n/* limit\n */\nf(1);", [4]),
        ("a.tsx", "{/* limit */}\n<A limit={1} />", [1, 2]),
        ("a.ts", "console.log('limit');\nexport const LIMIT = 5;\nf();", [3]),
        ("a.ts", "if (false) {\n  limit();\n}\nf();", [3, 4]),
        ("a.sql", "-- limit\n/* limit\n*/ SELECT 1;", [3]),
        ("a.yml", "# limit\nlimit: 5 # x\ndescription: limit\nrun: echo limit", [2]),
        ("Dockerfile", "# USER x\nLABEL user=x\nUSER x", [3]),
        ("README.md", "limit is 5", []),
        ("docs/a.yml", "limit: 5", []),
    ],
)
def test_live_lines(path: str, text: str, numbers: list[int]) -> None:
    assert live(path, text) == numbers


def test_a_changed_constant_is_live() -> None:
    assert read("a.py", "LIMIT = 5\nf()", removed="LIMIT = 3").effective[0].number == 1
    assert read("a.py", "LIMIT = 5\nf()", used=frozenset({"limit"})).effective[0].number == 1


def test_what_is_excluded_is_known_as_inert() -> None:
    inert = read("a.py", "# retries\nprint('x')\nLIMIT = 5\nf()  # trailing\n").inert

    assert "retries" in inert
    assert "LIMIT" in inert
    assert "trailing" in inert


@pytest.mark.parametrize(
    ("text", "is_stub"),
    [
        ("def f(a):\n    return True", True),
        ("def f(a):\n    return a", True),
        ("def f(a):\n    pass", True),
        ("class A(B):\n    limit: int\n    name: str", True),
        ("def f(a):\n    return a + 1", False),
        ("def f(a):\n    g(a)", False),
    ],
)
def test_stubs(text: str, is_stub: bool) -> None:
    assert read("a.py", text).is_stub is is_stub


def test_the_name_of_a_function_without_a_body_is_not_a_word() -> None:
    code = read("a.tsx", "const restoreRow = () => {};\nrender(<B onClick={restoreRow} />);\n")

    assert "restor" not in code.stems


def test_long_strings_are_messages() -> None:
    assert "sort" not in read("a.ts", 'f("results are sorted by date")').stems
    assert "sort" in read("a.ts", 'f("sortOrder")').stems


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", Language.PYTHON),
        ("a.TSX", Language.SCRIPT),
        ("db/x.sql", Language.SQL),
        ("Dockerfile", Language.CONFIG),
        (".github/workflows/a.yml", Language.CONFIG),
        ("CHANGELOG", Language.PROSE),
        ("requirements.txt", Language.CONFIG),
        ("docs/a.md", Language.PROSE),
    ],
)
def test_languages(path: str, language: Language) -> None:
    assert language_of(path) is language


def test_the_number_of_lines_is_limited() -> None:
    assert len(read("a.py", "f()\n" * (MAX_LINES + 5)).lines) == MAX_LINES


@pytest.mark.parametrize(
    ("path", "text", "unread"),
    [
        ("a.py", "def f(a: int, mail: bool = False) -> int:\n    return a + 1\n", {"mail"}),
        ("a.py", "def f(name: str) -> str:\n    return f'{name}!'\n", set()),
        ("a.tsx", "type P = { onSave: () => void; showAll?: boolean };\nrun(props.onSave);\n", {"showall"}),
    ],
)
def test_parameters_and_members_that_no_line_reads_are_known(path: str, text: str, unread: set[str]) -> None:
    assert read(path, text).unread == unread
