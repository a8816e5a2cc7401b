"""Edits that lower newer Python syntax, computed from tokens; see ``wardround.languages.python.lowering``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wardround.languages.python.source_positions import SourcePositions
from wardround.languages.python.tokens import Field, Token, TokenKind, fields, tokens

_MEANINGLESS = (TokenKind.COMMENT, TokenKind.BREAK)
"""Kinds of tokens without a meaning of their own."""


class InsertedText(NamedTuple):
    """Inserted text: a node that begins in it begins at ``start``, a node that ends in it ends at ``end``."""

    text: str
    start: int
    end: int


class SourceEdit(NamedTuple):
    """The replacement of the characters from ``start`` to ``end``."""

    start: int
    end: int
    inserts: tuple[InsertedText, ...] = ()


class LoweringPlan:
    """The edits of a source, and the nodes to restore by the offsets at which they start.

    Attributes:
        strings: groups of adjacent strings with an f- or t-string among them.
        starts: the start of a statement whose node starts later in the lowered text.
        stars: the star of a comprehension's element.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.edits: list[SourceEdit] = []
        self.strings: dict[int, list[Token]] = {}
        self.starts: dict[int, int] = {}
        self.stars: dict[int, Token] = {}
        self._visit(list(tokens(text)))
        self.edits.sort()

    def _visit(self, found: Sequence[Token]) -> None:
        """Plan edits for all tokens of the text, or of a replacement field."""
        code = [token for token in found if token.kind not in _MEANINGLESS]
        self._strings(code)
        self._comprehensions(code)
        for number in _statement_starts(code):
            self._statement(code, number)

    def _statement(self, code: Sequence[Token], at: int) -> None:
        """Plan edits for the statement that begins with a token."""
        following = code[at + 1].text if at + 1 < len(code) else ""
        match code[at].text, following:
            case ("def" | "class", _):
                self._remove_type_parameters(code, at + 2)
            case ("async", "def"):
                self._remove_type_parameters(code, at + 3)
            case ("except", "*"):
                self._handler(code, at + 2)
            case ("except", _):
                self._handler(code, at + 1)
            case ("type", _) if _is_alias(code, at):
                self._remove_word(code, at)
                self._remove_type_parameters(code, at + 2)
            case ("lazy", "import" | "from"):
                self._remove_word(code, at)
            case ("case", _):
                self._pattern(code, at + 1)

    def _remove_word(self, code: Sequence[Token], at: int) -> None:
        word, following = code[at], code[at + 1]
        self.edits.append(SourceEdit(word.start, following.start))
        self.starts[following.start] = word.start

    def _remove_type_parameters(self, code: Sequence[Token], at: int) -> None:
        """Remove the type parameters that begin at a token, if any do."""
        if at < len(code) and code[at].text == "[":
            last = _closing_bracket(code, at)
            self.edits.append(SourceEdit(code[at].start, code[last].end))

    def _handler(self, code: Sequence[Token], at: int) -> None:
        """Put the types of an ``except`` clause in parentheses."""
        outer = list(itertools.takewhile(lambda number: code[number].text != ":", _outer(code, at)))
        colon = outer[-1] + 1 if outer else at
        if not outer or colon >= len(code) or code[colon].text != ":":
            return
        words = {code[number].text for number in outer}
        if "," in words and "as" not in words:
            start, end = code[at].start, code[colon - 1].end
            self.edits.append(SourceEdit(start, start, (InsertedText("(", start, start),)))
            self.edits.append(SourceEdit(end, end, (InsertedText(")", end, end),)))

    def _pattern(self, code: Sequence[Token], at: int) -> None:
        """Remove the plus of numbers in a pattern."""
        colon = next((n for n in _outer(code, at) if code[n].text == ":"), at)
        before = "("
        for token, following in itertools.pairwise(code[at : colon + 1]):
            is_sign = token.text == "+" and before in ("(", "[", ",", "|", ":", "=")
            if is_sign and following.kind is TokenKind.NUMBER:
                self.edits.append(SourceEdit(token.start, token.end))
            before = token.text

    def _comprehensions(self, code: Sequence[Token]) -> None:
        """Remove the star of a comprehension's element."""
        waiting: list[tuple[Token, Token | None]] = []
        for before, token in itertools.pairwise(code):
            if before.kind is TokenKind.OPERATOR and before.text in ("(", "[", "{"):
                waiting.append((before, token if token.text in ("*", "**") else None))
            if not waiting:
                continue
            bracket, star = waiting[-1]
            match token.text:
                case ")" | "]" | "}":
                    waiting.pop()
                case ",":
                    waiting[-1] = (bracket, None)
                case "for" if star is not None:
                    self.edits.append(SourceEdit(star.start, star.end))
                    self.stars[bracket.start] = star

    def _strings(self, code: Sequence[Token]) -> None:
        """Rewrite each group of adjacent strings with a template among them as a set of its expressions."""
        group: list[Token] = []
        for token in (*code, None):
            if token is not None and token.kind is TokenKind.STRING:
                group.append(token)
                continue
            if any(edit.template for edit in group):
                self._group(group)
            group = []

    def _group(self, group: list[Token]) -> None:
        start, end = group[0].start, group[-1].end
        self._refuse_mixture(group)
        self.strings[start] = group
        done, before = start, (InsertedText("{0,", start, start),)
        for field in fields(part for token in group if token.template for part in token.template.parts):
            self._visit(field.tokens)
            inner = expression_tokens(field)
            first, last = inner[0].start, inner[-1].end
            self.edits.append(SourceEdit(done, first, (*before, InsertedText("(", first, first))))
            done, before = last, (InsertedText("),", last, last),)
        self.edits.append(SourceEdit(done, end, (*before, InsertedText("}", end, end))))

    def _refuse_mixture(self, group: Sequence[Token]) -> None:
        """Raise SyntaxError for a group of strings that cannot be joined."""
        kinds = {_kind_of(token) for token in group}
        if len(kinds) > 1 and kinds != {"", "f"}:
            position = SourcePositions(self._text).position(group[0].start)
            names = "t-string literals with string or bytes" if "t" in kinds else "bytes and nonbytes"
            raise SyntaxError(f"cannot mix {names} literals", ("<unknown>", *position, None))


def _kind_of(token: Token) -> str:
    """Return ``b``, ``f``, ``t``, or nothing for plain text."""
    prefix = token.text[: min(token.text.find(quote) % (len(token.text) + 1) for quote in "'\"")].lower()
    return prefix.strip("ru")


def expression_tokens(field: Field) -> list[Token]:
    """Return the tokens of a field without comments and line breaks at its ends."""
    return [token for token in field.tokens if token.kind not in _MEANINGLESS]


def _statement_starts(code: Sequence[Token]) -> Iterator[int]:
    """Return the tokens that may begin a statement, by number."""
    depth, is_start = 0, True
    for number, token in enumerate(code):
        if token.kind is TokenKind.NEWLINE:
            is_start = True
            continue
        if is_start and token.kind is TokenKind.NAME:
            yield number
        if token.kind is TokenKind.OPERATOR:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        is_start = depth == 0 and token.text in (":", ";")


def _outer(code: Sequence[Token], at: int) -> Iterator[int]:
    """Return the tokens of a statement from one on that are outside of brackets, by number."""
    depth = 0
    for number in range(at, len(code)):
        token = code[number]
        if token.kind is TokenKind.NEWLINE or (depth == 0 and token.text == ";"):
            return
        if token.text in (")", "]", "}"):
            depth -= 1
        if depth == 0:
            yield number
        if token.text in ("(", "[", "{"):
            depth += 1


def _closing_bracket(code: Sequence[Token], at: int) -> int:
    """Return the bracket that closes the one at a number."""
    return next(number for number in _outer(code, at) if number > at)


def _is_alias(code: Sequence[Token], at: int) -> bool:
    """Return True if ``type`` begins a type alias."""
    outer = [code[number].text for _, number in zip(range(5), _outer(code, at), strict=False)]
    if len(outer) < 3 or code[at + 1].kind is not TokenKind.NAME:
        return False
    return outer[2] == "=" or outer[2:5] == ["[", "]", "="]
