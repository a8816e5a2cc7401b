"""PY443: exit without release."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode, nodes_run_by, statements_in
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_PAIRS = {"acquire": "release", "lock": "unlock", "acquire_lock": "release_lock", "getconn": "putconn"}
_RELEASES = tuple(f".{name}(" for name in _PAIRS.values())
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class ExitWithoutRelease(PythonCheck):
    """A path out of a function does not release a resource that the other paths release.

    The slot, the lock or the busy flag stays taken each time the function returns there, until no caller can
    proceed. Release it there too, or hold it in a ``with`` or a ``try`` with ``finally``.
    """

    ID = "PY443"
    MATURITY = Maturity.PREVIEW
    WORDS = (*_RELEASES, "= False")
    NAME = "exit-without-release"
    DEFECT_CLASS = "unreleased-lock"
    VALID = [
        code("""
            class Line:
                def step(self):
                    if not self.seats.acquire(timeout=1):
                        return
                    job = self.next()
                    if not job:
                        self.seats.release()
                        return
                    self.pool.submit(job)
        """),
        code("""
            class Line:
                def step(self):
                    if not self.seats.acquire(timeout=1):
                        return
                    if self.is_late():
                        log(self)
                        return
                    self.pool.submit(job)
        """),
    ]
    INVALID = [
        code("""
            class Line:
                def step(self):
                    if not self.seats.acquire(timeout=1):
                        return
                    job = self.next()
                    if not job:
                        self.seats.release()
                        return
                    if job.is_late():
                        log(job)
                        «retur»n
                    self.pool.submit(job)
        """),
        code("""
            def fill(box):
                box.mutex.lock()
                if box.is_full:
                    box.mutex.unlock()
                    raise Full
                if box.is_closed:
                    «raise» Closed
                box.add(1)
                box.mutex.unlock()
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.keywords
        return text.contains_any(_RELEASES) or (text.has("= True") and text.has("= False"))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        for block in [node.body, *_blocks(node)]:
            for index, statement in enumerate(block):
                for taken, back in _acquisition(statement):
                    self._compare(node, block[index + 1 :], taken, back)

    def _compare(self, node: FunctionNode, after: Sequence[ast.stmt], taken: str, back: str) -> None:
        exits: list[ast.If] = []
        for element in after:
            if _releases(element, back):
                break
            if isinstance(element, ast.Try) and any(_releases(s, back) for s in element.finalbody):
                return
            if isinstance(element, ast.If) and isinstance(element.body[-1], _LEAVES) and not element.orelse:
                exits.append(element)
        giving = [item for item in exits if any(_releases(s, back) for s in item.body)]
        if not giving or self._is_released_around(node, back):
            return
        for element in exits:
            if element not in giving and not self._refers_to(element, taken):
                self.report(
                    self.module.keyword_span(element.body[-1], 5),
                    f"{back} runs before another exit of {node.name}(), "
                    "but not before this one; use try and finally",
                )

    def _refers_to(self, node: ast.If, taken: str) -> bool:
        """Return True if an exit refers to the taken resource, or calls a function of the module that may."""
        if taken in unparse(node):
            return True
        last = taken.rpartition(".")[2]
        called = {
            c.func.attr if isinstance(c.func, ast.Attribute) else getattr(c.func, "id", "")
            for c in nodes_run_by(node.body)
            if isinstance(c, ast.Call)
        }
        return any(
            isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef))
            and inner.name in called
            and last in unparse(inner)
            for inner in self.module.nodes
        )

    def _is_released_around(self, node: FunctionNode, back: str) -> bool:
        return any(
            isinstance(inner, ast.Try) and any(_releases(s, back) for s in inner.finalbody)
            for inner in statements_in(node)
        )


def _blocks(node: FunctionNode) -> Iterator[list[ast.stmt]]:
    for inner in nodes_run_by(node.body):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(inner, name, None)
            if isinstance(block, list) and block and isinstance(inner, ast.stmt):
                yield block


def _acquisition(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """Return the resource that a statement takes, and the call that releases it."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        value = statement.value.value if isinstance(statement.value, ast.Constant) else None
        if isinstance(target, ast.Attribute) and value is True:
            yield unparse(target), f"{unparse(target)} = False"
    head = statement.test if isinstance(statement, ast.If) else statement
    if isinstance(head, (ast.Expr, ast.Assign, ast.expr)):
        for node in nodes_run_by([head]):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                back = _PAIRS.get(node.func.attr)
                if back is not None:
                    owner = unparse(node.func.value)
                    yield owner, f"{owner}.{back}()"


def _releases(statement: ast.stmt, back: str) -> bool:
    if isinstance(statement, ast.Assign):
        return unparse(statement) == back
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
    return isinstance(value, ast.Call) and f"{unparse(value.func)}()" == back
