"""PY445."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name, names_in, nodes_run_by
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CACHE = LazyPattern(
    r"(?i)(?:^|_|\.)(?:\w*cached?|redis\w*|memo(?:ized)?|memcached?)(?:_?(?:client|conn|backend|store))?$"
)
_KEEPS = {"set": 1, "setex": 2, "set_json": 1, "put": 1, "aset": 1, "add": 1, "store": 1}
_READS = frozenset({"get", "aget", "get_json", "fetch"})
_NO_DIFFERENCE = LazyPattern(
    r"(?i)self|cls|_.*|.*(?:session|db|client|conn(?:ection)?|cursor|app|settings|config|logger|log|timeout|force\w*"
    r"|refresh\w*|reload|ttl|expir\w*|cache\w*|max_age|request|context|ctx|info|loop|executor|http|api|factory"
    r"|func|fn|callback|loader|now|manager|service|retries|verbose|args|kwargs|token|secret|password)"
)
"""Parameters that say how something is got, not which."""


class IncompleteCacheKey(PythonCheck):
    """A result is kept under a key that does not name the argument it was made from.

    Whoever asks next, for another one, gets the answer of the first: the wrong customer's, country's or
    page's. Put into the key whatever the value depends on.
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
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        parameters = {one.arg for one in every if not _NO_DIFFERENCE.fullmatch(one.arg)}
        if not parameters:
            return
        asked = {(ast.unparse(owner), ast.unparse(key)): key for owner, key in reversed([*_asked(node)])}
        made = _made_from(node) if asked else {}
        for owner, key, value, by_call in _kept(node) if asked else ():
            read = asked.get((ast.unparse(owner), ast.unparse(key)))
            if read is None or (isinstance(owner, ast.Name) and owner.id in made):
                continue
            missing = (_reached(value, made) - _reached(key, made)) & parameters
            if self._is_fixed(key, made):
                missing -= {value.id} if isinstance(value, ast.Name) else set()
            else:
                missing &= set(_chosen(given)) if by_call else set()
            if missing:
                told = " and ".join(sorted(missing))
                message = f"what is kept under this key is made from {told}, which it does not name"
                self.report(self.module.span(read), message)
                return

    def _is_fixed(self, key: ast.expr, made: dict[str, set[str]]) -> bool:
        """Whether a key is the same whenever the function is called."""
        if isinstance(key, ast.Attribute):
            return key.attr.isupper()
        return not isinstance(key, ast.Call) and _reached(key, made) - set(made) <= self._fixed

    @cached_property
    def _fixed(self) -> frozenset[str]:
        """The names that the module gives a value at its top."""
        given = (one.targets for one in self.module.tree.body if isinstance(one, ast.Assign))
        names = {one.id for targets in given for one in targets if isinstance(one, ast.Name)}
        imported = {name for name in self.module.imported if name.isupper()}
        return frozenset(names | imported)


def _chosen(given: ast.arguments) -> Iterator[str]:
    """The parameters with a number, a text or a truth as their default: they choose among results."""
    plain = [*given.posonlyargs, *given.args]
    pairs = [*zip(plain[::-1], given.defaults[::-1], strict=False)]
    for one, value in [*pairs, *zip(given.kwonlyargs, given.kw_defaults, strict=True)]:
        if isinstance(value, ast.Constant) and value.value is not None:
            yield one.arg


def _asked(node: FunctionNode) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The caches that are asked, with the key."""
    for one in nodes_run_by(node.body):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.args:
            if one.func.attr in _READS and _is_cache(one.func.value):
                yield one.func.value, one.args[0]
        elif (
            isinstance(one, ast.Compare)
            and isinstance(one.ops[0], (ast.In, ast.NotIn))
            and _is_cache(one.comparators[0])
        ):
            yield one.comparators[0], one.left


def _kept(node: FunctionNode) -> Iterator[tuple[ast.expr, ast.expr, ast.expr, bool]]:
    """What is put into caches: the cache, the key, the value, and whether by a call."""
    for one in nodes_run_by(node.body):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            place = _KEEPS.get(one.func.attr, 99)
            if place < len(one.args) and _is_cache(one.func.value):
                yield one.func.value, one.args[0], one.args[place], True
        elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Subscript):
            target = one.targets[0]
            if _is_cache(target.value):
                yield target.value, target.slice, one.value, False


def _is_cache(node: ast.expr) -> bool:
    return _CACHE.search(last_name(node)) is not None


def _made_from(node: FunctionNode) -> dict[str, set[str]]:
    """Name -> the names its values are made from, one step."""
    made: dict[str, set[str]] = {}
    for one in nodes_run_by(node.body):
        if isinstance(one, ast.Assign):
            pairs = [(target, one.value) for target in one.targets]
        elif isinstance(one, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and one.value is not None:
            pairs = [(one.target, one.value)]
        elif isinstance(one, (ast.For, ast.AsyncFor, ast.comprehension)):
            pairs = [(one.target, one.iter)]
        elif isinstance(one, ast.withitem) and one.optional_vars is not None:
            pairs = [(one.optional_vars, one.context_expr)]
        else:
            continue
        for target, value in pairs:
            for name in (
                n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            ):
                made.setdefault(name, set()).update(names_in(value))
    return made


def _reached(value: ast.expr, made: dict[str, set[str]]) -> set[str]:
    """Every name a value is made from."""
    found: set[str] = set()
    stack = list(names_in(value))
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack += made.get(name, ())
    return found
