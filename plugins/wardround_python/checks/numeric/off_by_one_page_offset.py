"""PY057: off by one page offset."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_HOW_MANY = LazyPattern(
    r"(\w*_)?(pages?|page_count|last_page|pages_total|n_pages|page_total|totalPages|pageCount)"
)
_OFFSET = LazyPattern(r"offset|skip|start|first|begin")


class OffByOnePageOffset(PythonCheck):
    """A page offset treats a page number that starts at 1 as if it started at 0.

    ``page * size`` skips the first page for every caller. Use ``(page - 1) * size``.
    """

    ID = "PY057"
    NAME = "off-by-one-page-offset"
    MATURITY = Maturity.PREVIEW
    WORDS = ("page *", "* page", "page_number *", "page_no *", "range(2,")
    DEFECT_CLASS = "off-by-one"
    VALID = [
        code("""
            def f(page=1, size=20):
                return rows().offset((page - 1) * size)
        """),
        code("""
            def f(page=0, size=20):
                return rows().offset(page * size)
        """),
    ]
    INVALID = [
        code("""
            def f(first):
                for n in «range(2, first['page_count'])»:
                    yield ask(n)
        """),
        code("""
            def f(page=1, size=20):
                return rows().offset(«page * size»).limit(size)
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        pages = {name for name in _from_one(node) if "page" in name}
        if not pages or any(isinstance(n, ast.BinOp) and _subtracts_one(n, pages) for n in walk(node)):
            return
        for product in nodes_run_by(node.body):
            if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
                sides = [product.left, product.right]
                if any(isinstance(s, ast.Name) and s.id in pages for s in sides) and self._is_offset(product):
                    self.report(
                        self.module.span(product),
                        "pages start at 1 here, so this skips the first page; use (page - 1) * size",
                    )
                    return

    def visit_Call(self, node: ast.Call) -> None:
        """Report ``range(2, page_count)`` after the first page, which omits the last page."""
        if not isinstance(node.func, ast.Name) or node.func.id != "range" or len(node.args) != 2:
            return
        start, stop = node.args
        if not isinstance(start, ast.Constant) or start.value != 2:
            return
        if isinstance(stop, ast.Call) and getattr(stop.func, "id", "") == "int" and stop.args:
            stop = stop.args[0]
        name = (
            stop.slice.value
            if isinstance(stop, ast.Subscript) and isinstance(stop.slice, ast.Constant)
            else ""
        )
        name = name or getattr(stop, "attr", getattr(stop, "id", ""))
        if isinstance(name, str) and _HOW_MANY.fullmatch(name):
            self.report(
                self.module.span(node), f"range() stops before {name}, so the last page is omitted; add 1"
            )

    def _is_offset(self, product: ast.BinOp) -> bool:
        """Return True if a product is an offset."""
        parent = self.module.parents[product]
        if isinstance(parent, ast.Slice):
            return parent.lower is product
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute):
            return _OFFSET.search(parent.func.attr) is not None
        if isinstance(parent, ast.keyword):
            return parent.arg is not None and _OFFSET.search(parent.arg) is not None
        targets = parent.targets if isinstance(parent, ast.Assign) else []
        return any(isinstance(t, ast.Name) and _OFFSET.search(t.id) for t in targets)


def _from_one(node: FunctionNode) -> Iterator[str]:
    """Return the names whose default is 1."""
    plain = [*node.args.posonlyargs, *node.args.args]
    pairs = [
        *zip(plain[len(plain) - len(node.args.defaults) :], node.args.defaults, strict=True),
        *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
    ]
    for argument, default in pairs:
        if default is not None and _is_one(default):
            yield argument.arg
    for statement in nodes_run_by(node.body):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            calls = [n for n in walk(statement.value) if isinstance(n, ast.Call)]
            if any(len(c.args) == 2 and _is_one(c.args[1]) and "page" in unparse(c.args[0]) for c in calls):
                yield statement.targets[0].id


def _is_one(value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and (value.args or value.keywords):
        first = (
            value.args[0]
            if value.args
            else next((k.value for k in value.keywords if k.arg == "default"), value)
        )
        return isinstance(first, ast.Constant) and first.value in (1, "1") and first.value is not True
    return isinstance(value, ast.Constant) and value.value in (1, "1") and value.value is not True


def _subtracts_one(node: ast.BinOp, pages: set[str]) -> bool:
    named = isinstance(node.left, ast.Name) and node.left.id in pages
    return named and isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Constant)
