"""A parsed Python module: its syntax tree, the parent of each node, and the resolution of its names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from wardround.findings import Span
from wardround.languages.python.tree import cached_parse, children, walk
from wardround.lazy import LazyPattern
from wardround.text.line_index import with_newlines

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)

_TEST_PATH = LazyPattern(
    r"(^|/)((?:[iu]|\w+[_-])?tests?|testing|conftest\.py|test_[^/]*\.py|[^/]*_tests?\.py)(/|$)"
)


def is_test_path(path: str) -> bool:
    """Return True if a path is that of a test, by the usual names."""
    return _TEST_PATH.search(path) is not None


def last_name(node: ast.AST | None) -> str:
    """Return the last part of a dotted name; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def targets_of(statement: ast.AST) -> Sequence[ast.expr]:
    """Return the targets of an assignment, annotated or not; nothing for other statements."""
    if isinstance(statement, ast.AnnAssign):
        return (statement.target,)
    return statement.targets if isinstance(statement, ast.Assign) else ()


def names_in(node: ast.AST) -> set[str]:
    """Return the plain names in a node and below it."""
    return {inner.id for inner in walk(node) if isinstance(inner, ast.Name)}


def statements_in(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield every statement below a node, in source order; expressions are skipped, which makes it fast."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in ("cases", "finalbody", "orelse", "handlers", "body"):
            below = getattr(node, name, ())
            if isinstance(below, list):
                stack.extend(reversed(below))


def nodes_run_by(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield every node that runs when the statements do, except the bodies of functions and classes."""
    stack = list(statements)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPES):
            stack.extend(reversed(list(children(node))))


def named_functions(block: Iterable[ast.stmt], prefix: str = "") -> Iterator[tuple[str, FunctionNode]]:
    """Return the functions of a block by name, qualified by their classes, without nested functions."""
    for statement in block:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + statement.name, statement
        elif isinstance(statement, ast.ClassDef):
            yield from named_functions(statement.body, f"{prefix}{statement.name}.")
        elif isinstance(statement, (ast.If, ast.Try)):
            yield from named_functions([*statement.body, *statement.orelse], prefix)


class PythonModule:
    """One module under review, parsed once and shared by all checks."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = cached_parse(text)
        self._lines = with_newlines(text).split("\n")
        self.notes: dict[object, object] = {}

    @cached_property
    def expressions_on(self) -> Mapping[int, Sequence[ast.expr]]:
        """Return the expressions that begin on a line, in source order."""
        found: dict[int, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, ast.expr):
                found.setdefault(node.lineno, []).append(node)
        return found

    def starting_at(self, line: int, column: int) -> Sequence[ast.expr | ast.stmt]:
        """Return the expressions and statements that begin at a position, in source order.

        Args:
            column: 1-based, in code points.
        """
        if not 0 < line <= len(self._lines):
            return ()
        before = self._lines[line - 1][: column - 1]
        return self._nodes_by_start.get((line, len(before.encode("utf-8", "surrogatepass"))), ())

    @cached_property
    def _nodes_by_start(self) -> Mapping[tuple[int, int], Sequence[ast.expr | ast.stmt]]:
        """Line and UTF-8 byte offset -> the expressions and statements that begin there."""
        found: dict[tuple[int, int], list[ast.expr | ast.stmt]] = {}
        for node in self.nodes:
            if isinstance(node, (ast.expr, ast.stmt)):
                found.setdefault((node.lineno, node.col_offset), []).append(node)
        return found

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node in source order, except contexts and operators, which have no position."""
        found: list[ast.AST] = []
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            found.append(node)
            below: list[ast.AST] = []
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    below += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST) and value._fields:
                    below.append(value)
            stack += below[::-1]
        return found

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of every node but the module."""
        return {child: node for node in walk(self.tree) for child in children(node)}

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parent, its parent, up to the module."""
        parents = self.parents
        while node in parents:
            node = parents[node]
            yield node

    def function_of(self, node: ast.AST) -> FunctionNode | ast.Lambda | None:
        """Return the innermost function whose body contains a node; None at module or class level."""
        for parent in self.ancestors(node):
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return parent
        return None

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the class that directly contains a function or statement, except through a function."""
        for parent in self.ancestors(node):
            if isinstance(parent, ast.ClassDef):
                return parent
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return None
        return None

    @cached_property
    def imported(self) -> dict[str, str]:
        """Local name -> dotted name, for every import anywhere in the module."""
        names: dict[str, str] = {}
        for node in statements_in(self.tree):
            if isinstance(node, ast.Import):
                names |= dict(map(_imported_module, node.names))
            elif isinstance(node, ast.ImportFrom):
                stem = _stem(node)
                names |= {alias.asname or alias.name: f"{stem}{alias.name}" for alias in node.names}
        return names

    @cached_property
    def assigned(self) -> dict[str, list[ast.expr]]:
        """Name -> the values assigned to it, in any scope; a parameter counts as a value too."""
        found: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(node.value)
            elif isinstance(node, ast.arg):
                found.setdefault(node.arg, []).append(ast.Name(node.arg, ast.Load()))
        return found

    @cached_property
    def packages(self) -> frozenset[str]:
        """The imported packages, without the parts after the first dot."""
        return frozenset(name.partition(".")[0] for name in self.imported.values())

    @cached_property
    def top_classes(self) -> dict[str, list[ast.ClassDef]]:
        """Name -> the classes of that name at the top of the module."""
        found: dict[str, list[ast.ClassDef]] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def top_texts(self) -> dict[str, str]:
        """The strings assigned to names at the top of the module, of each the last."""
        return {
            target.id: node.value.value
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def qualified_name(self, node: ast.AST) -> str | None:
        """Return the qualified name of a name or attribute chain: ``sleep`` -> ``time.sleep``.

        Names that are not imported are returned unchanged; None for anything but a chain of names.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        parts.append(self.imported.get(node.id, node.id))
        return ".".join(reversed(parts))

    def imported_name(self, node: ast.AST) -> str | None:
        """Like ``dotted``, but None unless the first name is imported: others may be local."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in self.imported:
            return self.qualified_name(node)
        return None

    def span(self, node: ast.expr | ast.stmt | ast.ExceptHandler | ast.arg | ast.keyword | ast.alias) -> Span:
        """Return the span of a node, columns in code points."""
        end_line = node.end_lineno or node.lineno
        end = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        return Span(
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, end),
        )

    def keyword_span(self, node: ast.stmt | ast.ExceptHandler, width: int) -> Span:
        """Return the first ``width`` characters of a statement: its keyword, where all of it is too much."""
        column = self._column(node.lineno, node.col_offset)
        return Span(node.lineno, column, node.lineno, column + width)

    def name_span(self, node: FunctionNode | ast.ClassDef) -> Span:
        """Return the span of a definition's name."""
        line = self._lines[node.lineno - 1]
        start = self._column(node.lineno, node.col_offset) - 1
        match = re.compile(r"(?:async\s+)?(?:def|class)\s+").match(line, start)
        column = (match.end() if match else start) + 1
        return Span(node.lineno, column, node.lineno, column + len(node.name))

    def _column(self, line: int, offset: int) -> int:
        """Return the 1-based column in code points of a UTF-8 byte offset."""
        text = self._lines[line - 1]
        if text.isascii():
            return offset + 1
        return len(text.encode("utf-8")[:offset].decode("utf-8", "replace")) + 1


def _imported_module(alias: ast.alias) -> tuple[str, str]:
    """Return the local name that ``import`` binds, and the module that it denotes."""
    if alias.asname:
        return alias.asname, alias.name
    package = alias.name.partition(".")[0]
    return package, package


def _stem(node: ast.ImportFrom) -> str:
    """Return the beginning of the dotted names that ``from`` imports."""
    stem = "." * node.level + (node.module or "")
    return stem if stem.endswith(".") or not stem else f"{stem}."
