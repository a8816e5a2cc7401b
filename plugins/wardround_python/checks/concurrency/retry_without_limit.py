"""PY017: retry without limit."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import msgspec

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class _Library(msgspec.Struct, frozen=True):
    """How the retry of a library is limited.

    Attributes:
        ends: the keywords that limit it.
        ends_at: the number of positional arguments from which one of them is a limit.
        endless_by_itself: True if it has no limit without these keywords.
    """

    ends: frozenset[str]
    ends_at: int = 99
    endless_by_itself: bool = True


_TENACITY = _Library(frozenset({"stop"}), 2)
_BACKOFF = _Library(frozenset({"max_tries", "max_time"}))
_LIBRARIES: Mapping[str, _Library] = {
    "tenacity.retry": _TENACITY,
    "tenacity.Retrying": _TENACITY,
    "tenacity.AsyncRetrying": _TENACITY,
    "tenacity.asyncio.AsyncRetrying": _TENACITY,
    "backoff.on_exception": _BACKOFF,
    "backoff.on_predicate": _BACKOFF,
    "retrying.retry": _Library(frozenset({"stop_max_attempt_number", "stop_max_delay", "stop_func", "stop"})),
    "retry.retry": _Library(frozenset({"tries"}), 2),
    "retry.retry_call": _Library(frozenset({"tries"}), 5),
    "retry.api.retry_call": _Library(frozenset({"tries"}), 5),
    "retry.api.retry": _Library(frozenset({"tries"}), 2),
    "stamina.retry": _Library(frozenset({"attempts", "timeout"}), endless_by_itself=False),
    "stamina.retry_context": _Library(frozenset({"attempts", "timeout"}), endless_by_itself=False),
    "redis.retry.Retry": _Library(frozenset({"retries"}), endless_by_itself=False),
}
# Decorators of task queues, which have a default limit.
_TASK_DECORATORS = frozenset({"task", "shared_task", "periodic_task", "actor", "retry"})
_ENDLESS_NAMES = frozenset({"math.inf", "sys.maxsize", "tenacity.stop_never", "tenacity.stop.stop_never"})
_WORDS = ("tenacity", "backoff", "retry", "stamina", "max_retries")


class RetryWithoutLimit(PythonCheck):
    """A retry is configured without a limit.

    Without a stop condition this library retries forever. If the service stays down, the caller never
    gets a result, and workers pile up behind it. Set a number of attempts or a time limit.
    """

    ID = "PY017"
    NAME = "retry-without-limit"
    MATURITY = Maturity.PREVIEW
    WORDS = _WORDS
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "unbounded-retry"
    VALID = [
        code("""
            from tenacity import retry, stop_after_attempt
            @retry(stop=stop_after_attempt(3))
            def f(): ...
        """),
        code("""
            import tenacity
            for attempt in tenacity.Retrying(**OPTIONS):
                pass
        """),
    ]
    INVALID = [
        code("""
            from tenacity import retry, wait_fixed
            @«retry»(
                wait=wait_fixed(2),
            )
            def f(): ...
        """),
        code("""
            import tenacity
            class A:
                @«tenacity.retry»
                async def f(self): ...
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_decorators(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_decorators(node)

    def _check_decorators(self, node: FunctionNode) -> None:
        """Check the decorators without parentheses; the others are calls."""
        for decorator in node.decorator_list:
            library = _LIBRARIES.get(self.module.imported_name(decorator) or "")
            if library is not None and library.endless_by_itself:
                self._report(decorator, library)

    def visit_Call(self, node: ast.Call) -> None:
        library = _LIBRARIES.get(self.module.imported_name(node.func) or "")
        if library is not None:
            if self._is_endless(node, library):
                self._report(node.func, library)
        elif self._removes_limit(node):
            self.report(self.module.span(node.func), "this task is retried forever; set max_retries")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if not any((self.module.dotted(base) or "").endswith("Task") for base in node.bases):
            return
        for statement in node.body:
            if isinstance(statement, ast.Assign) and unparse(statement) == "max_retries = None":
                span = self.module.span(statement)
                self.report(span, f'"{node.name}" is retried forever; set max_retries')

    def _report(self, node: ast.expr, library: _Library) -> None:
        ends = " or ".join(f"{name}=" for name in sorted(library.ends))
        self.report(self.module.span(node), f"{unparse(node)} retries forever; set {ends}")

    def _is_endless(self, node: ast.Call, library: _Library) -> bool:
        options = {keyword.arg: keyword.value for keyword in node.keywords}
        if None in options or any(isinstance(argument, ast.Starred) for argument in node.args):
            return False
        if len(node.args) >= library.ends_at:
            return False
        ends = [value for name, value in options.items() if name in library.ends]
        is_unlimited = all(map(self._is_unlimited, ends))
        return is_unlimited and (library.endless_by_itself or 0 < len(ends) == len(library.ends))

    def _removes_limit(self, node: ast.Call) -> bool:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        options: list[tuple[object, ast.expr]] = []
        for keyword in node.keywords if name in _TASK_DECORATORS else ():
            options.append((keyword.arg, keyword.value))
            if keyword.arg == "retry_kwargs" and isinstance(keyword.value, ast.Dict):
                pairs = zip(keyword.value.keys, keyword.value.values, strict=True)
                options += [(getattr(key, "value", None), value) for key, value in pairs]
        return any(key == "max_retries" and self._is_unlimited(value) for key, value in options)

    def _is_unlimited(self, value: ast.expr) -> bool:
        """Return True if a limit is none: None, a negative number or infinity."""
        if isinstance(value, ast.Constant):
            return value.value is None
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
            return isinstance(value.operand, ast.Constant)
        if unparse(value) == "float('inf')":
            return True
        return self.module.imported_name(value) in _ENDLESS_NAMES
