"""PY029."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.iterators import FILES, is_iterator, is_single_use, leaves_some, takes_all
from wardround_python.check import PythonCheck


class ExhaustedIterator(PythonCheck):
    """An iterator is gone through a second time.

    A generator, ``map``, ``filter``, an open file or what a function with ``yield`` answers gives each value
    once. The second use finds nothing and raises nothing: a sum is 0, a loop does not run. Make a list of it
    first, or ask for it again.
    """

    ID = "PY029"
    NAME = "exhausted-iterator"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:may_go_through_again"
    DEFECT_CLASS = "iterator-exhausted"
    VALID = [
        code("""
            def f(rows):
                found = [row for row in rows]
                g(sum(found))
                return list(found)
        """),
        code("""
            def f(rows):
                found = (row for row in rows)
                return list(found)
        """),
    ]
    INVALID = [
        code("""
            def f(rows):
                found = (r for r in rows)
                total = sum(found)
                return [x / total for x in «found»]
        """),
        code("""
            def f(rows):
                found = map(int, rows)
                for one in found:
                    g(one)
                return len(list(«found»))
        """),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        self._look_at(node.targets[0], node.value, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._look_at(node.target, node.value, node)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            made = item.context_expr
            if isinstance(item.optional_vars, ast.Name) and isinstance(made, ast.Call):
                called = self.module.dotted(made.func) or ""
                if called in FILES or called.endswith(".open"):
                    self._look_in(node, item.optional_vars.id, node, is_file=True)

    def visit_arg(self, node: ast.arg) -> None:
        function = self.module.parents[self.module.parents[node]]
        if is_iterator(node.annotation) and isinstance(function, FunctionNode):
            self._look_in(function, node.arg, function)

    def _look_at(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        """Look at what a statement gives a name or an attribute of the object."""
        if not isinstance(value, (ast.GeneratorExp, ast.Call)):
            return
        if isinstance(target, ast.Attribute):
            if isinstance(target.value, ast.Name) and target.value.id == "self":
                self._look_at_attribute(target, value, node)
            return
        if not isinstance(target, ast.Name):
            return
        scope = self.module.function_of(node) or self.module.tree
        is_file = isinstance(value, ast.Call) and (self.module.dotted(value.func) or "") in FILES
        self._look_in(scope, target.id, node, is_file, value)

    def _look_in(
        self, scope: ast.AST, name: str, made: ast.stmt, is_file: bool = False, value: ast.expr | None = None
    ) -> None:
        """Report the second use of a name in a function, a ``with`` or the module."""
        named = self._names_of(scope).get(name, [])
        loads = [n for n in named if isinstance(n.ctx, ast.Load)]
        given = len(named) - len(loads)
        if isinstance(scope, FunctionNode) and scope is not made and _takes(scope, name):
            if self.module.parents[made] is not scope:
                return
            loads = [n for n in loads if n.lineno > (made.end_lineno or made.lineno)]
        if given != (not isinstance(made, FunctionNode)) or any(map(self._is_asked_apart, loads)):
            return
        uses = sorted((n for n in loads if self._takes_all(n, is_file)), key=_place)
        if not uses or not (is_file or value is None or is_single_use(value, self.module, self.callees)):
            return
        if is_file and any(self._goes_back(n) for n in walk(self.module.function_of(made) or scope)):
            return
        again = self._first_again(uses, made) or self._in_any_call(uses, scope)
        if again is not None:
            self.report(
                self.module.span(again), f'"{name}" gives its values once, and they have been used up before'
            )

    def _names_of(self, scope: ast.AST) -> Mapping[str, list[ast.Name]]:
        """The plain names below a node, each with its uses in order."""
        if scope not in self._named:
            found: dict[str, list[ast.Name]] = {}
            for node in walk(scope):
                if isinstance(node, ast.Name):
                    found.setdefault(node.id, []).append(node)
            self._named[scope] = found
        return self._named[scope]

    @cached_property
    def _named(self) -> dict[ast.AST, Mapping[str, list[ast.Name]]]:
        return {}

    def _takes_all(self, use: ast.expr, is_file: bool) -> bool:
        if takes_all(use, self.module, self.callees):
            return True
        parent = self.module.parents[use]
        if not is_file:
            return False
        if isinstance(parent, ast.Attribute):
            call = self.module.parents[parent]
            return parent.attr in ("read", "readlines") and isinstance(call, ast.Call) and not call.args
        return (
            isinstance(parent, ast.Call)
            and parent.args[:1] == [use]
            and last_name(parent.func) in ("load", "safe_load", "reader", "DictReader")
        )

    def _is_asked_apart(self, use: ast.Name) -> bool:
        """Whether values are taken one by one, or it is looked at whether it is an iterator at all."""
        parent = self.module.parents[use]
        return isinstance(parent, ast.Call) and last_name(parent.func) in ("next", "isinstance", "tee")

    def _goes_back(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr in ("seek", "readline", "tell")

    def _first_again(self, uses: Sequence[ast.Name], made: ast.stmt) -> ast.Name | None:
        """The first use that comes after another, or that a loop runs again."""
        for number, use in enumerate(uses):
            if self._is_inside(use, uses):
                continue
            earlier = (one for one in uses[:number] if not leaves_some(one, self.module))
            if self._runs_again(use, made) or any(self._follows(use, one) for one in earlier):
                return use
        return None

    def _in_any_call(self, uses: Iterable[ast.Name], scope: ast.AST) -> ast.Name | None:
        """The first use in a function, of what the module makes once for all calls of it."""
        if not isinstance(scope, ast.Module):
            return None
        for use in uses:
            function = self.module.function_of(use)
            if isinstance(function, FunctionNode) and function.name != "main":
                return use
        return None

    def _is_inside(self, use: ast.Name, uses: Sequence[ast.Name]) -> bool:
        """Whether a use stands in a loop over the same: the loop goes on where that one stopped."""
        loops = [p for p in self.module.ancestors(use) if isinstance(p, (ast.For, ast.AsyncFor))]
        return any(loop.iter is one for loop in loops for one in uses if one is not use)

    def _look_at_attribute(self, target: ast.Attribute, value: ast.expr, node: ast.stmt) -> None:
        """Report the second method that goes through an attribute of the object."""
        method = self.module.function_of(node)
        holder = self.module.class_of(method) if isinstance(method, FunctionNode) else None
        if holder is None or method is None:
            return
        named = [n for n in walk(holder) if isinstance(n, ast.Attribute) and n.attr == target.attr]
        loads = [n for n in named if isinstance(n.ctx, ast.Load)]
        if len(loads) != len(named) - 1 or not is_single_use(value, self.module, self.callees):
            return
        uses = sorted((n for n in loads if takes_all(n, self.module, self.callees)), key=_place)
        methods = list(self._methods_of(uses))
        if len(set(methods)) > 1 and len(uses) == len(loads):
            second = next(use for use, one in zip(uses, methods, strict=True) if one != methods[0])
            self.report(
                self.module.span(second),
                f'"self.{target.attr}" gives its values once, and "{methods[0]}" uses them up too',
            )

    def _methods_of(self, uses: Iterable[ast.expr]) -> Iterator[str]:
        for use in uses:
            function = self.module.function_of(use)
            yield function.name if isinstance(function, FunctionNode) else ""

    def _runs_again(self, use: ast.Name, made: ast.stmt) -> bool:
        """Whether a use is in the body of a loop that the iterator is made before."""
        holder = made if isinstance(made, (FunctionNode, ast.With)) else self.module.parents[made]
        child: ast.AST = use
        for parent in self.module.ancestors(use):
            if parent is holder:
                return False
            if isinstance(parent, (ast.For, ast.While)) and child in parent.body:
                ends = any(isinstance(n, (ast.Break, ast.Return)) for n in walk(parent))
                return not ends
            child = parent
        return False

    def _follows(self, use: ast.Name, before: ast.Name) -> bool:
        """Whether a use always comes after another: further down in the block that one stands in."""
        first = next(p for p in self.module.ancestors(before) if isinstance(p, ast.stmt))
        holder = self.module.parents[first]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, None)
            if isinstance(block, list) and first in block:
                later = block[block.index(first) + 1 :]
                if isinstance(first, (ast.Return, ast.Raise)):
                    return False
                return any(use is n for one in later for n in walk(one))
        return False


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _takes(function: FunctionNode, name: str) -> bool:
    """Whether a function has a parameter of a name."""
    arguments = function.args
    return any(one.arg == name for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
