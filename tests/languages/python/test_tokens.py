"""Tokens of Python: those of the standard library if it can read them, and f-strings of Python 3.12."""

from __future__ import annotations

import io
import statistics
import sys
import tokenize
from pathlib import Path

import pytest

from wardround.languages.python.tokens import Field, TokenKind, tokens, tokens_within
from wardround.text.line_index import LineIndex, with_newlines

_MODULES = sorted(Path(statistics.__file__).parent.glob("*.py"))[:60]


def _texts(text: str, kind: TokenKind) -> list[str]:
    return [token.text for token in tokens_within(tokens(text)) if token.kind is kind]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="tokenize gives f-strings in pieces")
@pytest.mark.parametrize("path", _MODULES, ids=lambda path: path.stem)
def test_strings_and_comments_are_those_of_the_standard_library(path: Path) -> None:
    text = path.read_text("utf-8")
    lines = LineIndex(with_newlines(text))
    kinds = {
        tokenize.STRING: TokenKind.STRING,
        tokenize.COMMENT: TokenKind.COMMENT,
        tokenize.NEWLINE: TokenKind.NEWLINE,
    }
    expected = [
        (kinds[token.type], token.start, token.end)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type in kinds and token.string
    ]
    found = [
        (token.kind, *(_place(lines, offset) for offset in (token.start, token.end)))
        for token in tokens(text)
    ]
    strings = [item for item in found if item[0] in (TokenKind.STRING, TokenKind.COMMENT)]
    assert strings == [item for item in expected if item[0] is not TokenKind.NEWLINE]


def _place(lines: LineIndex, offset: int) -> tuple[int, int]:
    line, column = lines.position(offset)
    return line, column - 1


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('f"{d["k"]}"', ['d["k"]']),
        ("f'{a!r:>{w}.{p}}{b}'", ["a", "w", "p", "b"]),
        ('f"{f"{f"{1}"}"}"', ['f"{f"{1}"}"', 'f"{1}"', "1"]),
        ("f'{{x}} {y}'", ["y"]),
        (r"rf'\{x}\N{DASH}'", ["x", "DASH"]),
        (r"f'\N{DASH}{x}'", ["x"]),
        ("f'{x:{{y}}}'", ["x", "{y}"]),
        ("f'{x = }'", ["x"]),
        ("f'{x==y}{x!=y}{x<=y}'", ["x==y", "x!=y", "x<=y"]),
        ("f'{x:=5}'", ["x"]),
        ("f'{f(a=1, b={2: 3}[2:])}'", ["f(a=1, b={2: 3}[2:])"]),
        ("f'''{\n  x  # a } in a comment\n}'''", ["x"]),
        ("t'{a}' T'{b}'", ["a", "b"]),
    ],
)
def test_fields_of_templates(text: str, fields: list[str]) -> None:
    found = []
    for token in tokens_within(tokens(text)):
        stack = list(token.template.parts[::-1]) if token.template else []
        while stack:
            part = stack.pop()
            if isinstance(part, Field):
                code = [item for item in part.tokens if item.kind not in (TokenKind.COMMENT, TokenKind.BREAK)]
                found.append(text[code[0].start : code[-1].end])
                stack += part.spec[::-1]
    assert found == fields


def test_comments_inside_fields_are_found() -> None:
    assert _texts("x = f'''{\n a  # in\n}'''  # after\n", TokenKind.COMMENT) == ["# in", "# after"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(end: str) -> None:
    text = f"a = 1{end}b = 'x'  # note{end}"
    found = next(token for token in tokens(text) if token.kind is TokenKind.COMMENT)
    assert (found.text, LineIndex(with_newlines(text)).position(found.start)) == ("# note", (2, 10))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("x = 'a\n", 1, 5), ("x = '''a\n\n", 1, 5), ("f'{a'\n", 1, 5), ("x = (\n", 1, 5), ("x = )\n", 1, 5),
     ("f'}'\n", 1, 3), ("f'{}'\n", 1, 3), ("\nf'{a!z}'\n", 2, 5), ("x = \\ 1\n", 1, 4)],
)  # fmt: skip
def test_what_is_not_closed_is_reported_where_it_is(text: str, line: int, column: int) -> None:
    with pytest.raises(SyntaxError) as caught:
        list(tokens(text))
    assert (caught.value.lineno, caught.value.offset) == (line, column)


@pytest.mark.parametrize("unit", ["'", "f'{", "(", "{{", "f'{x:", "\\\n", "#", "''' '", "x[", "f\"{'"])
def test_long_texts_take_linear_time(unit: str) -> None:
    text = unit * 20_000
    try:
        for _ in tokens(text):
            pass
    except (SyntaxError, RecursionError):
        pass
