"""Calls that wait for something outside the process: a network, a child, a clock, a queue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

import msgspec

from wardround.change.repository_view import RepositoryView
from wardround.languages.python.literals import is_false
from wardround.languages.python.module import FunctionNode, PythonModule, nodes_run_by, targets_of
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround_python.analysis.call_resolution import CallResolver
from wardround_python.libraries.waiting_calls import BELOW, WAITING_CALLS, WAITING_METHODS, WAITING_ROOTS
from wardround_python.syntax.assignments import is_named
from wardround_python.syntax.calls import keyword_values

_POOL_NAME = LazyPattern(r"\w*(pool|executor|workers)", re.IGNORECASE)
_MOST_STEPS = 2
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_SAME_CALL = frozenset({"staticmethod", "classmethod", "override"})


class Wait(msgspec.Struct, frozen=True):
    """A call that waits.

    Attributes:
        description: the waiting call, as a message names it.
        kind: the type of the receiver, if it is a method.
        name: the dotted name of the function that waits itself, if one does.
    """

    description: str
    kind: str = ""
    name: str = ""

    @property
    def innermost(self) -> str:
        """The function at the end of the calls in the description."""
        caller, _, callee = self.description.partition("(), which calls ")
        return callee.removesuffix("(),") or caller.partition("()")[0]


@lru_cache(maxsize=64)
def _module_of(path: str, text: str) -> PythonModule | None:
    try:
        return PythonModule(path, text)
    except _UNREADABLE:
        return None


class WaitingCalls:
    """The waiting method calls of a module, by the types of its objects."""

    def __init__(self, module: PythonModule, project: RepositoryView | None = None) -> None:
        self._module = module
        self._project = project

    def of(self, node: ast.Call) -> Wait | None:
        """Return how a call waits by itself."""
        name = self._module.imported_name(node.func)
        if name in WAITING_CALLS:
            return Wait(f"{name}()", name=name or "")
        text = self.method_of(node)
        return None if text is None else Wait(text, text.partition("() of ")[2])

    def through(self, node: ast.Call, under_lock: bool = False, steps: int = _MOST_STEPS) -> Wait | None:
        """Return how the plain function of the project that a call reaches waits, in any module.

        Args:
            under_lock: exclude calls under a lock that the function takes itself.
        """
        if self._project is None or isinstance(self._module.parents[node], ast.Await):
            return None
        result = self._callees.definition_of(node)
        if result is None or not isinstance(result.node, ast.FunctionDef) or not _is_plain(result.node):
            return None
        reached = self._function_and_module(result.node, result.path)
        if reached is None:
            return None
        waiting, function = reached
        wait = waiting._first_wait(function, under_lock, steps)
        if wait is None:
            return None
        return Wait(f"{unparse(node.func)}(), which calls {wait.innermost}(),", wait.kind, wait.name)

    def _first_wait(self, function: ast.FunctionDef, under_lock: bool, steps: int) -> Wait | None:
        """Return how the first call of a function that waits does so."""
        for call in _calls_of(function):
            if under_lock and any(isinstance(parent, ast.With) for parent in self.within(call, function)):
                continue
            wait = self.of(call)
            if wait is None and steps > 1:
                wait = self.through(call, under_lock, steps - 1)
            if wait is not None:
                return wait
        return None

    def within(self, node: ast.AST, function: FunctionNode) -> Iterator[ast.AST]:
        """Return the ancestors of a node within its function."""
        for parent in self._module.ancestors(node):
            if parent is function:
                return
            yield parent

    def _function_and_module(
        self, function: ast.FunctionDef, path: str
    ) -> tuple[WaitingCalls, ast.FunctionDef] | None:
        """Return a function with the module that defines it, which resolves its names."""
        if path == self._module.path:
            return self, function
        assert self._project is not None
        text = self._project.read(path)
        module = _module_of(path, text) if text is not None and _may_contain_blocking_call(text) else None
        if module is None:
            return None
        same = [n for n in module.nodes if isinstance(n, ast.FunctionDef) and n.name == function.name]
        return (WaitingCalls(module, self._project), same[0]) if len(same) == 1 else None

    @cached_property
    def _callees(self) -> CallResolver:
        assert self._project is not None
        return CallResolver.of_module(self._module, self._project)

    def method_of(self, node: ast.Call) -> str | None:
        """Return the waiting method of an object whose type the module shows."""
        func = node.func
        if not isinstance(func, ast.Attribute) or isinstance(self._module.parents[node], ast.Await):
            return None
        if func.attr == "result" and self._is_submitted(func.value):
            return f"{unparse(func)}() of concurrent.futures.Future"
        kind = self._kind_below(func.value)
        if func.attr not in WAITING_METHODS.get(kind, frozenset()) or _has_wait_limit(node):
            return None
        return f"{unparse(func)}() of {kind}"

    def _kind_below(self, value: ast.expr) -> str:
        """Return the type of an object; for an attribute of an object that waits as a unit, its type."""
        kind = self._kind_of_name(value)
        below = value
        while not kind and isinstance(below, (ast.Attribute, ast.Subscript)):
            below = below.value
            kind = self._kind_of_name(below)
            kind = kind if kind in BELOW else ""
        return kind

    def _kind_of_name(self, value: ast.expr) -> str:
        kinds = self._kinds.get(unparse(value), frozenset())
        return next(iter(kinds)) if len(kinds) == 1 else ""

    def _is_submitted(self, value: ast.expr) -> bool:
        """Return True if a value is the future of a call submitted to a pool of threads or processes."""
        if isinstance(value, ast.Name):
            assigned = self._module.assigned.get(value.id, []) or self._iterated_constructors(value.id)
            value = assigned[0] if len(assigned) == 1 else value
        if not isinstance(value, ast.Call):
            return False
        name = self._module.imported_name(value.func)
        if is_named(value.func, "as_completed"):
            return name == "concurrent.futures.as_completed"
        if not isinstance(value.func, ast.Attribute):
            return False
        if name == "asyncio.run_coroutine_threadsafe":
            return True
        return value.func.attr == "submit" and self._is_pool(value.func.value)

    def _is_pool(self, node: ast.expr) -> bool:
        if "concurrent.futures" in self._kind_of_name(node):
            return True
        return _POOL_NAME.fullmatch(unparse(node).rpartition(".")[2]) is not None

    def _iterated_constructors(self, name: str) -> list[ast.expr]:
        """Return the constructors of the elements of a list that a loop iterates over under a name."""
        results: list[ast.expr] = []
        for node in self._module.nodes:
            if isinstance(node, (ast.For, ast.comprehension)) and unparse(node.target) == name:
                listed = node.iter
                if isinstance(listed, ast.Name):
                    value = self._module.assigned.get(listed.id, [])
                    listed = value[0] if len(value) == 1 else listed
                results.append(listed.elt if isinstance(listed, ast.ListComp) else listed)
        return results

    @cached_property
    def _kinds(self) -> dict[str, frozenset[str]]:
        """Map a name or attribute of self to its constructor or declared type, anywhere in the module."""
        result: dict[str, set[str]] = {}
        for node in self._module.nodes:
            for name, kind in self._bound_by(node):
                result.setdefault(name, set()).add(kind)
        for name, kinds in list(result.items()):
            passed_on = [kind.removeprefix("=") for kind in kinds if kind.startswith("=")]
            for origin in passed_on:
                result[name] = (kinds - {f"={origin}"}) | (result.get(origin, {"?"}) - {f"={name}"})
        return {name: frozenset(kinds) for name, kinds in result.items()}

    def _bound_by(self, node: ast.AST) -> Iterator[tuple[str, str]]:
        """Yield the names that a node binds, with the kinds of their values."""
        match node:
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                for target in targets_of(node):
                    yield unparse(target), self._kind_of(_constructor(value))
            case ast.withitem(optional_vars=ast.expr() as target):
                yield unparse(target), self._kind_of(_constructor(node.context_expr))
            case ast.arg():
                yield node.arg, self._kind_of(node.annotation) if node.annotation is not None else "?"
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                yield unparse(node.target), "?"

    def _kind_of(self, created: ast.expr) -> str:
        """Return the dotted name of an import, ``=name`` for another name of the module, else ``?``."""
        return self._module.imported_name(created) or (
            f"={created.id}" if isinstance(created, ast.Name) else "?"
        )


def _has_wait_limit(call: ast.Call) -> bool:
    """Return True if a call limits by ``block`` or False how long it waits."""
    return bool(keyword_values(call, "block")) or any(map(is_false, call.args))


def _constructor(value: ast.expr) -> ast.expr:
    return value.func if isinstance(value, ast.Call) else value


def _may_contain_blocking_call(text: str) -> bool:
    return any(root in text for root in WAITING_ROOTS)


def _is_plain(function: ast.FunctionDef) -> bool:
    """Return True if a call runs the function's body: not a generator, no decorator that changes it."""
    names = {unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list}
    return names <= _SAME_CALL and not any(
        isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes_run_by(function.body)
    )


def _calls_of(function: ast.FunctionDef) -> Iterator[ast.Call]:
    return (n for n in nodes_run_by(function.body) if isinstance(n, ast.Call))
