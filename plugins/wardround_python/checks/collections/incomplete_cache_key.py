"""PY445: incomplete cache key."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name, names_in, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CACHE = LazyPattern(
    r"(?i)(?:^|_|\.)(?:\w*cached?|redis\w*|memo(?:ized)?|memcached?)(?:_?(?:client|conn|backend|store))?$"
)
_WRITE_METHODS = {"set": 1, "setex": 2, "set_json": 1, "put": 1, "aset": 1, "add": 1, "store": 1}
_READ_METHODS = frozenset({"get", "aget", "get_json", "fetch"})
_IRRELEVANT = LazyPattern(
    r"(?i)self|cls|_.*|.*(?:session|db|client|conn(?:ection)?|cursor|app|settings|config|logger|log|timeout|force\w*"
    r"|refresh\w*|reload|ttl|expir\w*|cache\w*|max_age|request|context|ctx|info|loop|executor|http|api|factory"
    r"|func|fn|callback|loader|now|manager|service|retries|verbose|args|kwargs|token|secret|password)"
)
"""Parameters that determine how a result is obtained, not which result."""


class _Write(NamedTuple):
    """A write to a cache."""

    owner: ast.expr
    key: ast.expr
    value: ast.expr
    is_call: bool


class IncompleteCacheKey(PythonCheck):
    """A result is cached under a key that omits an argument it depends on.

    The next caller, with another argument, receives the first caller's result: the wrong customer's,
    country's or page's. Include every value the result depends on in the key.
    """

    ID = "PY445"
    MATURITY = Maturity.PREVIEW
    WORDS = ("cache", "Cache", "CACHE", "redis", "Redis", "memo", "Memo")
    NAME = "incomplete-cache-key"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "cache-key"
    OFF = "the one place it names in 34,000 files of real projects is wrong"
    VALID = [
        code("""
            from django.core.cache import cache

            def rates(country):
                key = f'rates-{country}'
                found = cache.get(key)
                if found is None:
                    found = load(country)
                    cache.set(key, found, 60)
                return found
        """),
        code("""
            from django.core.cache import cache

            def rates(country):
                found = cache.get('rates')
                if found is None:
                    found = load()
                    cache.set('rates', found, 60)
                return found[country]
        """),
    ]
    INVALID = [
        code("""
            from django.core.cache import cache

            def rates(country):
                found = cache.get(«'rates'»)
                if found is None:
                    found = load(country)
                    cache.set('rates', found, 60)
                return found
        """),
        code("""
            _cache = {}

            def shape(kind):
                if «'shape'» not in _cache:
                    _cache['shape'] = build(kind)
                return _cache['shape']
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        signature = node.args
        every_parameter = (*signature.posonlyargs, *signature.args, *signature.kwonlyargs)
        parameters = {item.arg for item in every_parameter if not _IRRELEVANT.fullmatch(item.arg)}
        reads = {(unparse(owner), unparse(key)): key for owner, key in reversed([*_reads(node)])}
        if not parameters or not reads:
            return
        sources = _sources(node)
        for write in _writes(node):
            read = reads.get((unparse(write.owner), unparse(write.key)))
            if read is None or (isinstance(write.owner, ast.Name) and write.owner.id in sources):
                continue
            missing = self._missing(write, sources, set(_selecting(signature))) & parameters
            if missing:
                message = f"the cached value depends on {' and '.join(sorted(missing))}, which this key omits"
                self.report(self.module.span(read), f"{message}; add it to the key")
                return

    def _missing(self, write: _Write, sources: dict[str, set[str]], selecting: set[str]) -> set[str]:
        """Return the names the value depends on and the key does not."""
        missing = _dependencies(write.value, sources) - _dependencies(write.key, sources)
        if self._is_fixed(write.key, sources):
            return missing - ({write.value.id} if isinstance(write.value, ast.Name) else set())
        return missing & selecting if write.is_call else set()

    def _is_fixed(self, key: ast.expr, sources: dict[str, set[str]]) -> bool:
        """Return True if a key is the same at every call of the function."""
        if isinstance(key, ast.Attribute):
            return key.attr.isupper()
        return not isinstance(key, ast.Call) and _dependencies(key, sources) - set(sources) <= self._fixed

    @cached_property
    def _fixed(self) -> frozenset[str]:
        """Names that the module assigns at its top level."""
        assigned = (
            statement.targets for statement in self.module.tree.body if isinstance(statement, ast.Assign)
        )
        names = {target.id for targets in assigned for target in targets if isinstance(target, ast.Name)}
        imported = {name for name in self.module.imported if name.isupper()}
        return frozenset(names | imported)


def _selecting(signature: ast.arguments) -> Iterator[str]:
    """Yield the parameters whose default is a number, string or bool: they select among results."""
    plain = [*signature.posonlyargs, *signature.args]
    pairs = [*zip(plain[::-1], signature.defaults[::-1], strict=False)]
    for one, value in [*pairs, *zip(signature.kwonlyargs, signature.kw_defaults, strict=True)]:
        if isinstance(value, ast.Constant) and value.value is not None:
            yield one.arg


def _reads(node: FunctionNode) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the caches that are read, with the key."""
    for child in nodes_run_by(node.body):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.args:
            if child.func.attr in _READ_METHODS and _is_cache(child.func.value):
                yield child.func.value, child.args[0]
        elif (
            isinstance(child, ast.Compare)
            and isinstance(child.ops[0], (ast.In, ast.NotIn))
            and _is_cache(child.comparators[0])
        ):
            yield child.comparators[0], child.left


def _writes(node: FunctionNode) -> Iterator[_Write]:
    """Yield the writes to caches."""
    for child in nodes_run_by(node.body):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            position = _WRITE_METHODS.get(child.func.attr, 99)
            if position < len(child.args) and _is_cache(child.func.value):
                yield _Write(child.func.value, child.args[0], child.args[position], is_call=True)
        elif isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Subscript):
            target = child.targets[0]
            if _is_cache(target.value):
                yield _Write(target.value, target.slice, child.value, is_call=False)


def _is_cache(node: ast.expr) -> bool:
    return _CACHE.search(last_name(node)) is not None


def _sources(node: FunctionNode) -> dict[str, set[str]]:
    """Return name -> the names its values are computed from, one step."""
    sources: dict[str, set[str]] = {}
    for child in nodes_run_by(node.body):
        for target, value in _bindings(child):
            for name in _stored_names(target):
                sources.setdefault(name, set()).update(names_in(value))
    return sources


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield target and value of each binding that a node makes."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def _stored_names(target: ast.expr) -> Iterator[str]:
    return (n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _dependencies(value: ast.expr, sources: dict[str, set[str]]) -> set[str]:
    """Return every name a value is computed from."""
    found: set[str] = set()
    stack = list(names_in(value))
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack += sources.get(name, ())
    return found
