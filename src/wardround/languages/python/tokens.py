"""Tokens of Python source, independent of the interpreter: f-strings follow the grammar of Python 3.12.

The standard library's ``tokenize`` reads the grammar of its own interpreter: in 3.11 an f-string is one
opaque token, and one that contains its own quotes ends too early. Here the replacement fields of f- and
t-strings contain tokens, at any depth. Positions are offsets of characters in the text.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wardround.lazy import LazyPattern
from wardround.text.line_index import LineIndex, with_newlines


class TokenKind(enum.Enum):
    """The kind of a token. A line break inside brackets is BREAK, one that ends a logical line NEWLINE."""

    NAME = enum.auto()
    NUMBER = enum.auto()
    STRING = enum.auto()
    OPERATOR = enum.auto()
    COMMENT = enum.auto()
    BREAK = enum.auto()
    NEWLINE = enum.auto()


class StringLiteral(NamedTuple):
    """Literal text between the replacement fields of a template, verbatim."""

    start: int
    end: int


class Field(NamedTuple):
    """A replacement field: ``{expression=!r:spec}``.

    Attributes:
        start: position of the opening brace; ``end`` is after the closing one.
        tokens: those of the expression, comments and line breaks included.
        equals: where the text that ``=`` repeats ends; None without ``=``.
        conversion: the letter after ``!``; empty if there is none.
        colon: colon of the format specification; None if there is none.
    """

    start: int
    end: int
    tokens: list[Token]
    equals: int | None
    conversion: str
    colon: int | None
    spec: list[StringLiteral | Field]


class Template(NamedTuple):
    """The parts of an f- or t-string: its prefix in lower case, its quotes, its parts in order."""

    prefix: str
    quotes: str
    parts: list[StringLiteral | Field]


class Token(NamedTuple):
    """One token; ``template`` is that of an f- or t-string, which is one token of kind STRING."""

    kind: TokenKind
    start: int
    end: int
    text: str
    template: Template | None = None


_TOKEN = LazyPattern(
    r"[ \t\f\ufeff]*(?:\\(?:\r\n|\r|\n)[ \t\f]*)*"  # blanks, and continued lines
    r"(?:(?P<NEWLINE>\r\n|\r|\n)|(?P<COMMENT>#[^\r\n]*)"
    r"|(?P<STRING>(?P<prefix>[rRbBuUfFtT]{0,2})(?P<quotes>'''|\"\"\"|'|\"))"
    r"|(?P<NAME>[^\W\d]\w*)|(?P<NUMBER>\.?\d(?:\w|\.)*)"
    r"|(?P<OPERATOR>\*\*=?|//=?|<<=?|>>=?|\.\.\.|:=|->|[-+*/%@&|^!=<>]=|[^\s\w\\])|(?P<end>\Z))"
)
_AFTER_QUOTE = re.compile(r"[^'\\\r\n]*(?:\\(?:\r\n|[\s\S])[^'\\\r\n]*)*'")
_AFTER_DOUBLE_QUOTE = re.compile(r'[^"\\\r\n]*(?:\\(?:\r\n|[\s\S])[^"\\\r\n]*)*"')
_AFTER_QUOTES = re.compile(r"[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''")
_AFTER_DOUBLE_QUOTES = re.compile(r'[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""')
"""The rest of a literal after its quotes: not ``LazyPattern``, whose repetitions are bounded, as a literal
has any length, and each is read once.
"""
_PLAIN = LazyPattern(r"[^{}'\"\\\r\n]+")
_NAMED = LazyPattern(r"\\N\{[^{}'\"\r\n]*\}")
_CONVERSION = LazyPattern(r"[ \t\f]*([sra])\b\s*")
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())


def _string_rest(quotes: str, text: str, at: int) -> re.Match[str] | None:
    """Match the rest of a literal from a position after its quotes."""
    match quotes:
        case "'":
            return _AFTER_QUOTE.match(text, at)
        case '"':
            return _AFTER_DOUBLE_QUOTE.match(text, at)
        case "'''":
            return _AFTER_QUOTES.match(text, at)
        case _:
            return _AFTER_DOUBLE_QUOTES.match(text, at)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a string, in order.

    Raises:
        SyntaxError: a string, a replacement field or a bracket is not closed, or a character starts no
            token;
            the tokens before it were yielded.
    """
    return _TokenReader(text).tokens()


def tokens_within(found: Iterable[Token]) -> Iterator[Token]:
    """Yield tokens, each followed by those in its replacement fields, at any depth."""
    for token in found:
        yield token
        if token.template is not None:
            for field in fields(token.template.parts):
                yield from tokens_within(field.tokens)


def fields(parts: Iterable[StringLiteral | Field]) -> Iterator[Field]:
    """Yield the replacement fields among parts, each followed by those of its format specification."""
    for part in parts:
        if isinstance(part, Field):
            yield part
            yield from fields(part.spec)


def field_at(text: str, at: int, prefix: str, quotes: str) -> Field:
    """Return the replacement field that begins at a brace of a template with this prefix and these quotes.

    Raises:
        SyntaxError: it is not closed, or is not an expression.
    """
    return _TokenReader(text, at).field(at, prefix, quotes)


class _TokenReader:
    """Reads tokens at an offset that only grows, so that the time taken is linear in the text."""

    def __init__(self, text: str, at: int = 0) -> None:
        self._text = text
        self._at = at

    def tokens(self) -> Iterator[Token]:
        """Yield all tokens up to the end of the text."""
        open_brackets: list[tuple[str, int]] = []
        while (token := self._next(bool(open_brackets))) is not None:
            self._balance(token, open_brackets)
            yield token
        if open_brackets:
            raise self._error(f"'{open_brackets[-1][0]}' was never closed", open_brackets[-1][1])

    def _balance(self, token: Token, open_brackets: list[tuple[str, int]]) -> None:
        if token.text in _OPENING:
            open_brackets.append((token.text, token.start))
        elif token.text in _CLOSING and token.kind is TokenKind.OPERATOR:
            if not open_brackets or _OPENING[open_brackets[-1][0]] != token.text:
                raise self._error(f"unmatched '{token.text}'", token.start)
            open_brackets.pop()

    def _next(self, in_brackets: bool) -> Token | None:
        """Return the token after the following blanks; None at the end of the text."""
        match = _TOKEN.match(self._text, self._at)
        if match is None or match.lastgroup is None:
            raise self._error("unexpected character after line continuation character", self._at)
        group = match.lastgroup
        if group == "end":
            return None
        start, end = match.span(group)
        if group == "STRING":
            return self._string(start, match["prefix"].lower(), match["quotes"], end)
        kind = TokenKind.BREAK if in_brackets and group == "NEWLINE" else TokenKind[group]
        return self._token(kind, start, end)

    def _token(self, kind: TokenKind, start: int, end: int, template: Template | None = None) -> Token:
        self._at = end
        return Token(kind, start, end, self._text[start:end], template)

    def _string(self, start: int, prefix: str, quotes: str, inside: int) -> Token:
        if "f" not in prefix and "t" not in prefix:
            match = _string_rest(quotes, self._text, inside)
            if match is None:
                raise self._error("unterminated string literal", start)
            return self._token(TokenKind.STRING, start, match.end())
        self._at = inside
        parts = self._parts(start, prefix, quotes, in_spec=False)
        return self._token(TokenKind.STRING, start, self._at + len(quotes), Template(prefix, quotes, parts))

    def _parts(self, start: int, prefix: str, quotes: str, *, in_spec: bool) -> list[StringLiteral | Field]:
        """Return the parts of a template up to its closing quotes, or of a format specification up to its
        brace.
        """
        text, parts, literal = self._text, list[StringLiteral | Field](), self._at
        while True:
            self._at = at = self._end_of(_PLAIN, self._at)
            if at >= len(text) or (text[at] in "\r\n" and len(quotes) == 1):
                raise self._error(f"unterminated {prefix.replace('r', '')}-string literal", start)
            is_end = text.startswith(quotes, at) or (in_spec and text[at] == "}")
            if not is_end and not self._begins_field(at, in_spec):
                self._at = self._skip_literal(at, prefix, in_spec)
                continue
            if literal < at:
                parts.append(StringLiteral(literal, at))
            if is_end:
                return parts
            parts.append(self.field(start, prefix, quotes))
            literal = self._at

    def _begins_field(self, at: int, in_spec: bool) -> bool:
        return self._text[at] == "{" and (in_spec or not self._text.startswith("{{", at))

    def _skip_literal(self, at: int, prefix: str, in_spec: bool) -> int:
        """Return the continuation of literal text after a character of it that may be part of an escape."""
        text = self._text
        if text[at] == "\\":
            named = None if "r" in prefix else _NAMED.match(text, at)
            if named is not None:
                return named.end()
            return at + (
                1 if text[at + 1 : at + 2] in ("{", "}") else 3 if text[at + 1 : at + 3] == "\r\n" else 2
            )
        if text[at] == "}" and not text.startswith("}}", at):
            raise self._error(f"{prefix.replace('r', '')}-string: single '}}' is not allowed", at)
        return at + (2 if text[at] in "{}" and not in_spec else 1)

    def field(self, start: int, prefix: str, quotes: str) -> Field:
        """Return a replacement field, at its opening brace."""
        opening, self._at = self._at, self._at + 1
        inner, equals = self._expression(opening)
        if not any(token.kind not in (TokenKind.COMMENT, TokenKind.BREAK) for token in inner):
            raise self._error(
                f"{prefix.replace('r', '')}-string: valid expression required before '}}'", opening
            )
        conversion, colon, spec = "", None, list[StringLiteral | Field]()
        if self._text[self._at] == "!":
            match = _CONVERSION.match(self._text, self._at + 1)
            if match is None:
                raise self._error("f-string: expecting '!s', '!r' or '!a'", self._at)
            conversion, self._at = match[1], match.end()
        if self._text.startswith(":", self._at):
            colon, self._at = self._at, self._at + 1
            spec = self._parts(start, prefix, quotes, in_spec=True)
        if not self._text.startswith("}", self._at):
            raise self._error("f-string: expecting '}'", self._at)
        self._at += 1
        return Field(opening, self._at, inner, equals, conversion, colon, spec)

    def _expression(self, opening: int) -> tuple[list[Token], int | None]:
        """Return the tokens of a field's expression, and the end of the text that ``=`` repeats, if any."""
        found: list[Token] = []
        open_brackets: list[tuple[str, int]] = []
        while (token := self._next(in_brackets=True)) is not None:
            if not open_brackets and token.text in ("!", ":", ":=", "}"):
                self._at = token.start
                return found, None
            if not open_brackets and token.text == "=":
                return found, self._skip_equals(found)
            self._balance(token, open_brackets)
            found.append(token)
        raise self._error("'{' was never closed", opening)

    def _skip_equals(self, found: list[Token]) -> int:
        """Return the end of the source that an equals sign repeats; comments after it join the tokens."""
        while (token := self._next(in_brackets=True)) is not None and token.kind in (
            TokenKind.COMMENT,
            TokenKind.BREAK,
        ):
            found.append(token)
        if token is None or token.text not in ("!", ":", ":=", "}"):
            raise self._error("f-string: expecting '!', or ':', or '}'", self._at)
        self._at = token.start
        return token.start

    def _end_of(self, pattern: LazyPattern, at: int) -> int:
        match = pattern.match(self._text, at)
        return at if match is None else match.end()

    def _error(self, message: str, at: int) -> SyntaxError:
        lines = LineIndex(with_newlines(self._text))
        return SyntaxError(message, ("<unknown>", *lines.position(min(at, len(self._text))), None))
