"""Python syntax newer than the running interpreter, lowered to syntax that its parser accepts.

A source is rewritten token by token, parsed by the standard library, and every node gets its position in the
original source; rewritten syntax gets its own nodes back:

========================================= ======= =========================================================
Syntax Python Tree ========================================= =======
========================================================= f-strings that reuse quotes, hold 3.12
``JoinedStr``, each part at its own position backslashes, comments or line breaks type parameters, with
defaults 3.12/13 excluded ``type X = ...`` 3.12 ``Assign`` ``except A, B:`` 3.14 a handler of a ``Tuple``
t-strings 3.14 ``TemplateStr`` and ``Interpolation``, as 3.14 has them ``lazy import`` 3.15 ``Import``,
``ImportFrom`` ``[*a for a in b]`` 3.15 the comprehension, of a ``Starred`` element ``{**a for a in b}`` 3.15
``Dict`` of an unpacked ``GeneratorExp`` ``case +1:`` 3.15 the number
========================================= ======= =========================================================

Chosen by comparison on 1,000 lines of Python, which ``ast.parse`` parses in 19 ms. Lowering takes 40 ms more,
needs no other package and leaves the grammar to the interpreter; on 3.12 and 3.13 it returns the trees of
their own parsers, equal to the column. libcst accepts all of the above and takes 500 ms to import, 130 to
parse, 100 for positions, and then each kind of node has to be converted. tree-sitter takes 8, 3 and 15 ms,
rejects four of fifteen snippets of the above, and accepts ``print 'x'`` and unindented bodies. parso takes
120 and 75 ms and rejects thirteen. ruff's parser has no maintained binding that returns a tree with
positions.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from wardround.languages.python.lowering_plan import LoweringPlan, SourceEdit, expression_tokens
from wardround.languages.python.source_positions import AstPosition, SourcePositions
from wardround.languages.python.tokens import Field, StringLiteral, Token, TokenKind
from wardround.lazy import LazyPattern

Item = TypeVar("Item")

_ESCAPE = LazyPattern(
    r"\\(?:\r\n|N\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|[\s\S])"
)
_LINE_END = LazyPattern(r"\r\n?")


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


class _Segment(NamedTuple):
    """A segment of the lowered text from ``new`` on, and the segment of the source it replaces."""

    new: int
    start: int
    end: int
    is_copy: bool


def parse_lowered(text: str) -> ast.Module | None:
    """Parse a source whose syntax may be newer than the interpreter; None if it has no newer syntax.

    Raises:
        SyntaxError: it is not Python of any version; the position is that in the original source.
        ValueError, RecursionError, MemoryError: the parser fails on it.
    """
    plan = LoweringPlan(text)
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


class _Lowered:
    """The rewritten text, with the source position of each of its characters."""

    def __init__(self, text: str, edits: Sequence[SourceEdit]) -> None:
        self._source = SourcePositions(text)
        self._segments: list[_Segment] = []
        self._out: list[str] = []
        self._length = 0
        done = 0
        for edit in edits:
            self._copy(done, edit.start)
            for insert in edit.inserts:
                self._add(insert.text, insert.start, insert.end, is_copy=False)
            done = edit.end
        self._copy(done, len(text))
        self.text = "".join(self._out)
        self._lowered = SourcePositions(self.text)
        self._starts = [segment.new for segment in self._segments]

    def _copy(self, start: int, end: int) -> None:
        self._add(self._source.text[start:end], start, end, is_copy=True)

    def _add(self, text: str, start: int, end: int, *, is_copy: bool) -> None:
        if text:
            self._segments.append(_Segment(self._length, start, end, is_copy))
            self._out.append(text)
            self._length += len(text)

    def start(self, line: int, column: int) -> AstPosition:
        """Return the source position of a start in the rewritten text."""
        offset = self._lowered.offset(line, column)
        segment = self._segments[bisect_right(self._starts, offset) - 1]
        return self._source.ast_position(segment.start + (offset - segment.new if segment.is_copy else 0))

    def end(self, line: int, column: int) -> AstPosition:
        """Return the source position of an end in the rewritten text."""
        offset = self._lowered.offset(line, column)
        segment = self._segments[max(bisect_left(self._starts, offset) - 1, 0)]
        return self._source.ast_position(
            segment.start + offset - segment.new if segment.is_copy else segment.end
        )

    def correct(self, cause: SyntaxError) -> int | None:
        """Convert the position of an error to that in the source, and return its offset there."""
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
        """Return the source offset of a 1-based column of characters."""
        offset = self._lowered.offset_of_character(line, column)
        segment = self._segments[bisect_right(self._starts, offset) - 1]
        return segment.start + (offset - segment.new if segment.is_copy else 0)


class _Restored:
    """The tree of a lowered text, restored to the tree of the source."""

    def __init__(self, text: str, plan: LoweringPlan, lowered: _Lowered) -> None:
        self._text = text
        self._lowered = lowered
        self._source = source = SourcePositions(text)
        self._strings = {source.ast_position(start): group for start, group in plan.strings.items()}
        self._starts = {
            source.ast_position(start): source.ast_position(new) for start, new in plan.starts.items()
        }
        self._stars = {source.ast_position(start): star for start, star in plan.stars.items()}

    def module(self, tree: ast.Module) -> ast.Module:
        """Restore the tree in place and return it."""
        nodes = list(ast.walk(tree))
        for node in nodes:
            if "lineno" in node._attributes:
                self._copy_position(node)
        for node in reversed(nodes):  # inner nodes first
            for name, value in ast.iter_fields(node):
                if isinstance(value, list):
                    value[:] = [self._restore(item) for item in value]
                elif isinstance(value, ast.AST):
                    setattr(node, name, self._restore(value))
        return tree

    def _copy_position(self, node: Any) -> None:
        start = self._lowered.start(node.lineno, node.col_offset)
        if isinstance(node, (ast.Assign, ast.Import, ast.ImportFrom)):
            start = self._starts.get(start, start)
        node.end_lineno, node.end_col_offset = self._lowered.end(node.end_lineno, node.end_col_offset)
        node.lineno, node.col_offset = start

    def _restore(self, node: Any) -> Any:
        """Return the original node for a node of the lowered text."""
        if isinstance(node, ast.Set):
            group = self._strings.get((node.lineno, node.col_offset))
            return node if group is None else self._string(group, node.elts[1:])
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            star = self._stars.get((node.lineno, node.col_offset))
            return node if star is None else self._unpack_star(node, star)
        return node

    def _unpack_star(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, star: Token) -> ast.expr:
        if star.text == "**":
            values = ast.GeneratorExp(node.elt, node.generators)
            return ast.copy_location(ast.Dict([None], [ast.copy_location(values, node)]), node)
        element = ast.copy_location(ast.Starred(node.elt, ast.Load()), node.elt)
        element.lineno, element.col_offset = self._source.ast_position(star.start)
        node.elt = element
        return node

    def _string(self, group: Sequence[Token], expressions: Sequence[ast.expr]) -> ast.expr:
        """Return the f- or t-string of a group, built from its expressions."""
        values = iter(expressions)
        is_t = any(token.template and "t" in token.template.prefix for token in group)
        pieces = [piece for token in group for piece in self._pieces(token, values)]
        created: Callable[..., ast.expr] = TemplateStr if is_t else ast.JoinedStr
        return self._place_node(created(values=_merge_strings(pieces)), group[0].start, group[-1].end)

    def _pieces(self, token: Token, values: Iterator[ast.expr]) -> Iterator[ast.expr]:
        if token.template is not None:
            yield from self._parts(token.template.parts, token.template.prefix, values)
            return
        constant = self._evaluate(lambda: ast.parse(token.text, mode="eval").body, token.start)
        yield self._place_node(constant, token.start, token.end)

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
                yield self._place_node(
                    ast.Constant(self._literal(part, prefix, in_spec)), part.start, part.end
                )

    def _literal(self, part: StringLiteral, prefix: str, in_spec: bool) -> str:
        text = _LINE_END.sub("\n", self._text[part.start : part.end])
        if not in_spec:
            text = text.replace("{{", "{").replace("}}", "}")
        if "r" in prefix or "\\" not in text:
            return text
        return self._evaluate(lambda: _unescape(text), part.start)

    def _evaluate(self, value: Callable[[], Item], start: int) -> Item:
        """Return the value of a literal; an error in it is reported at its start."""
        try:
            return value()
        except SyntaxError as cause:
            line, column = self._source.position(start)
            raise SyntaxError(cause.msg, ("<unknown>", line, column, None)) from None

    def _field(self, field: Field, prefix: str, values: Iterator[ast.expr]) -> Iterator[ast.expr]:
        value = next(values)
        if field.equals is not None:
            start, text = field.start + 1, self._repeated_source(field, field.equals)
            yield self._place_node(ast.Constant(text), start, field.equals)
        conversion = ord(field.conversion) if field.conversion else -1
        if field.equals is not None and conversion == -1 and field.colon is None:
            conversion = ord("r")
        spec = None
        if field.colon is not None:
            parts = _merge_strings(list(self._parts(field.spec, prefix, values, in_spec=True)))
            spec = self._place_node(ast.JoinedStr(parts), field.colon, field.end - 1)
        created: ast.expr = ast.FormattedValue(value, conversion, spec)
        if "t" in prefix:
            inner = expression_tokens(field)
            name = self._text[inner[0].start : inner[-1].end]
            created = Interpolation(value, name, conversion, spec)
        yield self._place_node(created, field.start, field.end)

    def _repeated_source(self, field: Field, end: int) -> str:
        """Return the text that a field with an equals sign shows before the value, without comments."""
        parts, done = [], field.start + 1
        for token in field.tokens:
            if token.kind is TokenKind.COMMENT:
                parts.append(self._text[done : token.start])
                done = token.end
        return "".join([*parts, self._text[done:end]])

    def _place_node(self, node: Any, start: int, end: int) -> ast.expr:
        node.lineno, node.col_offset = self._source.ast_position(start)
        node.end_lineno, node.end_col_offset = self._source.ast_position(end)
        expression: ast.expr = node
        return expression


def _merge_strings(pieces: Sequence[ast.expr]) -> list[ast.expr]:
    """Return the parts of a template with adjacent strings merged, and no empty ones."""
    found: list[ast.expr] = []
    for piece in pieces:
        last = found[-1] if found else None
        if isinstance(piece, ast.Constant) and isinstance(last, ast.Constant):
            last.value = str(last.value) + str(piece.value)
            last.end_lineno, last.end_col_offset = piece.end_lineno, piece.end_col_offset
        else:
            found.append(piece)
    return [piece for piece in found if not isinstance(piece, ast.Constant) or piece.value]


def _unescape(text: str) -> str:
    """Return literal text with its escapes replaced.

    Raises:
        SyntaxError: an escape is malformed.
    """
    return _ESCAPE.sub(lambda match: str(ast.literal_eval(f"'{match[0]}'")), text)
