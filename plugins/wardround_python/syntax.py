"""What the host asks about Python text: its statements, its comments, whether it parses."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable

from wardround.python_tree import walk
from wardround.specialists import Comment, StatementOf, lines_as_statements
from wardround_python.parsed import tree_of


def statements(text: str) -> StatementOf:
    """The lines of the innermost statement around a line; of a compound statement, those of its header."""
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return lines_as_statements(text)
    around: dict[int, tuple[int, int]] = {}
    for node in walk(tree):
        if not isinstance(node, (ast.stmt, ast.ExceptHandler)):
            continue
        end = node.end_lineno or node.lineno
        body = getattr(node, "body", None)
        if isinstance(body, list) and body:
            end = max(node.lineno, body[0].lineno - 1)
        for line in range(node.lineno, end + 1):
            if line not in around or end - node.lineno < around[line][1] - around[line][0]:
                around[line] = (node.lineno, end)
    return lambda line: around.get(line, (line, line))


def comments(text: str) -> Iterable[Comment]:
    """The comments of a module; those before a place that cannot be read, where there is one."""
    if "wardround:" not in text:
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start
                yield Comment(line, token.string.lstrip("#").strip(), column + 1)
    except (tokenize.TokenError, SyntaxError, ValueError, SystemError):  # 3.12: NUL, \r
        return


def complaint(text: str) -> str | None:
    """Why a module does not parse, or None if it does."""
    try:
        tree_of(text)
    except SyntaxError as cause:
        return f"line {cause.lineno}: {cause.msg}"
    except (ValueError, RecursionError, MemoryError) as cause:
        return str(cause)
    return None
