"""PY044."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_ENDS = LazyPattern(
    r"_*(a?close|shutdown|shut_down|stop|cleanup|clean_up|teardown|cancel|drain|dispose|exit"
    r"|__a?exit__)(_\w+)?"
)
_POOL_NAME = LazyPattern(r"\w*(pool|executor|workers)", re.IGNORECASE)
_POOLS = LazyPattern(r"concurrent\.futures\.\w*Executor|multiprocessing\.(pool\.)?(Thread)?Pool")
_RETRIES = ("tenacity.", "backoff.")


class DiscardedError(PythonCheck):
    """Something can fail here and nobody will learn of it.

    ``gather(..., return_exceptions=True)`` hands errors over as results, a future keeps its error until it
    is asked, and a retry that gives a default at the end says that all went well. Look at the results, log
    what failed, or let it raise.
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
            self._look_at_gather(node)
        elif name in ("concurrent.futures.wait", "asyncio.wait"):
            self._look_at_wait(node, name)
        elif name.startswith(_RETRIES):
            self._look_at_retry(node)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in (
            "submit",
            "map",
            "apply_async",
            "map_async",
        ):
            self._look_at_pool(node, node.func)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._look_at_exit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at_exit(node)

    def _look_at_gather(self, node: ast.Call) -> None:
        if not any(
            k.arg == "return_exceptions" and getattr(k.value, "value", None) is True for k in node.keywords
        ):
            return
        waited = self.module.parents[node]
        scope = self.module.function_of(node)
        if (
            not isinstance(waited, ast.Await)
            or not isinstance(scope, FunctionNode)
            or self._ends_things(scope)
        ):
            return
        kept = self.module.parents[waited]
        if isinstance(kept, ast.Expr):
            self.report(
                self.module.span(node), "errors of these come back as results, and the results are dropped"
            )
        elif isinstance(kept, ast.Assign) and isinstance(kept.targets[0], ast.Name):
            name = kept.targets[0].id
            if not self._asks_for_errors(scope) and not self._hands_on(scope, name):
                self.report(
                    self.module.span(node),
                    f'errors of these come back in "{name}", and nothing looks for them',
                )

    def _ends_things(self, scope: FunctionNode) -> bool:
        """Whether the function winds up what was cancelled or is to stop."""
        cancels = any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "cancel"
            for n in walk(scope)
        )
        return cancels or _ENDS.fullmatch(scope.name) is not None

    def _asks_for_errors(self, scope: FunctionNode) -> bool:
        text = ast.unparse(scope)
        return (
            "isinstance(" in text or "Exception" in text.replace("return_exceptions", "") or "Error" in text
        )

    def _hands_on(self, scope: FunctionNode, name: str) -> bool:
        """Whether the results go on as a whole, to somebody who may look."""
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

    def _look_at_wait(self, node: ast.Call, name: str) -> None:
        statement = self.module.parents[node]
        statement = self.module.parents[statement] if isinstance(statement, ast.Await) else statement
        scope = self.module.function_of(node)
        if (
            not isinstance(statement, ast.Expr)
            or not isinstance(scope, FunctionNode)
            or self._ends_things(scope)
        ):
            return
        asked = any(
            isinstance(n, ast.Attribute) and n.attr in ("result", "exception", "add_done_callback")
            for n in walk(scope)
        )
        if not asked and scope.name != "wait":
            self.report(self.module.span(node), "these may have failed, and nothing asks for their results")

    def _look_at_retry(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg == "retry_error_callback" and self._gives_constant(keyword.value):
                self.report(
                    self.module.span(keyword),
                    "after the last attempt a default is returned as if all went well",
                )
            elif keyword.arg == "raise_on_giveup" and getattr(keyword.value, "value", None) is False:
                self.report(
                    self.module.span(keyword), "after the last attempt None is returned as if all went well"
                )

    def _gives_constant(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Lambda):
            return not any(isinstance(n, (ast.Call, ast.Name)) for n in walk(value.body)) or _is_empty_made(
                value.body
            )
        if not isinstance(value, ast.Name):
            return False
        named = [n for n in self.module.tree.body if isinstance(n, ast.FunctionDef) and n.name == value.id]
        return len(named) == 1 and all(
            isinstance(s, (ast.Pass, ast.Return)) and not any(isinstance(n, ast.Call) for n in walk(s))
            for s in named[0].body
        )

    def _look_at_pool(self, node: ast.Call, func: ast.Attribute) -> None:
        """Work handed to a pool whose future, with the error in it, is dropped."""
        if not isinstance(self.module.parents[node], ast.Expr) or not self._is_pool(func.value):
            return
        if any(k.arg in ("callback", "error_callback") for k in node.keywords) or self._looks_after_itself(
            node
        ):
            return
        self.report(
            self.module.span(node),
            f"{ast.unparse(func)}() gives the error with the result, and the result is dropped",
            severity=Severity.INFO,
        )

    def _is_pool(self, value: ast.expr) -> bool:
        if not _POOL_NAME.fullmatch(ast.unparse(value).rpartition(".")[2]):
            return ast.unparse(value) in self._pools
        return True

    @cached_property
    def _pools(self) -> set[str]:
        """What the module makes pools, as it is written."""
        found: set[str] = set()
        for node in self.module.nodes:
            if isinstance(node, ast.withitem) and node.optional_vars is not None:
                pairs = [(node.optional_vars, node.context_expr)]
            elif isinstance(node, ast.Assign):
                pairs = [(target, node.value) for target in node.targets]
            else:
                continue
            for target, made in pairs:
                if isinstance(made, ast.Call) and _POOLS.fullmatch(
                    self.module.imported_name(made.func) or ""
                ):
                    found.add(ast.unparse(target))
        return found

    def _looks_after_itself(self, node: ast.Call) -> bool:
        """Whether the function handed over handles its errors, or is not known."""
        given = node.args[0] if node.args else None
        if not isinstance(given, (ast.Name, ast.Attribute)):
            return True
        found = self.callees.definition_of(ast.copy_location(self._call_of(given, node), node))
        if found is None or isinstance(found.node, ast.ClassDef):
            return isinstance(given, ast.Attribute)
        return any(isinstance(n, ast.Try) for n in nodes_run_by(found.node.body))

    def _call_of(self, given: ast.expr, node: ast.Call) -> ast.Call:
        call = ast.Call(given, [], [])
        self.module.parents[call] = self.module.parents[node]
        return call

    def _look_at_exit(self, node: FunctionNode) -> None:
        if node.name not in ("__exit__", "__aexit__") or self.module.class_of(node) is None:
            return
        given = [a.arg for a in node.args.args[1:]]
        used = {n.id for n in nodes_run_by(node.body) if isinstance(n, ast.Name)} & set(given)
        last = node.body[-1]
        yes = (
            isinstance(last, ast.Return) and isinstance(last.value, ast.Constant) and last.value.value is True
        )
        if yes and not used and node.args.vararg is None:
            self.report(self.module.span(last), "this swallows every exception of the block, whatever it is")


def _is_empty_made(value: ast.expr) -> bool:
    made = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
    return made and not value.args and value.func.id in ("dict", "list", "set", "tuple")  # type: ignore[attr-defined]
