"""PY441: queryset read after delete."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode, last_name, names_in
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_FILTERING = frozenset({"filter", "exclude", "get"})
_LAZY = _FILTERING - {"get"} | frozenset(
    {
        "all", "order_by", "distinct", "select_related", "prefetch_related", "values", "values_list",
        "only", "defer", "annotate", "alias", "using", "reverse", "dates", "select_for_update",
    }
)  # fmt: skip
_NOT_EVALUATING = frozenset({"model", "query", "db", "delete", "create", "bulk_create", "update", "none"})
_EVALUATES = frozenset({"list", "len", "bool", "set", "tuple", "sorted", "sum", "max", "min", "dict"})


class _Rows(msgspec.Struct, frozen=True):
    """A named query set.

    Attributes:
        of: the names of the query sets it is derived from, itself included.
        fields: its filters: keyword -> value, as written.
    """

    of: frozenset[str]
    fields: dict[str, str]


class QuerysetReadAfterDelete(PythonCheck):
    """A query set is read after its rows were deleted, or updated so that it no longer matches them.

    A query set is evaluated when it is read, not where it is written: after ``delete()``, or after an
    ``update()`` of a field it filters by, it is empty. Evaluate it into a list before.
    """

    ID = "PY441"
    MATURITY = Maturity.PREVIEW
    WORDS = (".objects",)
    NAME = "queryset-read-after-delete"
    DEFECT_CLASS = "empty-query"
    VALID = [
        code("""
            from app.models import Note

            def drop(day):
                old = Note.objects.filter(day__lt=day)
                names = list(old.values_list('name', flat=True))
                old.delete()
                tell(names)
        """),
        code("""
            from app.models import Note

            def drop(day):
                old = Note.objects.filter(day__lt=day)
                old.delete()
                old = Note.objects.all()
                return old.count()
        """),
    ]
    INVALID = [
        code("""
            from app.models import Note

            def drop(day):
                old = Note.objects.filter(day__lt=day)
                names = old.values_list('name', flat=True)
                count, _ = «old.delete()»
                for name in names:
                    tell(name)
        """),
        code("""
            from app.models import Note

            def drop(day):
                old = Note.objects.filter(day__lt=day)
                «old.delete()»
                tell([one.pk for one in old])
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and source.keywords.contains_any((".delete()", ".update("))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        self._reported: set[str] = set()
        self._follow(node.body, {}, frozenset())

    def _follow(self, block: Sequence[ast.stmt], known: dict[str, _Rows], read: frozenset[str]) -> None:
        """Process the statements of a block; nested blocks get a copy of the state."""
        emptied: dict[str, ast.Call] = {}
        for statement in block:
            for name, removal in emptied.items():
                self._report_read(statement, name, removal)
            read |= set(_read(statement, known))
            emptied |= _emptied(statement, known, read)
            for below in _blocks(statement):
                self._follow(below, dict(known), read)
            for name in _assigned(statement):
                known.pop(name, None)
                emptied.pop(name, None)
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                rows = _rows(statement.value, known)
                if rows is not None:
                    name = statement.targets[0].id
                    known[name] = _Rows(rows.of | {name}, rows.fields)
                    read -= {name}

    def _report_read(self, statement: ast.stmt, name: str, removal: ast.Call) -> None:
        if name in self._reported:
            return
        parents = {
            id(child.value): child.attr for child in walk(statement) if isinstance(child, ast.Attribute)
        }
        for node in walk(statement):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                if parents.get(id(node)) in _NOT_EVALUATING:
                    continue
                self._reported.add(name)
                message = f"{name} is read on line {node.lineno} and is empty after this; evaluate it before"
                self.report(self.module.span(removal), message)
                return


def _head(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that run before any nested block."""
    below = {id(item) for block in _blocks(statement) for item in block}
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        stack += [child for child in ast.iter_child_nodes(node) if id(child) not in below]


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block:
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _assigned(statement: ast.stmt) -> Iterator[str]:
    for node in walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id


def _read(statement: ast.stmt, known: dict[str, _Rows]) -> Iterator[str]:
    """Yield the query sets that a statement evaluates; they cache their rows."""
    for node in walk(statement):
        if isinstance(node, (ast.For, ast.comprehension)):
            found: Iterable[ast.expr] = [node.iter]
        elif isinstance(node, ast.Call) and last_name(node.func) in _EVALUATES:
            found = node.args
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            found = [node.test, *([node.test.operand] if isinstance(node.test, ast.UnaryOp) else [])]
        else:
            continue
        yield from (item.id for item in found if isinstance(item, ast.Name) and item.id in known)


def _removals(
    nodes: Iterable[ast.AST], known: dict[str, _Rows]
) -> Iterator[tuple[str, ast.Call, dict[str, str]]]:
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in known and _is_removal(node, node.func.attr):
                yield owner.id, node, {k.arg or "": unparse(k.value) for k in node.keywords}


def _is_removal(call: ast.Call, method: str) -> bool:
    return (method == "delete" and not call.args) or (method == "update" and bool(call.keywords))


def _is_changed_field(filters: dict[str, str], updates: dict[str, str]) -> bool:
    """Return True if rows selected by one value of a field now have another."""
    for keyword, value in filters.items():
        field = keyword.partition("__")[0]
        if (
            field in updates
            and updates[field] != value
            and keyword in (field, f"{field}__isnull", f"{field}__in")
        ):
            return updates[field] not in value
    return False


def _rows(value: ast.expr, known: dict[str, _Rows]) -> _Rows | None:
    """Return the rows of a chain of calls that is an unevaluated query set."""
    call = _last_call(value)
    if not isinstance(call, ast.Call) or last_name(call.func) not in _LAZY:
        return None
    root, fields = _filters(call)
    if isinstance(root, ast.Name):
        if root.id not in known:
            return None
        fields = known[root.id].fields | fields
    elif not isinstance(root, ast.Attribute):
        return None
    names = frozenset(name for name in names_in(value) if name in known)
    return _Rows(frozenset[str]().union(*(known[name].of for name in names)), fields)


def _last_call(value: ast.expr) -> ast.expr:
    """Return the value without the attributes after its last call."""
    while isinstance(value, ast.Attribute) and not _is_manager(value):
        value = value.value
    return value


def _is_manager(node: ast.Attribute) -> bool:
    return node.attr == "objects" or node.attr.endswith("_set")


def _filters(value: ast.expr) -> tuple[ast.expr, dict[str, str]]:
    """Return the root of a chain of calls, and its filters."""
    fields: dict[str, str] = {}
    while isinstance(value, (ast.Call, ast.Attribute)):
        if isinstance(value, ast.Call):
            if last_name(value.func) == "filter":
                fields |= {k.arg: unparse(k.value) for k in value.keywords if k.arg}
            value = value.func
        elif _is_manager(value):
            break
        else:
            value = value.value
    return value, fields


def _emptied(statement: ast.stmt, known: dict[str, _Rows], read: frozenset[str]) -> dict[str, ast.Call]:
    """Return the query sets that a statement empties -> its call."""
    emptied: dict[str, ast.Call] = {}
    for owner, call, fields in _removals(_head(statement), known):
        for name, rows in known.items():
            is_emptied = last_name(call.func) == "delete" or _is_changed_field(rows.fields, fields)
            if is_emptied and owner in rows.of and (name == owner or name not in read):
                emptied[name] = call
    return emptied
