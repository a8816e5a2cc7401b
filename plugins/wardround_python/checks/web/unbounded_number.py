"""PY043: unbounded number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.null_guards import tested
from wardround_python.check import PythonCheck

_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "route", "api_route"})
_MAY_TAKE = LazyPattern(
    r"^[ \t]*@\w+\.(get|post|put|patch|delete|route|api_route)\(|\((BaseModel|\w*Schema|SQLModel)\b"
    r"|int\((self\.)?request\."
    r"|type=int\)",
    re.MULTILINE,
)
_SIZE = LazyPattern(r"(\w+_)?(limit|size|per_page|page_size|count|top|take|max_results|batch|days|n)")
_AMOUNT = LazyPattern(
    r"(\w+_)?(quantity|qty|amount|price|percent|percentage|discount|seats|guests|nights|units|points"
    r"|credits|copies|tickets)"
    r"(_\w+)?"
)
_MODELS = frozenset({"BaseModel", "Schema", "SQLModel"})
_FROM_OUTSIDE = LazyPattern(r"\w*(Request|Payload|Create|Input|In|Body|Update|Form|Command|Params|Draft)")
_BOUNDS = frozenset({"gt", "ge", "lt", "le", "multiple_of", "max_digits"})
_PLAIN = frozenset({"int", "float", "Decimal", "decimal.Decimal"})
_TAKES_SIZE = frozenset({"limit", "islice", "range", "fetchmany", "sample", "timedelta", "head"})
_SIZE_KEYWORDS = frozenset(
    {"limit", "page_size", "per_page", "size", "take", "first", "max_results", "days", "count"}
)


_LIMITS = LazyPattern(r"\.(execute|fetch\w*|query|raw|fetchall)\(.*\blimit\b", re.IGNORECASE)


class UnboundedNumber(PythonCheck):
    """A number from the client has no bounds.

    As a page size it lets one request read the entire table; as a quantity or an amount it may be negative.
    Declare its bounds: ``Query(ge=1, le=100)``, ``Field(gt=0)``, ``min(size, 100)``.
    """

    ID = "PY043"
    NAME = "unbounded-number"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "unvalidated-number"
    SEVERITY = Severity.INFO
    WORDS = ("BaseModel", "Schema", "SQLModel", ".get(", ".post(", ".put(", ".patch(", "route(", "request.")
    VALID = [
        code("""
            @app.get('/')
            def f(limit: int = Query(20, le=100)):
                return rows().limit(limit)
        """),
        code("""
            @app.get('/')
            def f(limit: Annotated[int, Query(ge=1, le=9)] = 5):
                return rows().limit(limit)
        """),
    ]
    INVALID = [
        code("""
            @bp.route('/')
            def f():
                size = «request.args.get('size', 10, type=int)»
                return db.execute('SELECT a FROM b LIMIT ?', (size,))
        """),
        code("""
            @app.get('/')
            def f(«limit: int» = 20):
                return rows().limit(limit)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return _MAY_TAKE.search(source.text) is not None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_route(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_route(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bases = {unparse(base).rpartition(".")[2] for base in node.bases}
        if not bases & _MODELS or not (
            _FROM_OUTSIDE.fullmatch(node.name) or node.name in self._route_parameter_classes
        ):
            return
        if node.name.endswith(("Response", "Out", "Read")):
            return
        text = "\n".join(self.source.lines[node.lineno - 1 : node.end_lineno])
        for field in node.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            name = field.target.id
            if not _AMOUNT.fullmatch(name) and not _SIZE.fullmatch(name):
                continue
            if (
                _is_bounded(field.annotation, field.value)
                or _is_validated(text, name)
                or self._is_tested(name)
            ):
                continue
            self.report(
                self.module.span(field.target),
                f'"{name}" of {node.name} can be negative or arbitrarily large; declare its bounds',
            )

    @cached_property
    def _route_parameter_classes(self) -> set[str]:
        """Return the classes that route functions of the module take as a parameter."""
        return {
            unparse(a.annotation)
            for node in self.module.nodes
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_route(node)
            for a in (*node.args.args, *node.args.kwonlyargs)
            if a.annotation is not None
        }

    def _is_tested(self, name: str) -> bool:
        """Return True if a condition of the module tests an attribute of that name."""
        return any(item.endswith(f".{name}") for item in self._all_tested)

    @cached_property
    def _all_tested(self) -> frozenset[str]:
        return tested(self.module.tree)

    def _check_route(self, node: FunctionNode) -> None:
        if _is_route(node):
            for argument, default in _with_defaults(node):
                kind = argument.annotation if _SIZE.fullmatch(argument.arg) else None
                if kind is not None and not _is_bounded(kind, default) and self._sizes(node, argument.arg):
                    self._report(argument, argument.arg)
        for statement in walk(node) if "request." in self.source.text else ():
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                if _is_sent_number(statement.value) and self._sizes(node, name):
                    self._report(statement.value, name)

    def _report(self, node: ast.expr | ast.arg, name: str) -> None:
        self.report(
            self.module.span(node), f'"{name}" has no bounds, so one request can read everything; limit it'
        )

    def _sizes(self, node: FunctionNode, name: str) -> bool:
        """Return True if a name is an amount to read, and nothing tests it first."""
        uses = [n for n in walk(node) if isinstance(n, ast.Name) and n.id == name]
        loads = [n for n in uses if isinstance(n.ctx, ast.Load)]
        stores = len(uses) - len(loads)
        if name in tested(node) or stores > 1 or any(self._is_cut(use) for use in loads):
            return False
        return any(self._is_size(use) for use in loads)

    def _is_cut(self, use: ast.Name) -> bool:
        call = self.module.parents[use]
        return isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("min", "max", "clamp", "len")

    def _is_size(self, use: ast.Name) -> bool:
        parent = self.module.parents[use]
        if isinstance(parent, ast.Slice):
            return True
        if isinstance(parent, (ast.Tuple, ast.List, ast.Dict)):
            call = self.module.parents[parent]
            return isinstance(call, ast.Call) and _LIMITS.search(unparse(call)) is not None
        if isinstance(parent, ast.keyword):
            call = self.module.parents[parent]
            return (
                parent.arg in _SIZE_KEYWORDS
                and isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
            )
        if isinstance(parent, ast.Call) and use in parent.args:
            name = (
                parent.func.attr if isinstance(parent.func, ast.Attribute) else getattr(parent.func, "id", "")
            )
            return name in _TAKES_SIZE
        return False


def _is_route(node: FunctionNode) -> bool:
    return any(
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Attribute)
        and decorator.func.attr in _ROUTES
        for decorator in node.decorator_list
    )


def _with_defaults(node: FunctionNode) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    plain = [*node.args.posonlyargs, *node.args.args]
    yield from zip(
        plain, [None] * (len(plain) - len(node.args.defaults)) + list(node.args.defaults), strict=True
    )
    yield from zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)


def _is_bounded(annotation: ast.expr, value: ast.expr | None) -> bool:
    """Return True if an annotation or a declared default bounds a number, or it is not a plain number."""
    kind = annotation
    if isinstance(kind, ast.BinOp):
        kind = kind.left
    if isinstance(kind, ast.Subscript) and unparse(kind.value).endswith(("Optional", "Annotated")):
        if any(k.arg in _BOUNDS for n in walk(kind.slice) if isinstance(n, ast.Call) for k in n.keywords):
            return True
        kind = kind.slice.elts[0] if isinstance(kind.slice, ast.Tuple) else kind.slice
    if unparse(kind) not in _PLAIN:
        return True
    if not isinstance(value, ast.Call):
        return False
    creation = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    if creation in ("Path", "Depends", "Header", "PrivateAttr", "computed_field"):
        return True
    return any(k.arg in _BOUNDS - ({"gt", "ge"} if creation == "Query" else set()) for k in value.keywords)


def _is_validated(text: str, name: str) -> bool:
    return f"'{name}'" in text or f'"{name}"' in text or "model_validator" in text or "root_validator" in text


def _is_sent_number(value: ast.expr) -> bool:
    """Return True for ``request.args.get("size", 20, type=int)``, or ``int()`` of such an entry."""
    if not isinstance(value, ast.Call):
        return False
    written = unparse(value)
    if isinstance(value.func, ast.Name) and value.func.id == "int" and len(value.args) == 1:
        return written.startswith(("int(request.", "int(self.request."))
    return written.startswith("request.args.get(") and written.endswith("type=int)")
