"""Queries in a loop over the rows of another query (N+1 queries) in Python."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import cached_property

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import children, unparse, walk
from wardround_sql.frontends.python_code import called

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
_Parts = list[ast.stmt] | list[ast.expr]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def of_python(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield the queries of a Python file that are sent for each row of another."""
    reader = _Reader(tree)
    for function in reader.functions:
        yield from reader.in_function(function)


class _Reader:
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
            arguments = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)} - {
                "self",
                "cls",
            }
            plain = not function.decorator_list and not _KEPT.search(function.name)
            if (
                plain
                and arguments
                and not any(_writes(node) or self._changes(node) for node in walk(function))
            ):
                found |= (
                    {function.name}
                    if next(self._sent(function.body, arguments, frozenset()), None) is not None
                    else set()
                )
        return found

    def _changes(self, node: ast.AST) -> bool:
        """Return True if a node stores its result, or sends a text that is not a query."""
        if isinstance(node, ast.Compare):
            return isinstance(node.ops[0], (ast.In, ast.NotIn))
        if not isinstance(node, ast.Call):
            return False
        sends = called(node) == "execute" and bool(node.args) and not self._is_select(node.args[0])
        return sends or (called(node) or "") in ("add", "save", "create", "commit")

    def in_function(self, function: _Function) -> Iterator[ast.Call]:
        inside = list(walk(function))
        if not any(isinstance(item, _LOOPS) for item in inside):
            return
        rows, ran = self._row_names(inside), _cursors(inside)
        for loop in inside:
            if isinstance(loop, (ast.For, ast.AsyncFor)):
                parts: _Parts = loop.body
                heads = [(loop.target, loop.iter)]
            elif isinstance(loop, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
                parts, heads = (
                    [loop.elt],
                    [(generator.target, generator.iter) for generator in loop.generators],
                )
            else:
                continue
            for target, source in heads:
                related = self.related(parts, target, source)
                if related is not None:
                    yield related
                elif self._is_rows(source, rows, ran):
                    names = {node.id for node in walk(target) if isinstance(node, ast.Name)}
                    yield from self._sent(parts, names, self.helpers)

    def _row_names(self, nodes: list[ast.AST]) -> set[str]:
        """Return the names bound to the rows of a query."""
        found: set[str] = set()
        for node in nodes:
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                found |= {node.targets[0].id} if self._gives_rows(node.value) else set()
        return found

    def _gives_rows(self, node: ast.expr) -> bool:
        """Return True if an expression is a call that reads rows, or the end of a chain of such calls."""
        while isinstance(node, (ast.Await, ast.Call, ast.Attribute)):
            if isinstance(node, ast.Await):
                node = node.value
                continue
            if isinstance(node, ast.Attribute):
                if node.attr == "objects":
                    return True
                node = node.value
                continue
            name = called(node)
            if name in ("list", "sorted", "tuple", "enumerate") and node.args:
                node = node.args[0]
                continue
            if name in _ROWS or _is_orm_query(node):
                return True
            if name in _READS and node.args and self._is_select(node.args[0]):
                return True
            node = node.func
        return False

    def _is_rows(self, source: ast.expr, rows: set[str], cursors: set[str]) -> bool:
        if (
            isinstance(source, ast.Call)
            and called(source) in ("list", "enumerate", "sorted", "tqdm")
            and source.args
        ):
            source = source.args[0]
        if isinstance(source, ast.Name):
            return source.id in rows or source.id in cursors
        return self._gives_rows(source)

    def _text(self, node: ast.expr) -> ast.expr:
        """Return the value of a name of the module or class; anything else unchanged."""
        name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
        return self.texts.get(name, node) if isinstance(node, (ast.Name, ast.Attribute)) else node

    def _is_select(self, node: ast.expr) -> bool:
        """Return True if an expression is a reading text, or a ``select()``."""
        node = self._text(node)
        if isinstance(node, ast.Call):
            if called(node) in ("text", "SQL", "dedent") and node.args:
                return self._is_select(node.args[0])
            return any(isinstance(child, ast.Call) and called(child) == "select" for child in walk(node))
        if isinstance(node, ast.JoinedStr) and node.values:
            node = node.values[0]
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return is_text and bool(_SELECT.match(str(getattr(node, "value", ""))))

    def _sent(self, parts: _Parts, names: set[str], helpers: Set[str]) -> Iterator[ast.Call]:
        """Yield the first query in the body of a loop that depends on the row."""
        for part in parts:
            writing = {id(inner) for child in walk(part) if _writes(child) for inner in walk(child)}
            for node in walk(part):
                if id(node) in writing:
                    continue
                if isinstance(node, ast.Assign) and self._derives(node, names):
                    targets = (child for target in node.targets for child in walk(target))
                    names = names | {child.id for child in targets if isinstance(child, ast.Name)}
                if isinstance(node, ast.Call) and self._depends(node, names, helpers):
                    yield node
                    return

    def _derives(self, assignment: ast.Assign, names: set[str]) -> bool:
        """Return True if an assigned value depends on the row without a query."""
        return _mentions(assignment.value, names) and not self._is_query(assignment.value)

    def _depends(self, call: ast.Call, names: set[str], helpers: Set[str]) -> bool:
        """Return True if a call sends a query that depends on the row, itself or through a helper."""
        if _plain_name(call) in helpers and any(_mentions(argument, names) for argument in call.args):
            return True
        return self._is_query(call) and _mentions(call, names)

    def _is_query(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        name = called(node)
        if name in _READS and node.args and self._is_select(node.args[0]):
            return _MANY.search(unparse(self._text(node.args[0]))) is None
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in _DJANGO and isinstance(owner, ast.Attribute):
            is_bulk = any("__in" in (keyword.arg or "") for keyword in node.keywords)
            return owner.attr == "objects" and not is_bulk
        if name == "get" and owner is not None and len(node.args) == 2:
            session = unparse(owner).rpartition(".")[2]
            return session.endswith(("session", "db", "sess")) and unparse(node.args[0])[:1].isupper()
        return _is_narrowed_query(node)

    def related(self, parts: _Parts, target: ast.expr, source: ast.expr) -> ast.Call | None:
        """Return a query in a loop over Django rows for related objects that were not prefetched."""
        if not isinstance(target, ast.Name) or not isinstance(source, ast.Call) or not _is_plain_set(source):
            return None
        nodes = (node for part in parts for node in walk(part))
        calls = (node for node in nodes if isinstance(node, ast.Call) and called(node) in _RELATED)
        return next((call for call in calls if _related_owner(call) == target.id), None)


def _cursors(nodes: list[ast.AST]) -> set[str]:
    """Return the names on which a query is executed, which iterate over its rows."""
    calls = (node for node in nodes if isinstance(node, ast.Call) and called(node) == "execute")
    owners = (call.func.value for call in calls if isinstance(call.func, ast.Attribute))
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


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
    if called(node) != "query" or not isinstance(function, ast.Attribute) or not node.args:
        return False
    owner = unparse(function.value).rpartition(".")[2]
    return owner.endswith(("session", "db", "sess")) and unparse(node.args[0])[:1].isupper()


def _is_narrowed_query(node: ast.Call) -> bool:
    """Return True if a call filters the rows of ``session.query(Model)``."""
    if called(node) not in ("filter", "filter_by", "get", "where") or ".in_(" in unparse(node):
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


def _writes(node: ast.AST) -> bool:
    """Return True if a call changes rows, so that its object is not a separate query."""
    return isinstance(node, ast.Call) and called(node) in ("update", "delete", "aupdate", "adelete")


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(child, ast.Name) and child.id in names for child in walk(node))
