"""The source of one statement, with its tokens, and edits of parts of it. Positions are offsets in the
text.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from wardround.checks.source import SourceFile
from wardround.findings import Edit, Span
from wardround.languages.python.module import PythonModule, statements_in
from wardround.languages.python.tokens import Token, TokenKind, tokens, tokens_within
from wardround.text.line_index import LineIndex, has_lone_returns

Node = ast.expr | ast.stmt | ast.keyword
_LAYOUT = (TokenKind.COMMENT, TokenKind.BREAK, TokenKind.NEWLINE)
_BLOCK = "if 1:\n"
"""The line that is added above an indented statement so that it can be parsed."""


class Part(NamedTuple):
    """A range of the text; the end is exclusive."""

    start: int
    end: int


class Replacement(NamedTuple):
    """A span and its replacement."""

    start: int
    end: int
    text: str


class StatementText:
    """A statement that has its lines to itself.

    Attributes:
        text: its lines.
        all_tokens: all tokens of the statement; an f-string is one token.
        tokens: the tokens without comments and line breaks; an f-string is followed by the tokens of its
            fields.
    """

    def __init__(
        self, source: SourceFile, module: PythonModule, first: int, text: str, found: Sequence[Token]
    ) -> None:
        self.text = text
        self.all_tokens = found
        self.tokens = [token for token in tokens_within(found) if token.kind not in _LAYOUT]
        self._source = source
        self._module = module
        self._first = first
        self._index = LineIndex(text)
        self._starts = [token.start for token in self.tokens]

    @classmethod
    def around(cls, source: SourceFile, module: PythonModule, node: Node) -> StatementText | None:
        """Return the innermost statement around a node that has its lines to itself."""
        around = (node, *module.ancestors(node))
        found = next(
            (
                ancestor
                for ancestor in around
                if isinstance(ancestor, ast.stmt) and is_alone(source, ancestor)
            ),
            None,
        )
        if found is None or not _is_inside(node, found):
            return None
        text = "".join(line + "\n" for line in source.lines[found.lineno - 1 : found.end_lineno])
        try:
            read = list(tokens(text))
        except SyntaxError:
            return None
        return None if has_lone_returns(text) else cls(source, module, found.lineno, text, read)

    # Positions

    def part(self, node: Node) -> Part:
        """Return the part that is a node, without parentheses around it."""
        span = self._module.span(node)
        return Part(self._offset(span.line, span.column), self._offset(span.end_line, span.end_column))

    def _offset(self, line: int, column: int) -> int:
        return self._index.offset(line - self._first + 1, column)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column in the file of an offset."""
        line, column = self._index.position(offset)
        return line + self._first - 1, column

    def outer(self, node: ast.expr) -> Part:
        """Return the part that is an expression with the parentheses around it."""
        part, limits = self.part(node), self._limits(node)
        while True:
            before, after = self.before(part.start), self.after(part.end)
            if before is None or after is None or (before.text, after.text) != ("(", ")"):
                return part
            if before.start < limits.start or after.end > limits.end:
                return part
            part = Part(before.start, after.end)

    def _limits(self, node: ast.expr) -> Part:
        """Return the range in which parentheses belong to an expression, not to the call that it is an
        argument of.
        """
        parent = next(
            ancestor
            for ancestor in self._module.ancestors(node)
            if isinstance(ancestor, (ast.expr, ast.stmt, ast.keyword))
        )
        part = self.part(parent)
        is_argument = isinstance(parent, ast.Call) and node is not parent.func
        return Part(part.start, part.end - 1) if is_argument else part

    def before(self, offset: int) -> Token | None:
        """Return the last token that ends at an offset or before it."""
        at = bisect_left(self._starts, offset)
        return next((token for token in reversed(self.tokens[:at]) if token.end <= offset), None)

    def after(self, offset: int) -> Token | None:
        """Return the first token that starts at an offset or after it."""
        at = bisect_left(self._starts, offset)
        return self.tokens[at] if at < len(self.tokens) else None

    def between(self, start: int, end: int) -> Sequence[Token]:
        """Return the tokens in a part."""
        return [token for token in self.tokens[bisect_left(self._starts, start) :] if token.end <= end]

    def code(self, node: ast.expr) -> str:
        """Return the text of an expression with the parentheses around it."""
        part = self.outer(node)
        return self.text[part.start : part.end]

    @cached_property
    def margin(self) -> str:
        """The indentation of the statement."""
        return self.text[: len(self.text) - len(self.text.lstrip(" \t\f"))]

    @cached_property
    def indent(self) -> str:
        """One level of indentation, as the first indented statement of the file has it."""
        for statement in statements_in(self._module.tree):
            margin = self._source.lines[statement.lineno - 1][: statement.col_offset]
            if margin and not margin.strip():
                return margin
        return "    "

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    # Edits

    def edit(self, *replacements: Replacement) -> Edit | None:
        """Return the smallest edit that makes replacements; None if the result is a syntax error."""
        code, at = "", 0
        for replacement in sorted(replacements):
            code += self.text[at : replacement.start] + replacement.text
            at = replacement.end
        return self.rewrite(code + self.text[at:])

    def rewrite(self, code: str) -> Edit | None:
        """Return the smallest edit that turns the statement into other code; None for a syntax error."""
        try:
            ast.parse(_BLOCK + code if self.margin else code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        start = _common(self.text, code)
        end = _common(self.text[start:][::-1], code[start:][::-1])
        span = Span(*self.position(start), *self.position(len(self.text) - end))
        return Edit(self._source.path, span, code[start : len(code) - end])


def _is_inside(node: Node, statement: ast.stmt) -> bool:
    """Return False for a node in an f-string whose position the interpreter does not know."""
    end = statement.end_lineno or statement.lineno
    return statement.lineno <= node.lineno and (node.end_lineno or node.lineno) <= end


def is_alone(source: SourceFile, statement: ast.stmt) -> bool:
    """Return True if nothing but a comment shares the lines of a statement."""
    first = source.lines[statement.lineno - 1].encode()
    last = source.lines[(statement.end_lineno or statement.lineno) - 1].encode()
    before, rest = first[: statement.col_offset], last[statement.end_col_offset :].strip()
    is_branch = isinstance(statement, ast.If) and first[statement.col_offset :].startswith(b"elif")
    return not before.strip() and not is_branch and (not rest or rest.startswith(b"#"))


def _common(value: str, other: str) -> int:
    """Return the length of the common prefix of two strings."""
    pairs = zip(value, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(value), len(other)))
