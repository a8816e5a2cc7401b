"""A module and its outermost functions: nodes, parents, offsets and names in scope."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

from wardround.languages.python.module import FunctionNode, named_functions, names_in
from wardround.languages.python.source_positions import SourcePositions
from wardround.languages.python.tree import UNREADABLE, children, parse, walk
from wardround.text.search_terms import parts

Node = TypeVar("Node", bound=ast.AST)
_INDENT = "    "
_NAMELESS = frozenset({"self", "cls", "_"})
_REPEATABLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.Return, ast.Delete)
_LONGEST_LINES = 4
_EDITABLE = (ast.expr, ast.stmt, ast.ExceptHandler, ast.comprehension, ast.keyword)


class ModuleCode:
    """A module of the repository.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: its text is not Python.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = parse(text)
        self._positions = SourcePositions(text)

    @cached_property
    def functions(self) -> tuple[FunctionCode, ...]:
        """The outermost functions and methods; a name occurs twice for the setter of a property."""
        return tuple(FunctionCode(self, name, node) for name, node in named_functions(self.tree.body))

    @cached_property
    def global_names(self) -> tuple[str, ...]:
        """The names that are bound at the top of the module, in source order."""
        names: dict[str, None] = {}
        for statement in self.tree.body:
            names |= dict.fromkeys(_bound_names(statement))
        return tuple(names)

    @cached_property
    def known_types(self) -> tuple[str, ...]:
        """The types that the module tests by ``isinstance``, in source order, as they are written."""
        names: dict[str, None] = {}
        for node in walk(self.tree):
            match node:
                case ast.Call(func=ast.Name("isinstance"), args=[_, ast.Tuple(elts=types)]):
                    names |= dict.fromkeys(map(self.source, types))
                case ast.Call(func=ast.Name("isinstance"), args=[_, kind]):
                    names[self.source(kind)] = None
        return tuple(names)

    def nodes_of(self, kind: type[Node]) -> Sequence[Node]:
        """Return the nodes of a kind, in the order of ``walk``."""
        return [node for node in walk(self.tree) if isinstance(node, kind)]

    def span(self, node: ast.expr | ast.stmt | ast.ExceptHandler | ast.keyword | ast.arg) -> tuple[int, int]:
        """Return the offsets of a node in code points; that of a call with a decorator starts at ``def``."""
        end_line, end_column = node.end_lineno, node.end_col_offset
        if end_line is None or end_column is None:
            raise ValueError(f"{self.path}: a node without an end, line {node.lineno}")
        start = self._positions.offset(node.lineno, node.col_offset)
        return start, self._positions.offset(end_line, end_column)

    def source(self, node: ast.expr | ast.stmt | ast.ExceptHandler | ast.keyword | ast.arg) -> str:
        """Return the text of a node as it is written."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_start(self, offset: int) -> int:
        """Return the offset of the first character of a line."""
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Return the offset of the end of a line, before its line break."""
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end


class ShortStatement(NamedTuple):
    """A statement that can be repeated elsewhere.

    Attributes:
        text: its lines relative to its own indentation.
        foreign_names: the variables of its function in it.
    """

    text: str
    foreign_names: frozenset[str]


class FunctionCode:
    """An outermost function or method; the functions nested in it are parts of it."""

    def __init__(self, module: ModuleCode, symbol: str, node: FunctionNode) -> None:
        self.module = module
        self.symbol = symbol
        self.node = node

    @property
    def first_line(self) -> int:
        """The line of ``def``, or of the first decorator."""
        return min([self.node.lineno, *(decorator.lineno for decorator in self.node.decorator_list)])

    @property
    def last_line(self) -> int:
        return self.node.end_lineno or self.node.lineno

    @cached_property
    def span(self) -> tuple[int, int]:
        return self.module.span(self.node)

    @cached_property
    def text(self) -> str:
        """The text from ``def`` to the end."""
        return self.module.source(self.node)

    @property
    def class_name(self) -> str:
        """The class of a method; empty for a function."""
        return self.symbol.rpartition(".")[0]

    @cached_property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        return {child: node for node in walk(self.node) for child in children(node)}

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the body in source order, without annotations, patterns and docstrings."""
        return tuple(node for statement in self.node.body for node in _editable_nodes(statement))

    def nodes_of(self, kind: type[Node]) -> Sequence[Node]:
        """Return the nodes of a kind in source order."""
        return [node for node in self.nodes if isinstance(node, kind)]

    @cached_property
    def name_lines(self) -> Mapping[str, tuple[int, ...]]:
        """The variables of the function, and the attributes read of them, with the lines that have them.

        Variables of comprehensions are excluded, as only the comprehension has them.
        """
        found: dict[str, list[int]] = {}
        for argument in _arguments(self.node):
            found.setdefault(argument.arg, []).append(argument.lineno)
        inner = self._comprehension_targets
        stored = {*found, *(_stored_name(node) for node in self.nodes if node not in inner)}
        for node in self.nodes:
            name = _variable(node)
            if name and name.partition(".")[0] in stored and not self._is_called(node):
                found.setdefault(name, []).append(getattr(node, "lineno", 0))
        return {name: tuple(lines) for name, lines in found.items() if name not in _NAMELESS}

    @cached_property
    def _comprehension_targets(self) -> frozenset[ast.AST]:
        targets = (clause.target for clause in self.nodes_of(ast.comprehension))
        return frozenset(itertools.chain.from_iterable(map(walk, targets)))

    def _is_called(self, node: ast.AST) -> bool:
        parent = self.parents[node]
        return isinstance(parent, ast.Call) and parent.func is node

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        return tuple(argument.arg for argument in _arguments(self.node) if argument.arg not in _NAMELESS)

    @cached_property
    def conditions(self) -> Sequence[str]:
        """The conditions of branches and loops, as they are written, in source order."""
        tests = (getattr(node, "test", None) for node in self.nodes)
        found = (node for node in tests if isinstance(node, ast.expr) and not isinstance(node, ast.NamedExpr))
        return [self.module.source(node) for node in found]

    @cached_property
    def short_statements(self) -> Sequence[ShortStatement]:
        """The statements of a few lines, in source order."""
        local = frozenset(name.partition(".")[0] for name in self.name_lines)
        found = (self._short_statement(statement, local) for statement in self.nodes_of(ast.stmt))
        return [statement for statement in found if statement.text]

    def _short_statement(self, node: ast.stmt, local: frozenset[str]) -> ShortStatement:
        indentation = self.indentation(node)
        text = self.module.source(node)
        is_short = not text.startswith("elif") and text.count("\n") < _LONGEST_LINES
        if indentation is None or not is_short or not isinstance(node, _REPEATABLE):
            return ShortStatement("", frozenset())
        return ShortStatement(text.replace(f"\n{indentation}", "\n"), local & names_in(node))

    @cached_property
    def returned(self) -> Sequence[ast.expr]:
        """The returned values in source order."""
        values = (statement.value for statement in self.nodes_of(ast.Return))
        return [value for value in values if value is not None]

    @cached_property
    def unused_parameters(self) -> frozenset[str]:
        """The parameters that the body never reads."""
        return frozenset(self.parameters) - {node.id for node in self.nodes_of(ast.Name)}

    @cached_property
    def equal_expressions(self) -> Mapping[tuple[str, type[ast.AST]], Sequence[ast.expr]]:
        """The expressions by their role, in source order."""
        found: dict[tuple[str, type[ast.AST]], list[ast.expr]] = {}
        for node in self.nodes_of(ast.expr):
            found.setdefault(self.role(node), []).append(node)
        return found

    def role(self, node: ast.expr) -> tuple[str, type[ast.AST]]:
        """Return the text of an expression and the kind of its parent."""
        return self.module.source(node), type(self.parents[node])

    @cached_property
    def indent_unit(self) -> str:
        """The indentation of a block relative to the enclosing one."""
        outer, inner = self.indentation(self.node), self.indentation(self.node.body[0])
        if inner and outer is not None and inner.startswith(outer) and inner != outer:
            return inner[len(outer) :]
        return _INDENT

    def indentation(self, statement: ast.stmt) -> str | None:
        """Return the indentation of a statement; None if it does not begin its line."""
        start, _ = self.module.span(statement)
        before = self.module.text[self.module.line_start(start) : start]
        return before if not before.strip() else None

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that contains a node, or is the node."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parent, its parent, up to the function."""
        while node in self.parents:
            node = self.parents[node]
            yield node


def _stored_name(node: ast.AST) -> str:
    """Return the name that a node binds; empty for anything else."""
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""


def _variable(node: ast.AST) -> str:
    """Return a name, or an attribute that is read of one; empty for anything else."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value=ast.Name() | ast.Attribute() as value, attr=attribute):
            owner = _variable(value)
            return f"{owner}.{attribute}" if owner else ""
    return ""


def _arguments(node: FunctionNode) -> Sequence[ast.arg]:
    arguments = node.args
    variadic = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *variadic]


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement at the top of a module binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                yield alias.asname or alias.name.partition(".")[0]
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(name)):
            yield name


def _editable_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and those below it in source order, without annotations, patterns and docstrings."""
    if is_docstring(node) or isinstance(node, ast.pattern | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, _EDITABLE):
        yield node
    for name, child in _fields(node):
        if name not in ("annotation", "returns", "type_params"):
            yield from _editable_nodes(child)


def _fields(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST):
                yield name, child


def similar_names(name: str, others: Iterable[str]) -> Sequence[str]:
    """Return the names that have common words with a name, those with the most first."""
    own = set(parts(name))
    shared = {other: len(own & set(parts(other))) for other in others if other != name}
    ordered = sorted(shared, key=lambda other: (-shared[other], other))
    return [other for other in ordered if shared[other]]


def is_docstring(node: ast.AST) -> bool:
    """Return True for a statement that is only a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def read_module(path: str, text: str | None) -> ModuleCode | None:
    """Return the code of a module; None if there is none, or it is not Python."""
    if text is None:
        return None
    try:
        return ModuleCode(path, text)
    except UNREADABLE:
        return None
