"""Python syntax that is newer than the running interpreter, lowered to what its parser reads.

A text is rewritten token by token, parsed by the standard library, and every node gets the position it has in
the text as written; what was rewritten gets its own nodes back:

=========================================  =======  =========================================================
Syntax                                     Python   Tree
=========================================  =======  =========================================================
f-strings that reuse quotes, hold          3.12     ``JoinedStr``, each part at its own position
backslashes, comments or line breaks
type parameters, with defaults             3.12/13  left out
``type X = ...``                           3.12     ``Assign``
``except A, B:``                           3.14     a handler of a ``Tuple``
t-strings                                  3.14     ``TemplateStr`` and ``Interpolation``, as 3.14 has them
``lazy import``                            3.15     ``Import``, ``ImportFrom``
``[*a for a in b]``                        3.15     the comprehension, of a ``Starred`` element
``{**a for a in b}``                       3.15     ``Dict`` of an unpacked ``GeneratorExp``
``case +1:``                               3.15     the number
=========================================  =======  =========================================================

Chosen by comparison on 1,000 lines of Python, which ``ast.parse`` reads in 19 ms. Lowering takes 40 ms more,
needs no other package and leaves the grammar to the interpreter; on 3.12 and 3.13 it gives the trees of their
own parsers to the column. libcst accepts all of the above and takes 500 ms to import, 130 to parse, 100 for
positions, and then each kind of node has to be converted. tree-sitter takes 8, 3 and 15 ms, refuses four of
fifteen snippets of the above, and accepts ``print 'x'`` and unindented bodies. parso takes 120 and 75 ms and
refuses thirteen. ruff's parser has no maintained binding that gives a tree with positions.
"""

from __future__ import annotations

import ast
import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tokens import (
    Field,
    LineOffsets,
    StringLiteral,
    Token,
    TokenKind,
    fields,
    tokens,
)

Item = TypeVar("Item")
Place = tuple[int, int]
"""The line (1-based) and the column in UTF-8 bytes (0-based), as ``ast`` has them."""

_ESCAPE = LazyPattern(
    r"\\(?:\r\n|N\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|[\s\S])"
)
_LINE_END = LazyPattern(r"\r\n?")
_BESIDE = (TokenKind.COMMENT, TokenKind.BREAK)
"""Kinds of tokens that stand between others without a meaning of their own."""


class TemplateStr(ast.expr):
    """A t-string, as Python 3.14 has it."""

    _fields = ("values",)

    def __init__(self, values: list[ast.expr]) -> None:
        super().__init__()
        self.values = values


class Interpolation(ast.expr):
    """A replacement field of a t-string, as Python 3.14 has it."""

    _fields = ("value", "str", "conversion", "format_spec")

    def __init__(self, value: ast.expr, name: str, conversion: int, format_spec: ast.expr | None) -> None:
        super().__init__()
        self.value, self.str, self.conversion, self.format_spec = value, name, conversion, format_spec


class _Insert(NamedTuple):
    """Inserted text: a node that begins in it begins at ``start``, one that ends in it ends at ``end``."""

    text: str
    start: int
    end: int


class _Edit(NamedTuple):
    """What is written in place of the characters from ``start`` to ``end``."""

    start: int
    end: int
    inserts: tuple[_Insert, ...] = ()


class _Segment(NamedTuple):
    """A piece of the lowered text from ``new`` on, and what it stands for."""

    new: int
    start: int
    end: int
    is_copy: bool


def parse_lowered(text: str) -> ast.Module | None:
    """Parse a text whose syntax may be newer than the interpreter; None if no syntax of it could be.

    Raises:
        SyntaxError: it is not Python of any version; the position is that in the text.
        ValueError, RecursionError, MemoryError: the parser cannot cope with it.
    """
    plan = _Plan(text)
    if not plan.edits:
        return None
    lowered = _Lowered(text, plan.edits)
    try:
        tree = ast.parse(lowered.text)
    except SyntaxError as cause:
        if lowered.correct(cause) in plan.strings:
            cause.msg = cause.msg.replace("set display", "f-string expression")
        raise
    return _Restored(text, plan, lowered).module(tree)


class _Plan:
    """What is to be rewritten in a text, and by the place where they begin the nodes to restore.

    Attributes:
        strings: groups of adjacent strings with an f- or t-string among them, by where they start.
        starts: where a statement starts whose node starts later in the lowered text.
        stars: the star of a comprehension's element, by where the comprehension starts.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.edits: list[_Edit] = []
        self.strings: dict[int, list[Token]] = {}
        self.starts: dict[int, int] = {}
        self.stars: dict[int, Token] = {}
        self._visit(list(tokens(text)))
        self.edits.sort()

    def _visit(self, found: Sequence[Token]) -> None:
        """Plan for all tokens of the text, or of a replacement field."""
        code = [token for token in found if token.kind not in _BESIDE]
        self._strings(code)
        self._comprehensions(code)
        for number in _statement_starts(code):
            self._statement(code, number)

    def _statement(self, code: Sequence[Token], at: int) -> None:
        """Plan for the statement that begins with a token."""
        word = code[at].text
        following = code[at + 1].text if at + 1 < len(code) else ""
        if word in ("def", "class"):
            self._without_parameters(code, at + 2)
        elif word == "async" and following == "def":
            self._without_parameters(code, at + 3)
        elif word == "except":
            self._handler(code, at + (2 if following == "*" else 1))
        elif word == "type" and _is_alias(code, at):
            self._without_word(code, at)
            self._without_parameters(code, at + 2)
        elif word == "lazy" and following in ("import", "from"):
            self._without_word(code, at)
        elif word == "case":
            self._pattern(code, at + 1)

    def _without_word(self, code: Sequence[Token], at: int) -> None:
        word, following = code[at], code[at + 1]
        self.edits.append(_Edit(word.start, following.start))
        self.starts[following.start] = word.start

    def _without_parameters(self, code: Sequence[Token], at: int) -> None:
        """Leave out the type parameters that begin at a token, if any do."""
        if at < len(code) and code[at].text == "[":
            last = _closing(code, at)
            self.edits.append(_Edit(code[at].start, code[last].end))

    def _handler(self, code: Sequence[Token], at: int) -> None:
        """Put the types of an ``except`` clause in parentheses."""
        outer = list(itertools.takewhile(lambda number: code[number].text != ":", _outer(code, at)))
        colon = outer[-1] + 1 if outer else at
        if not outer or colon >= len(code) or code[colon].text != ":":
            return
        words = {code[number].text for number in outer}
        if "," in words and "as" not in words:
            start, end = code[at].start, code[colon - 1].end
            self.edits.append(_Edit(start, start, (_Insert("(", start, start),)))
            self.edits.append(_Edit(end, end, (_Insert(")", end, end),)))

    def _pattern(self, code: Sequence[Token], at: int) -> None:
        """Leave out the plus of numbers in a pattern."""
        colon = next((n for n in _outer(code, at) if code[n].text == ":"), at)
        before = "("
        for token, following in itertools.pairwise(code[at : colon + 1]):
            is_sign = token.text == "+" and before in ("(", "[", ",", "|", ":", "=")
            if is_sign and following.kind is TokenKind.NUMBER:
                self.edits.append(_Edit(token.start, token.end))
            before = token.text

    def _comprehensions(self, code: Sequence[Token]) -> None:
        """Leave out the star of a comprehension's element."""
        waiting: list[tuple[Token, Token | None]] = []
        for before, token in itertools.pairwise(code):
            if before.text in ("(", "[", "{") and before.kind is TokenKind.OPERATOR:
                waiting.append((before, token if token.text in ("*", "**") else None))
            if token.text in (")", "]", "}") and waiting:
                waiting.pop()
            elif waiting and token.text == ",":
                waiting[-1] = (waiting[-1][0], None)
            elif waiting and token.text == "for" and (star := waiting[-1][1]) is not None:
                self.edits.append(_Edit(star.start, star.end))
                self.stars[waiting[-1][0].start] = star

    def _strings(self, code: Sequence[Token]) -> None:
        """Write each group of adjacent strings with a template among them as a set of its expressions."""
        group: list[Token] = []
        for token in (*code, None):
            if token is not None and token.kind is TokenKind.STRING:
                group.append(token)
                continue
            if any(one.template for one in group):
                self._group(group)
            group = []

    def _group(self, group: list[Token]) -> None:
        start, end = group[0].start, group[-1].end
        self._refuse_mixture(group)
        self.strings[start] = group
        done, before = start, (_Insert("{0,", start, start),)
        for field in fields(part for token in group if token.template for part in token.template.parts):
            self._visit(field.tokens)
            inner = _bare(field)
            first, last = inner[0].start, inner[-1].end
            self.edits.append(_Edit(done, first, (*before, _Insert("(", first, first))))
            done, before = last, (_Insert("),", last, last),)
        self.edits.append(_Edit(done, end, (*before, _Insert("}", end, end))))

    def _refuse_mixture(self, group: Sequence[Token]) -> None:
        """Raise SyntaxError for a group of strings that cannot be joined."""
        kinds = {_kind_of(token) for token in group}
        if len(kinds) > 1 and kinds != {"", "f"}:
            line, column = LineOffsets(self._text).position(group[0].start)
            names = "t-string literals with string or bytes" if "t" in kinds else "bytes and nonbytes"
            raise SyntaxError(f"cannot mix {names} literals", ("<unknown>", line, column + 1, None))


def _kind_of(token: Token) -> str:
    """``b``, ``f``, ``t``, or nothing for plain text."""
    prefix = token.text[: min(token.text.find(quote) % (len(token.text) + 1) for quote in "'\"")].lower()
    return prefix.strip("ru")


def _bare(field: Field) -> list[Token]:
    """The tokens of a field without comments and line breaks at its ends."""
    return [token for token in field.tokens if token.kind not in _BESIDE]


def _statement_starts(code: Sequence[Token]) -> Iterator[int]:
    """The tokens that may begin a statement, by number."""
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
    """The tokens of a statement from one on that are in no brackets, by number."""
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


def _closing(code: Sequence[Token], at: int) -> int:
    """The bracket that closes the one at a number."""
    return next(number for number in _outer(code, at) if number > at)


def _is_alias(code: Sequence[Token], at: int) -> bool:
    """Return True if ``type`` begins a type alias."""
    outer = [code[number].text for _, number in zip(range(5), _outer(code, at), strict=False)]
    if len(outer) < 3 or code[at + 1].kind is not TokenKind.NAME:
        return False
    return outer[2] == "=" or outer[2:5] == ["[", "]", "="]


class _Text:
    """A text in which places and offsets are turned into each other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = LineOffsets(text)
        self._is_ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """The offset in characters of a place."""
        start = self._lines.starts[line - 1]
        if self._is_ascii:
            return start + column
        return start + len(
            self.text[start : start + column].encode("utf-8", "replace")[:column].decode("utf-8", "ignore")
        )

    def character(self, line: int, column: int) -> int:
        """The offset of a 1-based column of characters; one past the end of the text is the end."""
        starts = self._lines.starts
        return min(starts[min(line, len(starts)) - 1] + max(column - 1, 0), len(self.text))

    def place(self, offset: int) -> Place:
        """The place of an offset."""
        line, column = self._lines.position(offset)
        if not self._is_ascii:
            column = len(self.text[offset - column : offset].encode("utf-8", "surrogatepass"))
        return line, column

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the 1-based column in characters of an offset."""
        line, column = self._lines.position(offset)
        return line, column + 1


class _Lowered:
    """The rewritten text, and where in the text as written each of its characters comes from."""

    def __init__(self, text: str, edits: Sequence[_Edit]) -> None:
        self._source = _Text(text)
        self._segments: list[_Segment] = []
        self._out: list[str] = []
        self._length = 0
        done = 0
        for edit in edits:
            self._copy(done, edit.start)
            for one in edit.inserts:
                self._add(one.text, one.start, one.end, is_copy=False)
            done = edit.end
        self._copy(done, len(text))
        self.text = "".join(self._out)
        self._lowered = _Text(self.text)
        self._starts = [segment.new for segment in self._segments]

    def _copy(self, start: int, end: int) -> None:
        self._add(self._source.text[start:end], start, end, is_copy=True)

    def _add(self, text: str, start: int, end: int, *, is_copy: bool) -> None:
        if text:
            self._segments.append(_Segment(self._length, start, end, is_copy))
            self._out.append(text)
            self._length += len(text)

    def start(self, line: int, column: int) -> Place:
        """Where what starts at a place of the rewritten text starts as written."""
        offset = self._lowered.offset(line, column)
        segment = self._segments[bisect_right(self._starts, offset) - 1]
        return self._source.place(segment.start + (offset - segment.new if segment.is_copy else 0))

    def end(self, line: int, column: int) -> Place:
        """Where what ends at a place of the rewritten text ends as written."""
        offset = self._lowered.offset(line, column)
        segment = self._segments[max(bisect_left(self._starts, offset) - 1, 0)]
        return self._source.place(segment.start + offset - segment.new if segment.is_copy else segment.end)

    def correct(self, cause: SyntaxError) -> int | None:
        """Turn the position of an error into that in the text as written, and return its offset there."""
        cause.text = None
        if cause.lineno is None:
            return None
        offset = self._origin(cause.lineno, cause.offset or 1)
        cause.lineno, cause.offset = self._source.position(offset)
        if cause.end_lineno and cause.end_offset:
            end = self._origin(cause.end_lineno, cause.end_offset)
            cause.end_lineno, cause.end_offset = self._source.position(end)
        return offset

    def _origin(self, line: int, column: int) -> int:
        """The offset as written of a 1-based column of characters."""
        offset = self._lowered.character(line, column)
        segment = self._segments[bisect_right(self._starts, offset) - 1]
        return segment.start + (offset - segment.new if segment.is_copy else 0)


class _Restored:
    """The tree of a lowered text as the tree of the text as written."""

    def __init__(self, text: str, plan: _Plan, lowered: _Lowered) -> None:
        self._text = text
        self._lowered = lowered
        self._source = source = _Text(text)
        self._strings = {source.place(start): group for start, group in plan.strings.items()}
        self._starts = {source.place(start): source.place(new) for start, new in plan.starts.items()}
        self._stars = {source.place(start): star for start, star in plan.stars.items()}

    def module(self, tree: ast.Module) -> ast.Module:
        """The tree, changed in place."""
        nodes = list(ast.walk(tree))
        for node in nodes:
            if "lineno" in node._attributes:
                self._place(node)
        for node in reversed(nodes):  # what is inside first
            for name, value in ast.iter_fields(node):
                if isinstance(value, list):
                    value[:] = [self._restored(item) for item in value]
                elif isinstance(value, ast.AST):
                    setattr(node, name, self._restored(value))
        return tree

    def _place(self, node: Any) -> None:
        start = self._lowered.start(node.lineno, node.col_offset)
        if isinstance(node, (ast.Assign, ast.Import, ast.ImportFrom)):
            start = self._starts.get(start, start)
        node.end_lineno, node.end_col_offset = self._lowered.end(node.end_lineno, node.end_col_offset)
        node.lineno, node.col_offset = start

    def _restored(self, node: Any) -> Any:
        """What a node of the lowered text stands for."""
        if isinstance(node, ast.Set):
            group = self._strings.get((node.lineno, node.col_offset))
            return node if group is None else self._string(group, node.elts[1:])
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            star = self._stars.get((node.lineno, node.col_offset))
            return node if star is None else self._unpacking(node, star)
        return node

    def _unpacking(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, star: Token) -> ast.expr:
        if star.text == "**":
            values = ast.GeneratorExp(node.elt, node.generators)
            return ast.copy_location(ast.Dict([None], [ast.copy_location(values, node)]), node)
        element = ast.copy_location(ast.Starred(node.elt, ast.Load()), node.elt)
        element.lineno, element.col_offset = self._source.place(star.start)
        node.elt = element
        return node

    def _string(self, group: Sequence[Token], expressions: Sequence[ast.expr]) -> ast.expr:
        """The f- or t-string of a group, made of its expressions."""
        values = iter(expressions)
        is_t = any(token.template and "t" in token.template.prefix for token in group)
        pieces = [piece for token in group for piece in self._pieces(token, values)]
        made: Callable[..., ast.expr] = TemplateStr if is_t else ast.JoinedStr
        return self._at(made(values=_joined(pieces)), group[0].start, group[-1].end)

    def _pieces(self, token: Token, values: Iterator[ast.expr]) -> Iterator[ast.expr]:
        if token.template is not None:
            yield from self._parts(token.template.parts, token.template.prefix, values)
            return
        constant = self._evaluated(lambda: ast.parse(token.text, mode="eval").body, token.start)
        yield self._at(constant, token.start, token.end)

    def _parts(
        self,
        parts: Sequence[StringLiteral | Field],
        prefix: str,
        values: Iterator[ast.expr],
        *,
        in_spec: bool = False,
    ) -> Iterator[ast.expr]:
        for part in parts:
            if isinstance(part, Field):
                yield from self._field(part, prefix, values)
            else:
                yield self._at(ast.Constant(self._literal(part, prefix, in_spec)), part.start, part.end)

    def _literal(self, part: StringLiteral, prefix: str, in_spec: bool) -> str:
        text = _LINE_END.sub("\n", self._text[part.start : part.end])
        if not in_spec:
            text = text.replace("{{", "{").replace("}}", "}")
        if "r" in prefix or "\\" not in text:
            return text
        return self._evaluated(lambda: _unescaped(text), part.start)

    def _evaluated(self, value: Callable[[], Item], start: int) -> Item:
        """The value of a literal; an error in it is reported where it starts."""
        try:
            return value()
        except SyntaxError as cause:
            line, column = self._source.position(start)
            raise SyntaxError(cause.msg, ("<unknown>", line, column, None)) from None

    def _field(self, field: Field, prefix: str, values: Iterator[ast.expr]) -> Iterator[ast.expr]:
        value = next(values)
        if field.equals is not None:
            start, text = field.start + 1, self._repeated(field, field.equals)
            yield self._at(ast.Constant(text), start, field.equals)
        conversion = ord(field.conversion) if field.conversion else -1
        if field.equals is not None and conversion == -1 and field.colon is None:
            conversion = ord("r")
        spec = None
        if field.colon is not None:
            parts = _joined(list(self._parts(field.spec, prefix, values, in_spec=True)))
            spec = self._at(ast.JoinedStr(parts), field.colon, field.end - 1)
        made: ast.expr = ast.FormattedValue(value, conversion, spec)
        if "t" in prefix:
            inner = _bare(field)
            name = self._text[inner[0].start : inner[-1].end]
            made = Interpolation(value, name, conversion, spec)
        yield self._at(made, field.start, field.end)

    def _repeated(self, field: Field, end: int) -> str:
        """What a field with an equals sign shows before the value: its text without comments."""
        parts, done = [], field.start + 1
        for token in field.tokens:
            if token.kind is TokenKind.COMMENT:
                parts.append(self._text[done : token.start])
                done = token.end
        return "".join([*parts, self._text[done:end]])

    def _at(self, node: Any, start: int, end: int) -> ast.expr:
        node.lineno, node.col_offset = self._source.place(start)
        node.end_lineno, node.end_col_offset = self._source.place(end)
        expression: ast.expr = node
        return expression


def _joined(pieces: Sequence[ast.expr]) -> list[ast.expr]:
    """The parts of a template with adjacent texts as one, and no empty ones."""
    found: list[ast.expr] = []
    for piece in pieces:
        last = found[-1] if found else None
        if isinstance(piece, ast.Constant) and isinstance(last, ast.Constant):
            last.value = str(last.value) + str(piece.value)
            last.end_lineno, last.end_col_offset = piece.end_lineno, piece.end_col_offset
        else:
            found.append(piece)
    return [piece for piece in found if not isinstance(piece, ast.Constant) or piece.value]


def _unescaped(text: str) -> str:
    """Literal text with its escapes replaced.

    Raises:
        SyntaxError: an escape is malformed.
    """
    return _ESCAPE.sub(lambda match: str(ast.literal_eval(f"'{match[0]}'")), text)
