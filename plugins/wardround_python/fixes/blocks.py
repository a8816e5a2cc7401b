"""Rewrites that put statements into a block."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.findings import Edit
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tokens import TokenKind
from wardround_python.fixes.statement_text import StatementText


def with_block_edit(statement: StatementText, node: ast.expr, name: str) -> Edit | None:
    """Return the edit that opens what a statement uses in a ``with`` block around the statement."""
    opened = statement.outer(node)
    code, text = statement.code(node), statement.text
    lines = text.split("\n")[:-1]
    first = text.count("\n", 0, opened.start)
    last = text.count("\n", 0, opened.end)
    inner = _indent_lines(statement, range(len(lines)), statement.margin)
    start = text.rfind("\n", 0, opened.start) + 1
    shift = len(inner[first]) - len(lines[first])
    head = inner[first][: opened.start - start + shift]
    rest = lines[last][opened.end - text.rfind("\n", 0, opened.end) - 1 :]
    body = [*inner[:first], f"{head}{name}{rest}", *inner[last + 1 :]]
    end = "\r" if lines[0].endswith("\r") else ""
    header = f"{statement.margin}with {code} as {name}:{end}"
    return statement.rewrite("".join(f"{line}\n" for line in (header, *body)))


def finally_from(
    statement: StatementText, function: FunctionNode, start: ast.stmt, cleanup: ast.stmt
) -> Edit | None:
    """Return the edit that puts the statements of a function from ``cleanup`` on into a ``finally``.

    Args:
        start: the first statement of the ``try``.
    """
    first, last = function.body.index(start), function.body.index(cleanup)
    lines = statement.text.split("\n")[:-1]
    above = function.lineno
    starts = [_first_line(inner) - above for inner in function.body]
    ends = [(inner.end_lineno or inner.lineno) - above for inner in function.body]
    if starts[0] == 0 or any(end >= following for end, following in zip(ends, starts[1:], strict=False)):
        return None  # two statements share a line
    line = lines[starts[0]]
    margin = line[: len(line) - len(line.lstrip(" \t"))]
    tried = _comments_start(lines, starts[first], ends[first - 1] if first else 0)
    final = _comments_start(lines, starts[last], ends[last - 1])
    newline = "\r" if line.endswith("\r") else ""
    code = [
        *lines[:tried],
        f"{margin}try:{newline}",
        *_indent_lines(statement, range(tried, ends[last - 1] + 1), margin),
        f"{margin}finally:{newline}",
        *_indent_lines(statement, range(final, len(lines)), margin),
    ]
    return statement.rewrite("".join(f"{code_line}\n" for code_line in code))


def _first_line(statement: ast.stmt) -> int:
    """Return the line on which a statement starts, with its decorators."""
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _comments_start(lines: Sequence[str], start: int, end: int) -> int:
    """Return the first line of the comments above a statement, after the blank lines above them.

    Args:
        start: the line of the statement.
        end: the last line of the preceding code.
    """
    first = start
    while first > end + 1 and (not lines[first - 1].strip() or lines[first - 1].lstrip().startswith("#")):
        first -= 1
    while first < start and not lines[first].strip():
        first += 1
    return first


def _indent_lines(statement: StatementText, numbers: range, margin: str) -> list[str]:
    """Return lines of a statement with one more level of indentation; lines inside strings are unchanged."""
    lines = statement.text.split("\n")
    fixed = set(_continuations(statement))
    return [
        f"{margin}{statement.indent}{lines[n][len(margin) :]}"
        if n not in fixed and lines[n].strip() and lines[n].startswith(margin)
        else lines[n]
        for n in numbers
    ]


def _continuations(statement: StatementText) -> Iterator[int]:
    """Yield the lines that start in a string, or after a backslash."""
    for token in statement.all_tokens:
        if token.kind is TokenKind.STRING and "\n" in token.text:
            first = statement.text.count("\n", 0, token.start)
            yield from range(first + 1, first + token.text.count("\n") + 1)
    lines = statement.text.split("\n")
    yield from (n + 1 for n, line in enumerate(lines) if line.rstrip("\r").endswith("\\"))
