"""The statements of a Python file that a change adds or edits, by their syntax and not by their layout."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wardround.change.diff import ChangedFile, Hunk
from wardround.context.line_coverage.python_statements import bodies_of, statement_lines
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import UNREADABLE, parse, unparse
from wardround.workflows.test.python_code.normal_syntax import statement_digest

_LEAST_MOVED = 15
"""Characters of a statement that counts as moved from one hunk to another."""


def edited_lines(file: ChangedFile, base: str, head: str) -> frozenset[int]:
    """Return the added lines of the head whose statement differs from those that its hunk removes.

    A statement that is only moved, wrapped, indented, commented, annotated or cast is not edited.
    If one version does not parse, every added line counts.

    Args:
        base: the text at the base; empty for a new file.
    """
    added = frozenset(file.added_line_numbers(head.count("\n") + 1))
    if not base or file.is_all_added:
        return added
    try:
        return added.difference(
            _unchanged_statement_lines(file.hunks, _spans(parse(base)), _spans(parse(head)))
        )
    except UNREADABLE:
        return added


def statement_starts(text: str, lines: Iterable[int]) -> Mapping[int, int]:
    """Return the first line of each statement that has one of these lines -> the first of them with code.

    Empty if the text does not parse.
    """
    try:
        spans = _spans(parse(text))
    except UNREADABLE:
        return {}
    numbered = text.split("\n")
    expected = {number for number in lines if _has_code(numbered, number)}
    return {node.lineno: min(own & expected) for node, own, _ in spans if own & expected}


_Spans = Sequence[tuple[ast.stmt, frozenset[int], bool]]
"""Statements with their own lines, and True for those directly in a class."""


def _spans(tree: ast.Module) -> _Spans:
    return [*_statements_below(_WithoutCasts.of(tree).body, is_field=False)]


class _WithoutCasts(ast.NodeTransformer):
    """Replaces calls of ``typing.cast`` by their value."""

    @classmethod
    def of(cls, tree: ast.Module) -> ast.Module:
        """Return the module without casts, if it imports them from ``typing`` by their name."""
        imports = (
            statement
            for statement in tree.body
            if isinstance(statement, ast.ImportFrom) and statement.module == "typing"
        )
        has_casts = any(
            name.name == "cast" and name.asname is None for import_ in imports for name in import_.names
        )
        return cls().visit(copy.deepcopy(tree)) if has_casts else tree

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_cast = isinstance(node.func, ast.Name) and node.func.id == "cast" and len(node.args) == 2
        return node.args[1] if is_cast else node


def _statements_below(
    body: Sequence[ast.stmt], *, is_field: bool
) -> Iterator[tuple[ast.stmt, frozenset[int], bool]]:
    for statement in body:
        yield statement, frozenset(statement_lines(statement)), is_field
        for inner in bodies_of(statement):
            yield from _statements_below(inner, is_field=isinstance(statement, ast.ClassDef))


def _unchanged_statement_lines(hunks: Iterable[Hunk], before: _Spans, after: _Spans) -> Iterator[int]:
    """Yield the lines of the statements that their hunk also removes; of long ones, that any hunk removes."""
    removed = {hunk: Counter(_digests(before, _removed_range(hunk))) for hunk in hunks}
    anywhere = sum(removed.values(), Counter[str]())
    for hunk, here in removed.items():
        added = range(hunk.head_start, hunk.head_start + hunk.head_length)
        for node, own, is_field in after:
            if own.isdisjoint(added):
                continue
            digest = _digest(node, is_field=is_field)
            if here[digest] > 0 or (anywhere[digest] > 0 and _is_long(node)):
                here[digest] -= 1
                anywhere[digest] -= 1
                yield from own


def _removed_range(hunk: Hunk) -> range:
    return range(hunk.base_start, hunk.base_start + hunk.base_length)


def _digests(spans: _Spans, lines: range) -> Iterator[str]:
    return (_digest(node, is_field=is_field) for node, own, is_field in spans if not own.isdisjoint(lines))


def _is_long(node: ast.stmt) -> bool:
    """Return True for a statement that is unlikely to occur twice by chance, unlike ``return None``."""
    return len(unparse(_header(node))) >= _LEAST_MOVED


def _header(node: ast.stmt) -> ast.stmt:
    """Return a statement without nested statements."""
    header = copy.copy(node)
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        if isinstance(getattr(header, name, None), list):
            setattr(header, name, [])
    return header


def _digest(node: ast.stmt, *, is_field: bool) -> str:
    """Return the digest of a statement without nested statements."""
    return statement_digest(_header(node), "", is_field=is_field and not isinstance(node, FunctionNode))


def _has_code(lines: Sequence[str], number: int) -> bool:
    text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return bool(text) and not text.startswith("#")
