"""The statements of a Python file that a change adds or edits, by their syntax and not by their layout."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wardround.change.diff import ChangedFile, Hunk
from wardround.context.line_coverage.python_statements import bodies_of, own_lines
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import parse
from wardround.workflows.test.normal_syntax import statement_digest

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def edited_lines(file: ChangedFile, base: str, head: str) -> frozenset[int]:
    """Return the added lines of the head whose statement differs from those that its hunk removes.

    A statement that is only wrapped, indented, commented or annotated in another way is not edited. Where a
    side does not parse, every added line counts.

    Args:
        base: the text at the base; empty for a new file.
    """
    added = frozenset(file.added_line_numbers(head.count("\n") + 1))
    if not base or file.is_all_added:
        return added
    try:
        before, after = _spans(parse(base)), _spans(parse(head))
    except _UNREADABLE:
        return added
    same = [line for hunk in file.hunks for line in _same(hunk, before, after)]
    return added.difference(same)


def statement_starts(text: str, lines: Iterable[int]) -> Mapping[int, int]:
    """Return the first line of each statement that has one of these lines -> the first of them with code.

    Empty if the text does not parse.
    """
    try:
        spans = _spans(parse(text))
    except _UNREADABLE:
        return {}
    wanted = {number for number in lines if _has_code(text.split("\n"), number)}
    return {node.lineno: min(own & wanted) for node, own, _ in spans if own & wanted}


_Spans = Sequence[tuple[ast.stmt, frozenset[int], bool]]
"""Statements with their own lines, and True for those directly in a class."""


def _spans(tree: ast.Module) -> _Spans:
    return [*_below(tree.body, is_field=False)]


def _below(body: Sequence[ast.stmt], *, is_field: bool) -> Iterator[tuple[ast.stmt, frozenset[int], bool]]:
    for one in body:
        yield one, frozenset(own_lines(one)), is_field
        for inner in bodies_of(one):
            yield from _below(inner, is_field=isinstance(one, ast.ClassDef))


def _same(hunk: Hunk, before: _Spans, after: _Spans) -> Iterator[int]:
    """Yield the lines of the statements of a hunk that it also removes."""
    removed = range(hunk.base_start, hunk.base_start + hunk.base_length)
    added = range(hunk.head_start, hunk.head_start + hunk.head_length)
    if not removed or not added:
        return
    old = Counter(_digest(one[0], is_field=one[2]) for one in before if not one[1].isdisjoint(removed))
    for node, own, is_field in after:
        if own.isdisjoint(added):
            continue
        digest = _digest(node, is_field=is_field)
        if old[digest]:
            old[digest] -= 1
            yield from own


def _digest(node: ast.stmt, *, is_field: bool) -> str:
    """Return the digest of a statement without those in it."""
    header = copy.copy(node)
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        if isinstance(getattr(header, name, None), list):
            setattr(header, name, [])
    return statement_digest(header, "", is_field=is_field and not isinstance(node, FunctionNode))


def _has_code(lines: Sequence[str], number: int) -> bool:
    text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return bool(text) and not text.startswith("#")
