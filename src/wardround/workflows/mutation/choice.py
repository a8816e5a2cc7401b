"""The edits of the changed lines of a file, and the choice of those to try."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.languages.python.module import FunctionNode, is_test_path, last_name
from wardround.languages.python.tree import UNREADABLE, parse
from wardround.storage.digest import sha256
from wardround.workflows.mutation import unlikely
from wardround.workflows.mutation.edits import Edit, EditKind, EditReader, header_lines


class Mutant(msgspec.Struct, frozen=True):
    """A file with one edit."""

    path: str
    edit: Edit


_UNDECIDED: Mapping[type[ast.expr], frozenset[EditKind]] = {
    ast.BoolOp: frozenset({EditKind.BOUNDARY, EditKind.NUMBER}),
    ast.Tuple: frozenset({EditKind.FLAG}),
}
"""Edits that rarely change the outcome: limits in one of several joined conditions, one of several flags."""


def mutants_of(path: str, text: str, changed: Collection[int]) -> tuple[Mutant, ...]:
    """Return the mutants of the changed lines in functions of a file; none for tests and unreadable text.

    Args:
        changed: the numbers of the lines.
    """
    if is_test_path(path) or not path.endswith(".py"):
        return ()
    try:
        tree = parse(text)
        edits = [*_Places(text, changed).of_block(tree.body, is_in_function=False)]
    except UNREADABLE:
        return ()
    return tuple(Mutant(path, edit) for edit in edits if _is_compilable(text, edit))


def choose_mutants(mutants: Iterable[Mutant], most: int) -> tuple[Mutant, ...]:
    """Return at most this many mutants in the order in which to try them, spread over the lines.

    Each line gets one mutant before any gets its second. The order of lines is that of a digest, so that it
    only depends on the mutants.
    """
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in mutants:
        by_line.setdefault((mutant.path, mutant.edit.line), []).append(mutant)
    lines = [
        sorted(some, key=lambda mutant: (mutant.edit.kind, mutant.edit.start)) for some in by_line.values()
    ]
    lines.sort(key=lambda some: _digest(some[0]))
    longest = max(map(len, lines), default=0)
    turns = [some[turn] for turn in range(longest) for some in lines if turn < len(some)]
    return tuple(turns[:most])


def _digest(mutant: Mutant) -> str:
    return sha256(f"{mutant.path} {mutant.edit.shown} {mutant.edit.line}".encode()).hexdigest()


def _is_compilable(text: str, edit: Edit) -> bool:
    mutated = text[: edit.start] + edit.after + text[edit.end :]
    try:
        parse(mutated)
    except UNREADABLE:
        return False
    return mutated != text


class _Places:
    """The positions in one file at which a test should notice an edit."""

    def __init__(self, text: str, changed: Collection[int]) -> None:
        self._reader = EditReader(text)
        self._lines: Sequence[str] = text.split("\n")
        self._changed = frozenset(changed)

    def of_block(self, block: Sequence[ast.stmt], *, is_in_function: bool) -> Iterator[Edit]:
        for statement in block:
            if isinstance(statement, FunctionNode):
                yield from self._function(statement)
            elif isinstance(statement, ast.If) and unlikely.is_unlikely_condition(statement.test):
                yield from self.of_block(statement.orelse, is_in_function=is_in_function)
            elif not unlikely.is_excluded_line(self._line(statement.lineno)):
                if is_in_function and not isinstance(statement, ast.ClassDef):
                    yield from self._statement(statement)
                yield from self._inner(statement, is_in_function=is_in_function)

    def _line(self, number: int) -> str:
        return self._lines[number - 1] if number <= len(self._lines) else ""

    def _inner(self, node: ast.stmt, *, is_in_function: bool) -> Iterator[Edit]:
        for block in _blocks(node):
            yield from self.of_block(block, is_in_function=is_in_function)

    def _function(self, node: FunctionNode) -> Iterator[Edit]:
        if unlikely.is_unlikely_function(node) or unlikely.is_excluded_line(self._line(node.lineno)):
            return
        if len(node.body) > 1 or not isinstance(node.body[0], ast.Pass | ast.Expr):
            yield from (
                default for default in self._reader.of_defaults(node) if default.line in self._changed
            )
        yield from self.of_block(node.body, is_in_function=True)

    def _statement(self, node: ast.stmt) -> Iterator[Edit]:
        if self._changed.isdisjoint(header_lines(node)):
            return
        if unlikely.is_message(node):
            return
        lines = header_lines(node)
        found = [*self._reader.of_statement(node)]
        for part in _expressions(node):
            found += self._expression(part, lines)
        without_boundaries = isinstance(node, ast.If) and unlikely.is_clamp(node)
        for edit in found:
            if edit.line in self._changed and not (without_boundaries and edit.kind is EditKind.BOUNDARY):
                yield edit

    def _expression(self, node: ast.expr, lines: tuple[int, ...]) -> Iterator[Edit]:
        """Yield the edits of an expression and its parts, without those that only make a message."""
        if isinstance(node, ast.JoinedStr | ast.Lambda) or (
            isinstance(node, ast.IfExp) and unlikely.is_clamp(node)
        ):
            return
        yield from self._reader.of_expression(node, lines)
        yield from self._strings(node, lines)
        for part in _parts(node):
            for edit in self._expression(part, lines):
                if edit.kind in _UNDECIDED.get(type(node), ()):
                    continue
                yield (
                    self._reader.shown_in(edit, node) if isinstance(part, ast.Constant | ast.Slice) else edit
                )
        for clause in getattr(node, "generators", ()):
            for condition in clause.ifs:
                yield from self._reader.of_filter(condition, lines)

    def _strings(self, node: ast.expr, lines: tuple[int, ...]) -> Iterator[Edit]:
        """Yield the edits of strings that are keys, or are compared as one of several."""
        for expression in _keys_in(node):
            if (
                isinstance(expression, ast.Constant)
                and isinstance(expression.value, str)
                and expression.value
            ):
                yield self._reader.shown_in(self._reader.string(expression, lines), node)


def _keys_in(node: ast.expr) -> list[ast.expr]:
    """Return the keys of an expression, and the values that it compares with."""
    match node:
        case ast.Subscript(slice=key):
            return [key]
        case ast.Compare(comparators=[ast.Tuple() | ast.List() | ast.Set() as several, *_]):
            return several.elts
        case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=arguments):
            return arguments[:1]
    return []


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(node, name, [])
    for branch in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield branch.body


def _expressions(node: ast.stmt) -> Iterator[ast.expr]:
    """Yield the edits of an expression and its parts, except those that only build a message."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "decorator_list", "type_params", "targets", "target"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.expr):
                yield part
            elif isinstance(part, ast.withitem):
                yield part.context_expr


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of an expression, without tuning parameters and the defaults of ``getattr``."""
    if isinstance(node, ast.Call) and last_name(node.func) == "getattr":
        yield from node.args[:1]
        return
    for name, value in ast.iter_fields(node):
        if name not in ("ctx", "keywords", "generators", "format_spec"):
            yield from _expressions_in(value)
    for keyword in getattr(node, "keywords", ()):
        if keyword.arg is None or not unlikely.is_tuning(keyword.arg):
            yield keyword.value
    for generator in getattr(node, "generators", ()):
        yield from (generator.iter, *generator.ifs)


def _expressions_in(value: object) -> Iterator[ast.expr]:
    """Yield the expressions in the value of a field."""
    items = value if isinstance(value, list) else [value]
    yield from (item for item in items if isinstance(item, ast.expr))
