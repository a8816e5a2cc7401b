"""PY044: discarded error."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_SHUTDOWN = LazyPattern(
    r"_*(a?close|shutdown|shut_down|stop|cleanup|clean_up|teardown|cancel|drain|dispose|exit"
    r"|__a?exit__)(_\w+)?"
)
_POOL_NAME = LazyPattern(r"\w*(pool|executor|workers)", re.IGNORECASE)
_POOLS = LazyPattern(r"concurrent\.futures\.\w*Executor|multiprocessing\.(pool\.)?(Thread)?Pool")
_RETRIES = ("tenacity.", "backoff.")


class DiscardedError(PythonCheck):
    """An error is discarded without anyone seeing it.

    ``gather(..., return_exceptions=True)`` returns exceptions as results, a future stores its exception
    until it is read, and a retry with a final default signals success. Check the results, log the
    failures, or let them raise.
    """

    ID = "PY044"
    NAME = "discarded-error"
    MATURITY = Maturity.PREVIEW
    WORDS = (
        "return_exceptions",
        "retry_error_callback",
        "raise_on_giveup",
        "__exit__",
        "__aexit__",
        "futures",
        "Pool",
    )
    DEFECT_CLASS = "swallowed-exception"
    VALID = [
        code("""
            import asyncio
            async def f(jobs):
                for one in await asyncio.gather(*jobs, return_exceptions=True):
                    if isinstance(one, Exception):
                        log.error(one)
        """),
        code("""
            import asyncio
            async def stop(self):
                for task in self.tasks:
                    task.cancel()
                await asyncio.gather(*self.tasks, return_exceptions=True)
        """),
    ]
    INVALID = [
        code("""
            import asyncio
            async def f(jobs):
                await «asyncio.gather(*jobs, return_exceptions=True)»
        """),
        code("""
            import asyncio
            async def f(jobs):
                rows = await «asyncio.gather(*jobs, return_exceptions=True)»
                return [row for row in rows if row]
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name in ("asyncio.gather", "asyncio.tasks.gather"):
            self._check_gather(node)
        elif name in ("concurrent.futures.wait", "asyncio.wait"):
            self._check_wait(node, name)
        elif name.startswith(_RETRIES):
            self._check_retry(node)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in (
            "submit",
            "map",
            "apply_async",
            "map_async",
        ):
            self._check_pool(node, node.func)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_exit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_exit(node)

    def _check_gather(self, node: ast.Call) -> None:
        if not _returns_exceptions(node):
            return
        awaited = self.module.parents[node]
        scope = self.module.function_of(node)
        if not isinstance(awaited, ast.Await) or not isinstance(scope, FunctionNode):
            return
        user = self.module.parents[awaited]
        message = None
        if isinstance(user, ast.Expr):
            message = "exceptions are returned as results and dropped; check the results"
        elif isinstance(user, ast.Assign) and isinstance(user.targets[0], ast.Name):
            name = user.targets[0].id
            if not self._checks_for_errors(scope) and not self._passes_on(scope, name):
                message = (
                    f'exceptions are returned in "{name}" and nothing checks for them; check the results'
                )
        if message is not None and not self._is_shutdown(scope):
            self.report(self.module.span(node), message)

    def _is_shutdown(self, scope: FunctionNode) -> bool:
        """Return True if the function shuts down tasks that were cancelled or are to stop."""
        cancels = any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "cancel"
            for n in walk(scope)
        )
        return cancels or _SHUTDOWN.fullmatch(scope.name) is not None

    def _checks_for_errors(self, scope: FunctionNode) -> bool:
        text = unparse(scope)
        return (
            "isinstance(" in text or "Exception" in text.replace("return_exceptions", "") or "Error" in text
        )

    def _passes_on(self, scope: FunctionNode, name: str) -> bool:
        """Return True if the results are passed on to code that may check them."""
        for use in walk(scope):
            if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load):
                parent = self.module.parents[use]
                if isinstance(parent, (ast.Return, ast.keyword, ast.Starred, ast.Tuple, ast.Dict)):
                    return True
                if isinstance(parent, ast.Call) and getattr(parent.func, "id", "") not in (
                    "zip",
                    "enumerate",
                    "len",
                    "sum",
                    "list",
                ):
                    return True
        return False

    def _check_wait(self, node: ast.Call, name: str) -> None:
        statement = self.module.parents[node]
        statement = self.module.parents[statement] if isinstance(statement, ast.Await) else statement
        scope = self.module.function_of(node)
        if (
            not isinstance(statement, ast.Expr)
            or not isinstance(scope, FunctionNode)
            or self._is_shutdown(scope)
        ):
            return
        is_read = any(
            isinstance(n, ast.Attribute) and n.attr in ("result", "exception", "add_done_callback")
            for n in walk(scope)
        )
        if not is_read and scope.name != "wait":
            self.report(
                self.module.span(node),
                "these futures may have failed and their results are never read; read them",
            )

    def _check_retry(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg == "retry_error_callback" and self._returns_constant(keyword.value):
                self.report(
                    self.module.span(keyword),
                    "after the last attempt a default is returned as a success; let it raise",
                )
            elif keyword.arg == "raise_on_giveup" and getattr(keyword.value, "value", None) is False:
                self.report(
                    self.module.span(keyword),
                    "after the last attempt None is returned as a success; let it raise",
                )

    def _returns_constant(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Lambda):
            return _is_empty_collection(value.body) or not _contains(value.body, (ast.Call, ast.Name))
        if not isinstance(value, ast.Name):
            return False
        named = [n for n in self.module.tree.body if isinstance(n, ast.FunctionDef) and n.name == value.id]
        return len(named) == 1 and all(
            isinstance(statement, (ast.Pass, ast.Return)) and not _contains(statement, ast.Call)
            for statement in named[0].body
        )

    def _check_pool(self, node: ast.Call, func: ast.Attribute) -> None:
        """Report work submitted to a pool whose future, with its exception, is dropped."""
        if not isinstance(self.module.parents[node], ast.Expr) or not self._is_pool(func.value):
            return
        if any(k.arg in ("callback", "error_callback") for k in node.keywords) or self._handles_errors(node):
            return
        self.report(
            self.module.span(node),
            f"the future of {unparse(func)}() is dropped with its exception; keep and check it",
            severity=Severity.INFO,
        )

    def _is_pool(self, value: ast.expr) -> bool:
        if not _POOL_NAME.fullmatch(unparse(value).rpartition(".")[2]):
            return unparse(value) in self._pools
        return True

    @cached_property
    def _pools(self) -> set[str]:
        """Source texts of the names that the module binds to pools."""
        found: set[str] = set()
        for node in self.module.nodes:
            if isinstance(node, ast.withitem) and node.optional_vars is not None:
                pairs = [(node.optional_vars, node.context_expr)]
            elif isinstance(node, ast.Assign):
                pairs = [(target, node.value) for target in node.targets]
            else:
                continue
            for target, pool in pairs:
                if isinstance(pool, ast.Call) and _POOLS.fullmatch(
                    self.module.imported_name(pool.func) or ""
                ):
                    found.add(unparse(target))
        return found

    def _handles_errors(self, node: ast.Call) -> bool:
        """Return True if the submitted function handles its errors, or is unknown."""
        passed = node.args[0] if node.args else None
        if not isinstance(passed, (ast.Name, ast.Attribute)):
            return True
        found = self.callees.definition_of(ast.copy_location(self._call_of(passed, node), node))
        if found is None or isinstance(found.node, ast.ClassDef):
            return isinstance(passed, ast.Attribute)
        return any(isinstance(n, ast.Try) for n in nodes_run_by(found.node.body))

    def _call_of(self, passed: ast.expr, node: ast.Call) -> ast.Call:
        call = ast.Call(passed, [], [])
        self.module.parents[call] = self.module.parents[node]
        return call

    def _check_exit(self, node: FunctionNode) -> None:
        if node.name not in ("__exit__", "__aexit__") or self.module.class_of(node) is None:
            return
        parameters = {a.arg for a in node.args.args[1:]}
        last = node.body[-1]
        if not isinstance(last, ast.Return) or not is_true(last.value) or node.args.vararg is not None:
            return
        if not any(isinstance(n, ast.Name) and n.id in parameters for n in nodes_run_by(node.body)):
            self.report(
                self.module.span(last),
                "returning True suppresses every exception raised in the block; return None",
            )


def _is_empty_collection(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return False
    return not value.args and value.func.id in ("dict", "list", "set", "tuple")


def _returns_exceptions(call: ast.Call) -> bool:
    return any(k.arg == "return_exceptions" and is_true(k.value) for k in call.keywords)


def _contains(node: ast.AST, kinds: type[ast.AST] | tuple[type[ast.AST], ...]) -> bool:
    return any(isinstance(child, kinds) for child in walk(node))
