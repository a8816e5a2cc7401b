"""Rewrites that put statements into a block."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.findings import Edit
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tokens import TokenKind
from wardround_python.fixes.statement_text import StatementText


def in_with(statement: StatementText, node: ast.expr, name: str) -> Edit | None:
    """Return the edit that opens what a statement uses in a ``with`` block around the statement."""
    opened = statement.outer(node)
    code, text = statement.code(node), statement.text
    lines = text.split("\n")[:-1]
    first = text.count("\n", 0, opened.start)
    last = text.count("\n", 0, opened.end)
    inner = _indented(statement, range(len(lines)), statement.margin)
    start = text.rfind("\n", 0, opened.start) + 1
    shift = len(inner[first]) - len(lines[first])
    head = inner[first][: opened.start - start + shift]
    rest = lines[last][opened.end - text.rfind("\n", 0, opened.end) - 1 :]
    body = [*inner[:first], f"{head}{name}{rest}", *inner[last + 1 :]]
    end = "\r" if lines[0].endswith("\r") else ""
    header = f"{statement.margin}with {code} as {name}:{end}"
    return statement.rewritten("".join(f"{line}\n" for line in (header, *body)))


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
    starts = [_first_line(one) - above for one in function.body]
    ends = [(one.end_lineno or one.lineno) - above for one in function.body]
    if starts[0] == 0 or any(end >= one for end, one in zip(ends, starts[1:], strict=False)):
        return None  # two statements share a line
    line = lines[starts[0]]
    margin = line[: len(line) - len(line.lstrip(" \t"))]
    tried = _with_comments(lines, starts[first], ends[first - 1] if first else 0)
    final = _with_comments(lines, starts[last], ends[last - 1])
    newline = "\r" if line.endswith("\r") else ""
    code = [
        *lines[:tried],
        f"{margin}try:{newline}",
        *_indented(statement, range(tried, ends[last - 1] + 1), margin),
        f"{margin}finally:{newline}",
        *_indented(statement, range(final, len(lines)), margin),
    ]
    return statement.rewritten("".join(f"{one}\n" for one in code))


def _first_line(statement: ast.stmt) -> int:
    """Return the line on which a statement starts, with its decorators."""
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _with_comments(lines: Sequence[str], start: int, end: int) -> int:
    """Return the first line of the comments above a statement, after the blank lines above them.

    Args:
        start: the line of the statement.
        end: the last line of what is before it.
    """
    first = start
    while first > end + 1 and (not lines[first - 1].strip() or lines[first - 1].lstrip().startswith("#")):
        first -= 1
    while first < start and not lines[first].strip():
        first += 1
    return first


def _indented(statement: StatementText, numbers: range, margin: str) -> list[str]:
    """Return lines of a statement with one more level of indentation; those of texts as they are."""
    lines = statement.text.split("\n")
    fixed = set(_continuations(statement))
    return [
        f"{margin}{statement.indent}{lines[n][len(margin) :]}"
        if n not in fixed and lines[n].strip() and lines[n].startswith(margin)
        else lines[n]
        for n in numbers
    ]


def _continuations(statement: StatementText) -> Iterator[int]:
    """Yield the lines that start in a text, or after a backslash."""
    for token in statement.all_tokens:
        if token.kind is TokenKind.STRING and "\n" in token.text:
            first = statement.text.count("\n", 0, token.start)
            yield from range(first + 1, first + token.text.count("\n") + 1)
    lines = statement.text.split("\n")
    yield from (n + 1 for n, line in enumerate(lines) if line.rstrip("\r").endswith("\\"))
