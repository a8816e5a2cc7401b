"""The host's view of Python text: its statements, its comments, its syntax errors."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from wardround.languages.python.cache import tree_of
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround.specialists import Comment, StatementOf, lines_as_statements
from wardround.text.line_index import LineIndex, has_lone_returns

_DECLARED = LazyPattern(r"[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_NO_CODE = LazyPattern(r"[ \t\f]*(?:#.*)?\r?$")


def statements(text: str) -> StatementOf:
    """Return the lines of the innermost statement around a line; the header of a compound statement."""
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return lines_as_statements(text)
    if has_lone_returns(text):  # the tree numbers its lines differently
        return lines_as_statements(text)
    around: dict[int, tuple[int, int]] = {}
    for start, end in _statement_lines(tree):
        for line in range(start, end + 1):
            if line not in around or end - start < around[line][1] - around[line][0]:
                around[line] = (start, end)
    return lambda line: around.get(line, (line, line))


def _statement_lines(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each statement, of a compound one up to its body."""
    for node in walk(tree):
        if isinstance(node, (ast.stmt, ast.ExceptHandler)):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body:
                yield node.lineno, max(node.lineno, body[0].lineno - 1)
            else:
                yield node.lineno, node.end_lineno or node.lineno


def comments(text: str) -> Iterable[Comment]:
    """Return the comments of a module; those before the first position that cannot be read."""
    if "wardround:" not in text:
        return
    from wardround.languages.python.tokens import (  # few modules need it
        TokenKind,
        tokens,
        tokens_within,
    )

    lines = LineIndex(text)
    try:
        for token in tokens_within(tokens(text)):
            if token.kind is TokenKind.COMMENT:
                line, column = lines.position(token.start)
                yield Comment(line, token.text.lstrip("#").strip(), column)
    except SyntaxError:
        return


def needs_utf8(content: bytes) -> bool:
    """Return True unless one of the first two lines declares the encoding of a module."""
    first, _, rest = content.partition(b"\n")
    second = rest.partition(b"\n")[0]
    if _DECLARED.match(first.decode("latin-1")):
        return False
    return _NO_CODE.match(first.decode("latin-1")) is None or not _DECLARED.match(second.decode("latin-1"))


def complaint(text: str) -> str | None:
    """Return the syntax error of a module, or None if it parses."""
    try:
        tree_of(text)
    except SyntaxError as cause:
        return f"line {cause.lineno}: {cause.msg}"
    except (ValueError, RecursionError, MemoryError) as cause:
        return str(cause)
    return None
