"""The small edits of a Python function: their positions, and their replacements."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import IntEnum

import msgspec

from wardround.languages.python.module import FunctionNode
from wardround.languages.python.source_positions import SourcePositions
from wardround.workflows.mutation.unlikely import is_arbitrary, is_unlikely_call


class EditKind(IntEnum):
    """The kinds of edits, those after which passing tests show a gap most surely first."""

    CONDITION = 0
    RETURN_VALUE = 1
    REMOVED_CALL = 2
    BOOLEAN_OPERATOR = 3
    EQUALITY = 4
    ARITHMETIC = 5
    FLAG = 6
    FUNCTION_NAME = 7
    STRING = 8
    DEFAULT = 9
    ASSIGNED_VALUE = 10
    LOOP_EXIT = 11
    NUMBER = 12
    BOUNDARY = 13


class Edit(msgspec.Struct, frozen=True):
    """An edit at one position in a file.

    Attributes:
        line: line number of the edited expression or statement.
        lines: at least one of these is executed if the edited code is.
        start: offset of the replaced text.
        end: offset of its end.
        after: the replacement.
        shown: the replaced text and the new one, on one line each.
    """

    kind: EditKind
    line: int
    lines: tuple[int, ...]
    start: int
    end: int
    after: str
    shown: tuple[str, str]


_COMPARISONS: dict[type[ast.cmpop], tuple[str, str, EditKind]] = {
    ast.Lt: ("<", "<=", EditKind.BOUNDARY),
    ast.LtE: ("<=", "<", EditKind.BOUNDARY),
    ast.Gt: (">", ">=", EditKind.BOUNDARY),
    ast.GtE: (">=", ">", EditKind.BOUNDARY),
    ast.Eq: ("==", "!=", EditKind.EQUALITY),
    ast.NotEq: ("!=", "==", EditKind.EQUALITY),
    ast.Is: ("is", "is not", EditKind.EQUALITY),
    ast.IsNot: ("is not", "is", EditKind.EQUALITY),
    ast.In: ("in", "not in", EditKind.EQUALITY),
    ast.NotIn: ("not in", "in", EditKind.EQUALITY),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"), ast.Mod: ("%", "/"), ast.Pow: ("**", "*"), ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.BitXor: ("^", "&"),
}  # fmt: skip
_NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "startswith": "endswith",
    "endswith": "startswith", "lstrip": "rstrip", "rstrip": "lstrip", "find": "rfind", "rfind": "find",
    "partition": "rpartition", "rpartition": "partition", "lower": "upper", "upper": "lower",
    "ljust": "rjust", "rjust": "ljust",
}  # fmt: skip
_MOST_SHOWN = 80


class EditReader:
    """Finds the edits of nodes of one file."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._positions = SourcePositions(text)

    def of_statement(self, node: ast.stmt) -> Iterator[Edit]:
        """Yield the edits of a statement itself, without those of its expressions."""
        lines = header_lines(node)
        match node:
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield self._replace_statement(EditKind.RETURN_VALUE, node, lines, "return None")
            case ast.Continue():
                yield self._replace_statement(EditKind.LOOP_EXIT, node, lines, "break")
            case ast.Break():
                yield self._replace_statement(EditKind.LOOP_EXIT, node, lines, "continue")
            case ast.Expr(value=ast.Call() as call) if not is_unlikely_call(call):
                yield self._replace_statement(EditKind.REMOVED_CALL, node, lines, "pass")
            case ast.Assign() if _is_stored_value(node):
                edit = self._expression(EditKind.ASSIGNED_VALUE, node.value, lines, "None")
                yield self.shown_in(edit, node)
            case ast.AugAssign(target=target, op=ast.Add(), value=value):
                yield from self._operator(EditKind.ARITHMETIC, node, (target, value), ("+=", "-="), lines)
            case ast.AugAssign(target=target, op=ast.Sub(), value=value):
                yield from self._operator(EditKind.ARITHMETIC, node, (target, value), ("-=", "+="), lines)
            case ast.If(test=test) if _is_negatable(test):
                yield self._negate(test, lines)

    def of_expression(self, node: ast.expr, lines: tuple[int, ...]) -> Iterator[Edit]:
        """Yield the edits of one expression, without those of its parts."""
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                old, new, kind = _COMPARISONS[type(operator)]
                yield from self._operator(kind, node, (left, right), (old, new), lines)
            case ast.BinOp(left=left, right=right) if _is_of_numbers(node):
                swapped = _ARITHMETIC[type(node.op)]
                yield from self._operator(EditKind.ARITHMETIC, node, (left, right), swapped, lines)
            case ast.BoolOp(values=[left, right, *_]):
                swapped = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                yield from self._operator(EditKind.BOOLEAN_OPERATOR, node, (left, right), swapped, lines)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._expression(
                    EditKind.CONDITION, node, lines, f"bool({self._source_of_node(operand)})"
                )
            case ast.IfExp(test=test) if _is_negatable(test):
                yield self._negate(test, lines)
            case ast.Constant():
                yield from self._constant_edits(node, lines)
            case ast.Call():
                yield from self._call(node, lines)

    def of_filter(self, node: ast.expr, lines: tuple[int, ...]) -> Iterator[Edit]:
        """Yield the edit of a condition of a comprehension."""
        if _is_negatable(node):
            yield self._negate(node, lines)

    def of_defaults(self, node: FunctionNode) -> Iterator[Edit]:
        """Yield the edits of the default values of parameters, for tests that run the body."""
        lines = tuple(range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            if isinstance(default, ast.Constant) and isinstance(default.value, bool | int | float):
                for edit in self._constant_edits(default, lines):
                    yield msgspec.structs.replace(edit, kind=EditKind.DEFAULT)

    def string(self, node: ast.Constant, lines: tuple[int, ...]) -> Edit:
        """Return the edit of a string whose value decides something."""
        return self._expression(EditKind.STRING, node, lines, repr(f"XX{node.value!s}XX"))

    def _call(self, node: ast.Call, lines: tuple[int, ...]) -> Iterator[Edit]:
        called = node.func
        if isinstance(called, ast.Name) and called.id in _NAMES:
            edit = self._expression(EditKind.FUNCTION_NAME, called, lines, _NAMES[called.id])
            yield self.shown_in(edit, node)
        elif isinstance(called, ast.Attribute) and called.attr in _NAMES:
            end = self._end(called)
            start = end - len(called.attr)
            edit = self._edit(EditKind.FUNCTION_NAME, called, lines, (start, end), _NAMES[called.attr])
            yield self.shown_in(edit, node)

    def _constant_edits(self, node: ast.Constant, lines: tuple[int, ...]) -> Iterator[Edit]:
        if isinstance(node.value, bool):
            yield self._expression(EditKind.FLAG, node, lines, repr(not node.value))
        elif isinstance(node.value, int | float) and not is_arbitrary(node.value):
            yield self._expression(EditKind.NUMBER, node, lines, repr(node.value + 1))

    def _negate(self, node: ast.expr, lines: tuple[int, ...]) -> Edit:
        return self._expression(EditKind.CONDITION, node, lines, f"not ({self._source_of_node(node)})")

    def _operator(
        self, kind: EditKind, node: ast.AST, both: tuple[ast.expr, ast.expr], swapped: tuple[str, str],
        lines: tuple[int, ...],
    ) -> Iterator[Edit]:  # fmt: skip
        """Yield the exchange of the operator between two expressions, unless a comment is there, too."""
        start, end = self._end(both[0]), self._start(both[1])
        between = self._text[start:end]
        old, new = swapped
        pattern = r"\s+".join(map(re.escape, old.split()))
        found = [*re.finditer(rf"(?<![\w<>=!*/]){pattern}(?![\w<>=*/])", between)]
        if len(found) == 1 and "#" not in between:
            span = (start + found[0].start(), start + found[0].end())
            yield self.shown_in(self._edit(kind, both[0], lines, span, new), node)

    def _replace_statement(self, kind: EditKind, node: ast.stmt, lines: tuple[int, ...], after: str) -> Edit:
        return self._edit(kind, node, lines, (self._start(node), self._end(node)), after)

    def _expression(self, kind: EditKind, node: ast.expr, lines: tuple[int, ...], after: str) -> Edit:
        return self._edit(kind, node, lines, (self._start(node), self._end(node)), after)

    def _edit(
        self,
        kind: EditKind,
        node: ast.expr | ast.stmt,
        lines: tuple[int, ...],
        span: tuple[int, int],
        after: str,
    ) -> Edit:
        shown = (_shorten(self._text[span[0] : span[1]]), _shorten(after))
        return Edit(kind, node.lineno, lines, *span, after, shown)

    def shown_in(self, edit: Edit, node: ast.AST) -> Edit:
        """Return an edit that is shown with the text around it."""
        assert isinstance(node, ast.expr | ast.stmt)
        start, end = self._start(node), self._end(node)
        before = self._text[start:end]
        after = self._text[start : edit.start] + edit.after + self._text[edit.end : end]
        return msgspec.structs.replace(edit, shown=(_shorten(before), _shorten(after)))

    def _source_of_node(self, node: ast.expr) -> str:
        return self._text[self._start(node) : self._end(node)]

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._positions.offset(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._positions.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)


def header_lines(node: ast.stmt) -> tuple[int, ...]:
    """Return the lines of a statement without those of nested statements."""
    inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt | ast.excepthandler)]
    last = min((statement.lineno for statement in inner), default=(node.end_lineno or node.lineno) + 1) - 1
    return tuple(range(node.lineno, max(last, node.lineno) + 1))


def _is_negatable(test: ast.expr) -> bool:
    """Return True unless another edit of the condition is its negation already."""
    if isinstance(test, ast.UnaryOp | ast.Constant):
        return False
    is_single = isinstance(test, ast.Compare) and len(test.ops) == 1
    return not (is_single and _COMPARISONS[type(test.ops[0])][2] is EditKind.EQUALITY)  # type: ignore[attr-defined]


def _is_of_numbers(node: ast.BinOp) -> bool:
    """Return False for operators on strings, lists and types, whose exchange only raises an error."""
    if type(node.op) not in _ARITHMETIC:
        return False
    return not any(
        isinstance(part, ast.JoinedStr | ast.List | ast.Tuple | ast.Dict | ast.ListComp)
        or (isinstance(part, ast.Constant) and not isinstance(part.value, int | float))
        for part in (node.left, node.right)
    )


def _is_stored_value(node: ast.Assign) -> bool:
    is_stored = any(isinstance(target, ast.Attribute) for target in node.targets)
    return is_stored and not isinstance(node.value, ast.Constant)


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else f"{line[: _MOST_SHOWN - 1]}…"
