from __future__ import annotations

import ast

from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_CACHES = frozenset({"functools.lru_cache", "functools.cache", "functools.cached_property"})


class CachedGenerator(PythonCheck):
    """A cache stores a generator or a coroutine, which can be used only once.

    The second caller receives the same object, already exhausted: an empty loop, or RuntimeError for a
    coroutine that is awaited again. Cache a list, or use a cache made for coroutines.
    """

    ID = "PY075"
    NAME = "cached-generator"
    WORDS = ("lru_cache", "cache", "cached_property")
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "cached-iterator"
    VALID = [
        code("""
            import functools
            @functools.cache
            def f(x):
                return [y for y in x]
        """),
        code("""
            import functools
            @functools.cache
            def f(x):
                def g():
                    yield x
                return list(g())
        """),
    ]
    INVALID = [
        code("""
            import functools
            @«functools.lru_cache(maxsize=9)»
            def f(n):
                for i in n:
                    yield i
        """),
        code("""
            from functools import cache
            @«cache»
            async def f(k):
                return await g(k)
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        cached = self._cache_of(node)
        if cached is None:
            return
        for child in nodes_run_by(node.body):
            if isinstance(child, (ast.Yield, ast.YieldFrom)):
                self.report(
                    self.module.span(cached),
                    "a generator is cached and is exhausted for the second caller; cache a list",
                )
                return
            if isinstance(child, ast.Return) and isinstance(child.value, ast.GeneratorExp):
                self.report(
                    self.module.span(cached),
                    "a generator is cached and is exhausted for the second caller; cache a list",
                )
                return

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        cached = self._cache_of(node)
        if cached is not None:
            self.report(
                self.module.span(cached),
                "a coroutine is cached and cannot be awaited twice; cache its result",
            )

    def _cache_of(self, node: FunctionNode) -> ast.expr | None:
        for child in node.decorator_list:
            decorator_name = child.func if isinstance(child, ast.Call) else child
            if self.module.imported_name(decorator_name) in _CACHES:
                return child
        return None
