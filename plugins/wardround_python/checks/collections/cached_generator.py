"""PY075."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround_python.check import PythonCheck

_CACHES = frozenset({"functools.lru_cache", "functools.cache", "functools.cached_property"})


class CachedGenerator(PythonCheck):
    """A cache keeps something that can be used once: a generator or a coroutine.

    The second caller gets the same object, already used up: an empty loop, or RuntimeError for a
    coroutine that is awaited again. Cache a list, or use a cache made for coroutines.
    """

    ID = "PY075"
    NAME = "cached-generator"
    WORDS = ("lru_cache", "cache", "cached_property")
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "cached-iterator"
    TRIED_ON = "thirty-four trees of 600,000 lines, tests left out: 4, right"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import functools\n@functools.cache\ndef f(x):\n    return [y for y in x]\n",
        "import functools\n@functools.cache\ndef f(x):\n    def g():\n        yield x\n"
        "    return list(g())\n",
        "from async_lru import lru_cache\n@lru_cache\nasync def f(x):\n    return 1\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import functools\n@functools.lru_cache(maxsize=9)\ndef f(n):\n    for i in n:\n"
            "        yield i\n",
            2,
            2,
        ),
        Invalid("from functools import cache\n@cache\nasync def f(k):\n    return await g(k)\n", 2, 2),
        Invalid("from functools import cache\n@cache\ndef f(k):\n    return (x for x in k)\n", 2, 2),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        cached = self._cache_of(node)
        if cached is None:
            return
        for one in nodes_run_by(node.body):
            if isinstance(one, (ast.Yield, ast.YieldFrom)):
                self.report(
                    self.module.span(cached), "a generator is kept: the second caller finds it used up"
                )
                return
            if isinstance(one, ast.Return) and isinstance(one.value, ast.GeneratorExp):
                self.report(
                    self.module.span(cached), "a generator is kept: the second caller finds it used up"
                )
                return

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        cached = self._cache_of(node)
        if cached is not None:
            self.report(
                self.module.span(cached), "a coroutine is kept: awaiting it a second time raises RuntimeError"
            )

    def _cache_of(self, node: FunctionNode) -> ast.expr | None:
        for one in node.decorator_list:
            named = one.func if isinstance(one, ast.Call) else one
            if self.module.imported_name(named) in _CACHES:
                return one
        return None
