"""PY441."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode, last_name, names_in
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_NARROWS = frozenset({"filter", "exclude", "get"})
_LAZY = _NARROWS - {"get"} | frozenset(
    {
        "all", "order_by", "distinct", "select_related", "prefetch_related", "values", "values_list",
        "only", "defer", "annotate", "alias", "using", "reverse", "dates", "select_for_update",
    }
)  # fmt: skip
_NO_READING = frozenset({"model", "query", "db", "delete", "create", "bulk_create", "update", "none"})
_EVALUATES = frozenset({"list", "len", "bool", "set", "tuple", "sorted", "sum", "max", "min", "dict"})


class _Rows(msgspec.Struct, frozen=True):
    """A query under a name.

    Attributes:
        of: the names of queries it is made from, itself included.
        fields: what it is narrowed by: keyword -> value, as written.
    """

    of: frozenset[str]
    fields: dict[str, str]


class QuerysetReadAfterDelete(PythonCheck):
    """A query is read after the rows it finds were deleted, or changed so that it does not find them.

    A query asks the database when it is read, not where it is written: what is read after ``delete()``, or
    after an ``update()`` of the field it is narrowed by, is empty. Read it into a list before.
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
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        self._told: set[str] = set()
        self._follow(node.body, {}, frozenset())

    def _follow(self, block: Sequence[ast.stmt], known: dict[str, _Rows], read: frozenset[str]) -> None:
        """Go through the statements of a block; what is in blocks below is followed with a copy."""
        gone: dict[str, ast.Call] = {}
        for statement in block:
            head = list(_head(statement))
            for name, by in gone.items():
                self._tell_of_reading(statement, name, by)
            read |= set(_read(statement, known))
            for owner, call, fields in _ends_rows(head, known):
                for name, rows in known.items():
                    is_gone = last_name(call.func) == "delete" or _moved(rows.fields, fields)
                    if is_gone and owner in rows.of and (name == owner or name not in read):
                        gone[name] = call
            for below in _blocks(statement):
                self._follow(below, dict(known), read)
            for name in _assigned(statement):
                known.pop(name, None)
                gone.pop(name, None)
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                found = _rows(statement.value, known)
                if found is not None:
                    name = statement.targets[0].id
                    known[name] = _Rows(found.of | {name}, found.fields)
                    read -= {name}

    def _tell_of_reading(self, statement: ast.stmt, name: str, by: ast.Call) -> None:
        if name in self._told:
            return
        parents = {
            id(child.value): child.attr for child in walk(statement) if isinstance(child, ast.Attribute)
        }
        for node in walk(statement):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                if parents.get(id(node)) in _NO_READING:
                    continue
                self._told.add(name)
                message = f"{name} is read after this, in line {node.lineno}, and finds nothing then"
                self.report(self.module.span(by), message)
                return


def _head(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that run before any block below it."""
    below = {id(one) for block in _blocks(statement) for one in block}
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        stack += [one for one in ast.iter_child_nodes(node) if id(one) not in below]


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
    """The queries that a statement reads by themselves, which keep what they found."""
    for node in walk(statement):
        if isinstance(node, (ast.For, ast.comprehension)):
            found: Iterable[ast.expr] = [node.iter]
        elif isinstance(node, ast.Call) and last_name(node.func) in _EVALUATES:
            found = node.args
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            found = [node.test, *([node.test.operand] if isinstance(node.test, ast.UnaryOp) else [])]
        else:
            continue
        yield from (one.id for one in found if isinstance(one, ast.Name) and one.id in known)


def _ends_rows(
    nodes: Iterable[ast.AST], known: dict[str, _Rows]
) -> Iterator[tuple[str, ast.Call, dict[str, str]]]:
    for node in nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if not isinstance(owner, ast.Name) or owner.id not in known:
            continue
        if (node.func.attr == "delete" and not node.args) or (node.func.attr == "update" and node.keywords):
            yield owner.id, node, {k.arg or "": ast.unparse(k.value) for k in node.keywords}


def _moved(narrowed: dict[str, str], given: dict[str, str]) -> bool:
    """Whether rows found by one value of a field now have another."""
    for keyword, value in narrowed.items():
        field = keyword.partition("__")[0]
        if (
            field in given
            and given[field] != value
            and keyword in (field, f"{field}__isnull", f"{field}__in")
        ):
            return given[field] not in value
    return False


def _rows(value: ast.expr, known: dict[str, _Rows]) -> _Rows | None:
    """What a chain of calls finds, if it is a query that is not read yet."""
    fields: dict[str, str] = {}
    names = frozenset(name for name in names_in(value) if name in known)
    inner, is_first = value, True
    while isinstance(inner, (ast.Call, ast.Attribute)):
        if isinstance(inner, ast.Call):
            name = last_name(inner.func)
            if is_first and name not in _LAZY:
                return None
            is_first = False
            if name == "filter":
                fields |= {k.arg: ast.unparse(k.value) for k in inner.keywords if k.arg}
            inner = inner.func
        elif inner.attr == "objects" or inner.attr.endswith("_set"):
            break
        else:
            inner = inner.value
    if is_first:
        return None
    if isinstance(inner, ast.Name):
        if inner.id not in known:
            return None
        fields = known[inner.id].fields | fields
    elif not isinstance(inner, ast.Attribute):
        return None
    return _Rows(frozenset[str]().union(*(known[name].of for name in names)), fields)
