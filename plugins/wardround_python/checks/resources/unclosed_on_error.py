from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.analysis.resource_ownership import ResourceUses
from wardround_python.analysis.resource_statements import (
    acts_on,
    calls_in,
    closes_resource,
    first_risk,
    leaving,
    passes_first,
    statements_after,
    strip_await,
)
from wardround_python.check import PythonCheck
from wardround_python.libraries.resources import (
    CLOSERS,
    ENDERS,
    HELD,
    LENT,
    LOCK_NAME,
    MADE,
    MAY_STAY,
    OPENERS,
)
from wardround_python.syntax.assignments import is_named
from wardround_python.syntax.calls import called_method

_WORDS = (
    "open(",
    "connect(",
    ".close()",
    "acquire()",
    "getconn(",
    "connection(",
    "mkdtemp(",
    "checkout(",
    "borrow(",
    "Executor(",
    "Pool(",
    "Session",
    "Client(",
    "socket(",
    "SMTP",
    "FTP",
    "ZipFile(",
    "File(",
)
"""Methods after which the object owns nothing that has to be closed."""


class UnclosedOnError(PythonCheck):
    """A file or connection stays open if an error occurs before it is closed.

    ``close()`` runs only if nothing before it raises. After an error the handle stays open, with its lock or
    its unwritten data, for as long as the traceback exists. Open it in a ``with`` block.
    """

    ID = "PY007"
    NAME = "unclosed-on-error"
    WORDS = _WORDS
    DEFECT_CLASS = "unclosed-resource"
    VALID = [
        code("""
            def f(p):
                with open(p) as x:
                    return x.read()
        """),
        code("""
            def f(p):
                x = open(p)
                try:
                    g(x.read())
                finally:
                    x.close()
        """),
    ]
    INVALID = [
        code("""
            from pathlib import Path
            class Reader:
                def __init__(self, path: Path):
                    self.file = «path.open('rb')»
                    self.count = self._header()

                def _header(self):
                    if not self.file.read(4):
                        raise CutOff()
        """),
        code("""
            import aiohttp
            async def log_in(session):
                return await session.post('a')

            async def read():
                session = «aiohttp.ClientSession()»
                await log_in(session)
                await session.close()
        """),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode) or self.module.class_of(node) is not None:
            return
        call = strip_await(node.value)
        if not isinstance(call, ast.Call) or len(node.targets) > 1:
            return
        target = node.targets[0]
        if isinstance(target, ast.Name):
            self._check_variable(node, call, target.id, function)
        else:
            self._check_maker(node, call, target, function)

    def _check_variable(self, node: ast.Assign, call: ast.Call, name: str, function: FunctionNode) -> None:
        opener = self._opener(call)
        if opener is not None:
            self._check_opening(node, call, name, function, opener)
            return
        if last_name(call.func) in LENT:
            self._check_pool_resource(node, call, name, function)
            return
        creation = self.module.imported_name(_unwrap_path(call).func)
        if creation in MADE:
            passing = [inner for inner in calls_in(function) if passes_first(inner, name)]
            releases = [inner for inner in passing if self._undoes_making(inner, creation or "")]
            self._check_release(node, call, name, releases)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Report a lock that is acquired, and released later without a ``try``."""
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.args:
            return
        lock = unparse(call.func.value)
        function = self.module.function_of(node)
        if call.func.attr != "acquire" or call.keywords or not isinstance(function, FunctionNode):
            return
        if LOCK_NAME.search(lock.rpartition(".")[2]):
            released = [c for c in calls_in(function) if unparse(c.func) == f"{lock}.release"]
            self._check_release(node, call, lock, released, "held")

    def _check_maker(
        self, node: ast.Assign, call: ast.Call, target: ast.expr, function: FunctionNode
    ) -> None:
        """Report a resource that ``__init__`` opens before it raises: no caller has an object to close."""
        if function.name != "__init__" or node not in function.body or not isinstance(target, ast.Attribute):
            return
        if self._opener(call) not in HELD or unparse(target.value) != "self":
            return
        failure = self._unguarded_failure(function.body[function.body.index(node) + 1 :])
        if failure is not None:
            message = f"{unparse(target)} stays open if line {failure.lineno} raises"
            self.report(self.module.span(call), f"{message}; close it before the error leaves")

    def _unguarded_failure(self, statements: Sequence[ast.stmt]) -> ast.Raise | ast.Call | None:
        """Return the first node that raises, unless a guard precedes it."""
        for statement in statements:
            for node in nodes_run_by([statement]):
                if isinstance(node, (ast.Try, ast.With)):
                    return None
                if isinstance(node, ast.Raise):
                    return node
                if isinstance(node, ast.Call) and self._raises_itself(node):
                    return node
        return None

    def _raises_itself(self, call: ast.Call) -> bool:
        """Return True if a method of the class raises itself."""
        if not unparse(call.func).startswith("self."):
            return False
        result = self.callees.definition_of(call)
        return result is not None and any(isinstance(n, ast.Raise) for n in walk(result.node))

    def _check_opening(
        self, node: ast.Assign, call: ast.Call, name: str, function: FunctionNode, opener: str
    ) -> None:
        closers = _closers(opener)
        rest = statements_after(self.module.parents[node], node)
        closings = (
            index for index, statement in enumerate(rest) if closes_resource(statement, name, closers)
        )
        end = next(closings, 0)
        risk = first_risk(rest[:end])
        uses = self._uses(function, name)
        if risk is not None and uses.are_local(closers, 1):
            message = f'"{name}" from {opener}() stays open if {leaving(risk)}'
            self.report(self.module.span(call), f"{message}; close it in a finally")
        elif not end and opener not in MAY_STAY and uses.are_local(closers, 0):
            message = f'"{name}" from {opener}() is never closed; use with'
            self.report(self.module.span(call), message, severity=Severity.INFO)

    def _uses(self, function: FunctionNode, name: str) -> ResourceUses:
        return ResourceUses(self.module, self.callees, function, name)

    def _check_pool_resource(
        self, node: ast.Assign, call: ast.Call, name: str, function: FunctionNode
    ) -> None:
        """Report a resource that must be returned to its pool."""
        borrower = last_name(call.func)
        methods = [inner for inner in calls_in(function) if called_method(inner) in LENT[borrower]]
        releases = [inner for inner in methods if acts_on(inner, name)]
        if not releases and borrower == "getconn" and self._uses(function, name).are_member_accesses():
            self.report(self.module.span(call), f'"{name}" is never returned to the pool')
        self._check_release(node, call, name, releases)

    def _check_release(
        self, node: ast.stmt, call: ast.Call, name: str, releases: Sequence[ast.Call], state: str = "taken"
    ) -> None:
        """Report a resource that is released later at one position that an error skips."""
        if len(releases) != 1:
            return
        rest = statements_after(self.module.parents[node], node)
        last = self.module.parents[releases[0]]
        last = self.module.parents[last] if isinstance(last, ast.Await) else last
        if last not in rest:
            return
        risk = first_risk(rest[: rest.index(last)])
        if risk is not None:
            undone = f"{unparse(releases[0].func)}() is not in a finally"
            self.report(self.module.span(call), f'"{name}" stays {state} if {leaving(risk)}: {undone}')

    def _undoes_making(self, call: ast.Call, created: str) -> bool:
        return self.module.imported_name(call.func) in MADE[created]

    def _opener(self, call: ast.Call) -> str | None:
        """Return the name of the function with which a call opens something."""
        opener = self._named_opener(call)
        if opener:
            return opener
        return self._opened_elsewhere(call) if self.source.is_added(call.lineno) else None

    def _named_opener(self, call: ast.Call) -> str:
        """Return the opener if the call is a direct call of it; empty if it is not."""
        if is_named(call.func, "open"):
            return "open"
        name = self.module.imported_name(call.func) or ""
        if name in OPENERS:
            return name
        is_path = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
        return "open" if is_path and self._is_path(call.func) else ""

    def _opened_elsewhere(self, call: ast.Call) -> str | None:
        """Return the opener of a resource that a function of the module opens and returns."""
        result = self.callees.definition_of(call)
        if result is None or result.path != self.source.path or not isinstance(result.node, FunctionNode):
            return None
        if result.node.decorator_list:
            return None
        returns = [node.value for node in nodes_run_by(result.node.body) if isinstance(node, ast.Return)]
        openers = {self._direct_opener(value) for value in returns}
        return None if "" in openers else next(iter(openers), None)

    def _direct_opener(self, value: ast.expr | None) -> str:
        """Return the opener of a value that is returned as it is opened."""
        call = strip_await(value)
        return self._named_opener(call) if isinstance(call, ast.Call) else ""

    def _is_path(self, func: ast.expr) -> bool:
        """Return True if ``open`` is the method of a path, by the value or the name of its receiver."""
        assert isinstance(func, ast.Attribute)
        if not isinstance(func.value, ast.Name):
            return False
        name = func.value.id
        if self._annotation(func, name) in ("Path", "pathlib.Path"):
            return True
        return any(self._creates_path(value) for value in self.module.assigned.get(name, []))

    def _annotation(self, node: ast.AST, parameter: str) -> str:
        """Return the annotation of a parameter of the function around a node; empty if there is none."""
        function = self.module.function_of(node)
        parameters = function.args.args if isinstance(function, FunctionNode) else []
        annotations = (argument.annotation for argument in parameters if argument.arg == parameter)
        return next((unparse(annotation) for annotation in annotations if annotation is not None), "")

    def _creates_path(self, value: ast.expr) -> bool:
        if isinstance(value, ast.BinOp):
            return isinstance(value.op, ast.Div)
        return isinstance(value, ast.Call) and self.module.imported_name(value.func) == "pathlib.Path"


def _unwrap_path(call: ast.Call) -> ast.Call:
    """Return the call inside ``Path(...)``, if that only converts a string to a path."""
    inner = call.args[0] if len(call.args) == 1 and last_name(call.func) == "Path" else call
    return inner if isinstance(inner, ast.Call) else call


def _closers(opener: str) -> frozenset[str]:
    """Return the methods that close a resource; ``shutdown`` of a socket closes nothing."""
    return ENDERS if opener.endswith(("Executor", "Pool")) else CLOSERS
