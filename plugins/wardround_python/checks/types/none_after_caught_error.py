"""PY444: none after caught error."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from wardround.checks.cases import code
from wardround.languages.python.literals import is_none
from wardround.languages.python.module import last_name, names_in
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ENDS = frozenset({"exit", "_exit", "abort", "fail", "skip", "error", "fatal", "xfail", "quit"})
_NEEDS_ONE = frozenset(
    {"len", "iter", "sorted", "sum", "min", "max", "int", "float", "enumerate", "reversed"}
)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)


class NoneAfterCaughtError(PythonCheck):
    """A value that is None after a caught error is used as if it existed.

    The error was caught so that the function can continue, and comes back as another one that does not name
    the cause. Test the value for None, or return where the attempt fails.
    """

    ID = "PY444"
    NAME = "none-after-caught-error"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "none-used"
    WORDS = ("= None",)
    VALID = [
        code("""
            def total(box):
                try:
                    rows = box.load()
                except OSError as e:
                    log(e)
                    rows = None
                return rows and len(rows)
        """),
        code("""
            def total(box):
                try:
                    rows = box.load()
                except OSError as e:
                    log(e)
                    rows = None
                if rows is None:
                    return 0
                return len(rows)
        """),
    ]
    INVALID = [
        code("""
            def total(box):
                try:
                    rows = box.load()
                except OSError as e:
                    log(e)
                    rows = None
                return len(«rows»)
        """),
        code("""
            def total(box):
                try:
                    rows = box.load()
                except OSError as e:
                    log(e)
                    rows = None
                for row in «rows»:
                    show(row)
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node.body)

    def _check(self, block: Sequence[ast.stmt]) -> None:
        for index, statement in enumerate(block):
            for name, along in _maybe_none(statement, block[:index]):
                used = _used_unseen(block[index + 1 :], name, along)
                if used is not None:
                    why = (
                        "if the attempt above fails" if isinstance(statement, ast.Try) else "on one path here"
                    )
                    self.report(
                        self.module.span(used),
                        f"{name} is None {why}, and is used here; test it for None or return earlier",
                    )
            for below in _blocks(statement):
                self._check(below)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _maybe_none(statement: ast.stmt, before: Sequence[ast.stmt]) -> Iterator[tuple[str, set[str]]]:
    """Return the names that are None after a statement on one path and something else on another.

    The names that are assigned along with each show which path was taken.
    """
    if isinstance(statement, ast.Try):
        values = set(_set_in([*statement.body, *statement.orelse])) - set(_set_in(statement.finalbody))
        for handler in statement.handlers:
            if _leaves(handler.body):
                continue
            along = set(_set_in(handler.body))
            for name in values:
                last = _last_value(handler.body, name) if name in along else _last_value(before[-3:], name)
                if is_none(last) and not is_none(_last_value([*statement.body, *statement.orelse], name)):
                    yield name, along - {name}
    elif isinstance(statement, ast.If) and statement.orelse:
        ways = [statement.body, statement.orelse]
        for item, other in (ways, ways[::-1]):
            if _leaves(item) or _leaves(other):
                continue
            for name in set(_set_in(item)) & set(_set_in(other)):
                last = _last_value(other, name)
                if is_none(_last_value(item, name)) and last is not None and not is_none(last):
                    yield name, {*_set_in(item), *_set_in(other), *names_in(statement.test)} - {name}


def _set_in(block: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in block:
        for node in walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _last_value(block: Sequence[ast.stmt], name: str) -> ast.expr | None:
    """Return the last value that a block assigns to a name, by a statement that always runs."""
    for statement in reversed(block):
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in statement.targets
        ):
            return statement.value
        if name in set(_set_in([statement])):
            return None
    return None


def _leaves(block: Sequence[ast.stmt]) -> bool:
    last = block[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_name(last.value.func) in _ENDS
    if isinstance(last, ast.If) and last.orelse:
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, _LEAVES)


def _used_unseen(after: Sequence[ast.stmt], name: str, along: set[str]) -> ast.expr | None:
    """Return the first use of a name as a value before a test of it, or of a name assigned along with it."""
    for statement in after:
        if isinstance(statement, (ast.If, ast.While)):
            asked = names_in(statement.test)
            if name in asked or asked & along or _leaves(statement.body) or name in set(_set_in([statement])):
                return None
            continue
        if isinstance(statement, _SIMPLE):
            parts: list[ast.AST] = [statement]
        elif isinstance(statement, ast.For):
            if isinstance(statement.iter, ast.Name) and statement.iter.id == name:
                return statement.iter
            parts = [statement.iter]
        else:
            return None
        if any(_tests(node, name) for part in parts for node in walk(part)):
            return None
        used = next((result for part in parts for inner in walk(part) if (result := _use(inner, name))), None)
        if used is not None or name in set(_set_in([statement])):
            return used
    return None


def _tests(node: ast.AST, name: str) -> bool:
    if isinstance(node, (ast.BoolOp, ast.IfExp, ast.Compare, ast.Lambda)):
        return name in names_in(node)
    if isinstance(node, ast.comprehension):
        return any(name in names_in(item) for item in node.ifs)
    return isinstance(node, ast.Call) and last_name(node.func) in (
        "isinstance",
        "hasattr",
        "getattr",
        "assert_",
    )


def _use(node: ast.AST, name: str) -> ast.expr | None:
    """Return the name if a node needs a value of it."""
    inner: ast.AST | None = None
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        inner = node.value
    elif isinstance(node, ast.comprehension):
        inner = node.iter
    elif isinstance(node, ast.Starred):
        inner = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NEEDS_ONE:
        inner = node.args[0] if node.args else None
    return inner if isinstance(inner, ast.Name) and inner.id == name else None
