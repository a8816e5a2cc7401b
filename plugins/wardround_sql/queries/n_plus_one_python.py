"""Queries in a loop over the rows of another query (N+1 queries) in Python."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import cached_property
from typing import NamedTuple

from wardround.languages.python.tree import children, unparse, walk
from wardround.lazy import LazyPattern
from wardround_sql.frontends.python_scopes import callee_name

_ROWS = frozenset({"fetchall", "fetchmany", "fetch_all", "scalars", "mappings", "iterator"})
"""Calls that return rows, whatever their arguments."""
_READS = frozenset({"execute", "fetchrow", "fetchval", "fetch", "fetch_one", "fetch_all", "fetch_val",
                    "scalar", "scalars", "query", "read_sql"})  # fmt: skip
"""Calls that send their text argument."""
_LOOPS = (ast.For, ast.AsyncFor, ast.ListComp, ast.GeneratorExp, ast.SetComp)
_DJANGO = frozenset({"get", "filter", "exclude"})
_SELECT = LazyPattern(r"(?is)\s*(?:--[^\n]*\n\s*)*(?:select|with)\s")
_MANY = LazyPattern(r"(?is)\b(?:any\s*\(|in\s*\()")
_KEPT = LazyPattern(r"(?i)cache|memo")
_RELATED = frozenset({"all", "count", "exists", "first", "last", "exclude"})
_COLLECTS = frozenset({"list", "sorted", "tuple", "enumerate"})
_Parts = list[ast.stmt] | list[ast.expr]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_row_queries(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield the queries of a Python file that are sent for each row of another."""
    reader = _LoopReader(tree)
    for function in reader.functions:
        yield from reader.in_function(function)


class _Loop(NamedTuple):
    """Loop or clause of a comprehension, with the parts that run for each element."""

    parts: _Parts
    target: ast.expr
    source: ast.expr


def _loops(node: ast.AST) -> Iterator[_Loop]:
    match node:
        case ast.For() | ast.AsyncFor():
            yield _Loop(node.body, node.target, node.iter)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            for generator in node.generators:
                yield _Loop([node.elt], generator.target, generator.iter)


class _LoopReader:
    """File with the values of its names."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: list[_Function] = []
        self.texts: dict[str, ast.expr] = {}
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions.append(node)
            elif isinstance(node, (ast.Module, ast.ClassDef, ast.If, ast.Try, ast.With)):
                waiting.extend(children(node))
            elif (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                self.texts[node.targets[0].id] = node.value

    @cached_property
    def helpers(self) -> set[str]:
        """Functions of the file that send one query with their argument, and change nothing."""
        found = set()
        for function in self.functions:
            if function.decorator_list or _KEPT.search(function.name):
                continue
            if self._only_queries(function):
                found.add(function.name)
        return found

    def _only_queries(self, function: _Function) -> bool:
        """Return True if a function sends a query that depends on a parameter, and changes nothing."""
        parameters = {parameter.arg for parameter in (*function.args.args, *function.args.kwonlyargs)}
        parameters -= {"self", "cls"}
        if not parameters:
            return False
        if any(_is_write(node) or self._changes_data(node) for node in walk(function)):
            return False
        return next(self._dependent_queries(function.body, parameters, frozenset()), None) is not None

    def _changes_data(self, node: ast.AST) -> bool:
        """Return True if a node stores its result, or sends a text that is not a query."""
        if isinstance(node, ast.Compare):
            return isinstance(node.ops[0], (ast.In, ast.NotIn))
        if not isinstance(node, ast.Call):
            return False
        sends = callee_name(node) == "execute" and bool(node.args) and not self._is_select(node.args[0])
        return sends or (callee_name(node) or "") in ("add", "save", "create", "commit")

    def in_function(self, function: _Function) -> Iterator[ast.Call]:
        nodes = list(walk(function))
        if not any(isinstance(node, _LOOPS) for node in nodes):
            return
        rows, cursors = self._row_names(nodes), _cursors(nodes)
        for node in nodes:
            for loop in _loops(node):
                related = self.related(loop)
                if related is not None:
                    yield related
                elif self._is_rows(loop.source, rows, cursors):
                    names = {part.id for part in walk(loop.target) if isinstance(part, ast.Name)}
                    yield from self._dependent_queries(loop.parts, names, self.helpers)

    def _row_names(self, nodes: list[ast.AST]) -> set[str]:
        """Return the names bound to the rows of a query."""
        names = set()
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]) if self._returns_rows(node.value):
                    names.add(name)
        return names

    def _returns_rows(self, node: ast.expr) -> bool:
        """Return True if an expression is a call that reads rows, or the end of a chain of such calls."""
        while True:
            match node:
                case ast.Attribute(attr="objects"):
                    return True
                case ast.Attribute(value=inner) | ast.Await(value=inner):
                    node = inner
                case ast.Call(args=[first, *_]) if callee_name(node) in _COLLECTS:
                    node = first
                case ast.Call() if self._reads_rows(node):
                    return True
                case ast.Call(func=function):
                    node = function
                case _:
                    return False

    def _reads_rows(self, call: ast.Call) -> bool:
        return callee_name(call) in _ROWS or _is_orm_query(call) or self._sends_select(call)

    def _sends_select(self, call: ast.Call) -> bool:
        return callee_name(call) in _READS and bool(call.args) and self._is_select(call.args[0])

    def _is_rows(self, source: ast.expr, rows: set[str], cursors: set[str]) -> bool:
        match source:
            case ast.Call(args=[first, *_]) if callee_name(source) in ("list", "enumerate", "sorted", "tqdm"):
                source = first
        if isinstance(source, ast.Name):
            return source.id in rows or source.id in cursors
        return self._returns_rows(source)

    def _resolve_name(self, node: ast.expr) -> ast.expr:
        """Return the value of a name of the module or class; anything else unchanged."""
        name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
        return self.texts.get(name, node) if isinstance(node, (ast.Name, ast.Attribute)) else node

    def _is_select(self, node: ast.expr) -> bool:
        """Return True if an expression is a reading text, or a ``select()``."""
        node = self._resolve_name(node)
        match node:
            case ast.Call(args=[argument, *_]) if callee_name(node) in ("text", "SQL", "dedent"):
                return self._is_select(argument)
            case ast.Call():
                calls = (child for child in walk(node) if isinstance(child, ast.Call))
                return any(callee_name(call) == "select" for call in calls)
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) | ast.Constant(value=str(text)):
                return _SELECT.match(text) is not None
        return False

    def _dependent_queries(self, parts: _Parts, names: set[str], helpers: Set[str]) -> Iterator[ast.Call]:
        """Yield the first query in the body of a loop that depends on the row."""
        for part in parts:
            for node in _nodes_outside_writes(part):
                if isinstance(node, ast.Assign) and self._derives_from_row(node, names):
                    names = names | _names_in(node.targets)
                if isinstance(node, ast.Call) and self._queries_for_row(node, names, helpers):
                    yield node
                    return

    def _derives_from_row(self, assignment: ast.Assign, names: set[str]) -> bool:
        """Return True if an assigned value depends on the row without a query."""
        return _mentions_any(assignment.value, names) and not self._is_query(assignment.value)

    def _queries_for_row(self, call: ast.Call, names: set[str], helpers: Set[str]) -> bool:
        """Return True if a call sends a query that depends on the row, itself or through a helper."""
        if _plain_name(call) in helpers and any(_mentions_any(argument, names) for argument in call.args):
            return True
        return self._is_query(call) and _mentions_any(call, names)

    def _is_query(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        if self._sends_select(node):
            return _MANY.search(unparse(self._resolve_name(node.args[0]))) is None
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=ast.Attribute(attr=owner))) if name in _DJANGO:
                return owner == "objects" and not _is_bulk(node)
            case ast.Call(func=ast.Attribute(attr="get", value=session), args=[model, _]):
                return _is_session(session) and _is_class(model)
        return _is_narrowed_query(node)

    def related(self, loop: _Loop) -> ast.Call | None:
        """Return a query in a loop over Django rows for related objects that were not prefetched."""
        row = loop.target
        if not isinstance(row, ast.Name):
            return None
        if not isinstance(loop.source, ast.Call) or not _is_plain_set(loop.source):
            return None
        for part in loop.parts:
            for node in walk(part):
                if isinstance(node, ast.Call) and _reads_related_rows(node, row.id):
                    return node
        return None


def _is_bulk(query: ast.Call) -> bool:
    """Return True if a query of Django has a list of keys."""
    return any("__in" in (keyword.arg or "") for keyword in query.keywords)


def _is_class(node: ast.expr) -> bool:
    return unparse(node)[:1].isupper()


def _nodes_outside_writes(part: ast.AST) -> Iterator[ast.AST]:
    nodes = list(walk(part))
    written = {id(inner) for node in nodes if _is_write(node) for inner in walk(node)}
    return (node for node in nodes if id(node) not in written)


def _names_in(targets: list[ast.expr]) -> set[str]:
    return {node.id for target in targets for node in walk(target) if isinstance(node, ast.Name)}


def _reads_related_rows(call: ast.Call, row: str) -> bool:
    return callee_name(call) in _RELATED and _related_owner(call) == row


def _is_session(owner: ast.expr) -> bool:
    return unparse(owner).rpartition(".")[2].endswith(("session", "db", "sess"))


def _cursors(nodes: list[ast.AST]) -> set[str]:
    """Return the names on which a query is executed, which iterate over its rows."""
    names = set()
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="execute", value=ast.Name(id=name))):
                names.add(name)
    return names


def _plain_name(call: ast.Call) -> str:
    """Return the name of a function called directly, or on ``self``; empty for others."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id in ("self", "cls") else ""
    return ""


def _is_orm_query(node: ast.Call) -> bool:
    """Return True if a call is ``session.query(Model)``."""
    function = node.func
    if callee_name(node) != "query" or not isinstance(function, ast.Attribute) or not node.args:
        return False
    return _is_session(function.value) and unparse(node.args[0])[:1].isupper()


def _is_narrowed_query(node: ast.Call) -> bool:
    """Return True if a call filters the rows of ``session.query(Model)``."""
    if callee_name(node) not in ("filter", "filter_by", "get", "where") or ".in_(" in unparse(node):
        return False
    inside: ast.expr = node
    while isinstance(inside, (ast.Call, ast.Attribute)):
        if isinstance(inside, ast.Call) and _is_orm_query(inside):
            return True
        inside = inside.func if isinstance(inside, ast.Call) else inside.value
    return False


def _related_owner(call: ast.Call) -> str:
    """Return the row in ``row.children.all()``; empty for other calls."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return unparse(owner.value) if isinstance(owner, ast.Attribute) else ""


def _is_plain_set(source: ast.Call) -> bool:
    """Return True if a call returns rows of a Django model without related objects."""
    text = unparse(source)
    return (
        ".objects." in text and "prefetch" not in text and ".values" not in text and ".annotate(" not in text
    )


def _is_write(node: ast.AST) -> bool:
    """Return True if a call changes rows, so that its object is not a separate query."""
    return isinstance(node, ast.Call) and callee_name(node) in ("update", "delete", "aupdate", "adelete")


def _mentions_any(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(child, ast.Name) and child.id in names for child in walk(node))
