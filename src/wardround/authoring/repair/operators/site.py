"""A node of a function at which operators propose edits, and the edits themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from wardround.authoring.repair.module_code import FunctionCode
from wardround.authoring.repair.project_code import ProjectCode
from wardround.languages.python.module import names_in
from wardround.languages.python.tree import unparse

_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.Compare, ast.Yield, ast.YieldFrom)
"""Expressions that need parentheses as an operand."""
_TIGHT = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Attribute, ast.Await, ast.Starred, ast.IfExp,
    ast.comprehension, ast.FormattedValue,
)  # fmt: skip
"""Parents whose operands need parentheses unless they are primary expressions."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_NEAREST_NAMES = 12
_LONGEST_RESULT = 60
BLOCKS = ("body", "orelse", "finalbody")


class Edit(NamedTuple):
    """A replacement of a part of a file; offsets are in code points."""

    start: int
    end: int
    replacement: str


class Site:
    """A node of a function.

    Attributes:
        exception: the name of the exception that ended the failing test; empty if there is none.
        probability: that of its lines.
    """

    def __init__(self, function: FunctionCode, node: ast.AST, project: ProjectCode, exception: str) -> None:
        self.function = function
        self.node = node
        self.project = project
        self.exception = exception
        self.probability = 0.0

    @property
    def parent(self) -> ast.AST:
        return self.function.parents[self.node]

    @cached_property
    def statement(self) -> ast.stmt:
        """The innermost statement that contains the node."""
        return self.function.statement_of(self.node)

    @property
    def expression(self) -> ast.expr:
        """The node of an operator of expressions."""
        assert isinstance(self.node, ast.expr)
        return self.node

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", self.statement.lineno)

    def text(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> str:
        """Return the source of a node."""
        return self.function.module.source(node)

    def operand(self, node: ast.expr) -> str:
        """Return the source of an expression, in parentheses if an operand needs them."""
        text = self.text(node)
        is_loose = isinstance(node, _LOOSE) or text.startswith("not ")
        return f"({text})" if is_loose else text

    def primary(self, node: ast.expr) -> str:
        """Return the source of an expression, in parentheses if an attribute of it needs them."""
        text = self.text(node)
        if isinstance(node, (*_LOOSE, ast.BinOp, ast.UnaryOp, ast.Await)) or text[:1].isdigit():
            return f"({text})"
        return text

    def replace(self, node: ast.expr | ast.stmt | ast.keyword, text: str) -> Edit:
        """Return the edit that replaces a node by an expression without operators of low precedence."""
        start, end = self.function.module.span(node)
        return Edit(start, end, text)

    def replace_loosely(self, node: ast.expr, text: str) -> Edit:
        """Return the edit that replaces a node by any expression, in parentheses where it needs them."""
        parent = self.function.parents[node]
        is_tight = isinstance(parent, _TIGHT) or (isinstance(parent, ast.Subscript | ast.Call) and (
            node is getattr(parent, "value", None) or node is getattr(parent, "func", None)
        ))  # fmt: skip
        return self.replace(node, f"({text})" if is_tight else text)

    @cached_property
    def names(self) -> Sequence[str]:
        """The variables in scope: unused parameters, then those of the nearest lines."""
        line = self.line
        lines = self.function.name_lines
        scores = {
            name: min(_distance(line, other) for other in lines[name])
            for name in lines
            if self._is_bound(name)
        }
        unused = self.function.unused_parameters
        order = sorted(scores, key=lambda name: (name not in unused, scores[name] + name.count("."), name))
        return order[:_NEAREST_NAMES]

    @cached_property
    def own_names(self) -> Sequence[str]:
        """The variables in the node, in source order."""
        found = {unparse(node): None for node in ast.walk(self.node) if _is_variable(node)}
        return [name for name in found if name in self.function.name_lines and self._is_bound(name)]

    def _is_computable(self, node: ast.expr) -> bool:
        """Return True if all variables of an expression have a value before the statement."""
        return all(self._is_bound(name) for name in names_in(node))

    def _is_bound(self, name: str) -> bool:
        """Return True if a variable has a value before the statement, by the order of the lines."""
        root = name.partition(".")[0]
        first = self.function.name_lines.get(root, (0,))[0]
        return first < self.statement.lineno or root in self.function.parameters

    @cached_property
    def likely_names(self) -> Sequence[str]:
        """The variables of the node, then those of its statement, then the others in scope."""
        return list(dict.fromkeys((*self.own_names, *self.names)))

    @cached_property
    def loop(self) -> ast.AST | None:
        """The innermost loop of the same function around the statement."""
        for ancestor in self.function.ancestors(self.statement):
            if isinstance(ancestor, _LOOPS):
                return ancestor
            if isinstance(ancestor, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                return None
        return None

    @cached_property
    def is_condition(self) -> bool:
        """True for a complete condition of a branch, a loop or a comprehension, or a truth value."""
        parent = self.parent
        if isinstance(parent, ast.Return | ast.Assign):
            return isinstance(self.node, ast.Compare | ast.BoolOp) or isinstance(
                getattr(self.node, "op", None), ast.Not
            )
        if isinstance(parent, ast.comprehension):
            return any(self.node is condition for condition in parent.ifs)
        return self.node is getattr(parent, "test", None)

    @cached_property
    def block(self) -> Sequence[ast.stmt]:
        """The block that contains the statement."""
        for block in blocks(self.function.parents[self.statement]):
            if any(statement is self.statement for statement in block):
                return block
        return ()

    @cached_property
    def returned_texts(self) -> Sequence[str]:
        """The short values that the function returns, in source order, then the calls in them."""
        returned = self.function.returned
        calls = [node for value in returned for node in ast.walk(value) if isinstance(node, ast.Call)]
        values = filter(self._is_computable, (*returned, *calls))
        return [text for text in dict.fromkeys(map(self.text, values)) if is_short_line(text)]

    def insert_before(self, code: str) -> Iterator[Edit]:
        """Yield the edit that inserts lines before the statement, unless it shares its line."""
        indentation = self.function.indentation(self.statement)
        start, _ = self.function.module.span(self.statement)
        if indentation is not None and not self._is_branch(start):
            yield Edit(start, start, f"{self._indent(code, indentation)}\n{indentation}")

    def insert_after(self, code: str) -> Iterator[Edit]:
        """Yield the edit that inserts lines after the statement, unless it shares its line."""
        indentation = self.function.indentation(self.statement)
        module = self.function.module
        start, end = module.span(self.statement)
        line_end = module.line_end(end)
        rest = module.text[end:line_end].strip()
        if indentation is not None and not self._is_branch(start) and rest[:1] in ("", "#"):
            yield Edit(line_end, line_end, f"\n{indentation}{self._indent(code, indentation)}")

    def replace_statement(self, code: str) -> Iterator[Edit]:
        """Yield the edit that replaces the statement by lines, unless it shares its line."""
        indentation = self.function.indentation(self.statement)
        start, end = self.function.module.span(self.statement)
        if indentation is not None and not self._is_branch(start):
            yield Edit(start, end, self._indent(code, indentation))

    def wrapped_statement(self) -> str:
        """Return the statement's lines relative to its own indentation; empty if they cannot be moved."""
        indentation = self.function.indentation(self.statement)
        text = self.text(self.statement)
        if indentation is None or (has_long_string(self.statement) and "\n" in text):
            return ""
        return text.replace(f"\n{indentation}", "\n")

    def _indent(self, code: str, indentation: str) -> str:
        return code.replace("\t", self.function.indent_unit).replace("\n", f"\n{indentation}")

    def _is_branch(self, start: int) -> bool:
        """Return True for the ``elif`` of a chain, before and after which nothing can be inserted."""
        return self.function.module.text.startswith("elif", start)


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements directly in a node."""
    for name in BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block


def is_short_line(text: str) -> bool:
    """Return True for the text of an expression that can be repeated elsewhere."""
    return len(text) <= _LONGEST_RESULT and "\n" not in text


def has_long_string(node: ast.AST) -> bool:
    """Return True if a string in a node spans lines, so that its lines cannot be indented."""
    return any(
        isinstance(inner, ast.Constant | ast.JoinedStr) and inner.end_lineno != inner.lineno
        for inner in ast.walk(node)
    )


def _distance(line: int, other: int) -> float:
    """Return the distance of two lines; names that are bound later are rarely what is missing."""
    return line - other if other <= line else 2 * (other - line) + 0.5


def _is_variable(node: ast.AST) -> bool:
    is_attribute = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name) or is_attribute
