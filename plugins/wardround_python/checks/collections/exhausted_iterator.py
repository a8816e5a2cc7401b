"""PY029: exhausted iterator."""

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
    """An iterator is consumed a second time.

    A generator, ``map``, ``filter``, an open file or the result of a function with ``yield`` produces
    each value once. The second use gets nothing and raises nothing: a sum is 0, a loop does not run.
    Convert it to a list first, or create it again.
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
        self._check_value(node.targets[0], node.value, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._check_value(node.target, node.value, node)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            creation = item.context_expr
            if isinstance(item.optional_vars, ast.Name) and isinstance(creation, ast.Call):
                called = self.module.dotted(creation.func) or ""
                if called in FILES or called.endswith(".open"):
                    self._check_scope(node, item.optional_vars.id, node, is_file=True)

    def visit_arg(self, node: ast.arg) -> None:
        function = self.module.parents[self.module.parents[node]]
        if is_iterator(node.annotation) and isinstance(function, FunctionNode):
            self._check_scope(function, node.arg, function)

    def _check_value(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        """Check the value that a statement assigns to a name or an attribute of the object."""
        if not isinstance(value, (ast.GeneratorExp, ast.Call)):
            return
        if isinstance(target, ast.Attribute):
            if isinstance(target.value, ast.Name) and target.value.id == "self":
                self._check_attribute(target, value, node)
            return
        if not isinstance(target, ast.Name):
            return
        scope = self.module.function_of(node) or self.module.tree
        is_file = isinstance(value, ast.Call) and (self.module.dotted(value.func) or "") in FILES
        self._check_scope(scope, target.id, node, is_file, value)

    def _check_scope(
        self,
        scope: ast.AST,
        name: str,
        creation: ast.stmt,
        is_file: bool = False,
        value: ast.expr | None = None,
    ) -> None:
        """Report the second use of a name in a function, a ``with`` or the module."""
        loads = self._loads_after(scope, name, creation)
        if not loads or any(map(self._is_partial_use, loads)):
            return
        uses = sorted((n for n in loads if self._takes_all(n, is_file)), key=_position)
        if not uses or not (is_file or value is None or is_single_use(value, self.module, self.callees)):
            return
        if is_file and any(map(self._rewinds, walk(self.module.function_of(creation) or scope))):
            return
        repeated = self._first_repeated(uses, creation) or self._first_in_function(uses, scope)
        if repeated is not None:
            self.report(
                self.module.span(repeated), f'"{name}" is already exhausted here; make it a list first'
            )

    def _loads_after(self, scope: ast.AST, name: str, creation: ast.stmt) -> Sequence[ast.Name]:
        """Return the reads of a name that is assigned only by its creation."""
        named = self._names_of(scope).get(name, [])
        loads = [n for n in named if isinstance(n.ctx, ast.Load)]
        stores = len(named) - len(loads)
        if stores != (not isinstance(creation, FunctionNode)):
            return ()
        if isinstance(scope, FunctionNode) and scope is not creation and _has_parameter(scope, name):
            if self.module.parents[creation] is not scope:
                return ()
            return [n for n in loads if n.lineno > (creation.end_lineno or creation.lineno)]
        return loads

    def _names_of(self, scope: ast.AST) -> Mapping[str, list[ast.Name]]:
        """Return the plain names below a node, each with its uses in order."""
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

    def _is_partial_use(self, use: ast.Name) -> bool:
        """Return True if values are taken one by one, or the type of the value is tested."""
        parent = self.module.parents[use]
        return isinstance(parent, ast.Call) and last_name(parent.func) in ("next", "isinstance", "tee")

    def _rewinds(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr in ("seek", "readline", "tell")

    def _first_repeated(self, uses: Sequence[ast.Name], creation: ast.stmt) -> ast.Name | None:
        """Return the first use that follows another, or that a loop repeats."""
        for number, use in enumerate(uses):
            if self._is_inside(use, uses):
                continue
            earlier = (one for one in uses[:number] if not leaves_some(one, self.module))
            if self._is_repeated(use, creation) or any(self._follows(use, item) for item in earlier):
                return use
        return None

    def _first_in_function(self, uses: Iterable[ast.Name], scope: ast.AST) -> ast.Name | None:
        """Return the first use within a function of an iterator that the module creates once."""
        if not isinstance(scope, ast.Module):
            return None
        for use in uses:
            function = self.module.function_of(use)
            if isinstance(function, FunctionNode) and function.name != "main":
                return use
        return None

    def _is_inside(self, use: ast.Name, uses: Sequence[ast.Name]) -> bool:
        """Return True if a use is in a loop over the same iterator, which continues where it stopped."""
        loops = [p for p in self.module.ancestors(use) if isinstance(p, (ast.For, ast.AsyncFor))]
        return any(loop.iter is one for loop in loops for one in uses if one is not use)

    def _check_attribute(self, target: ast.Attribute, value: ast.expr, node: ast.stmt) -> None:
        """Report the second method that consumes an attribute of the object."""
        method = self.module.function_of(node)
        owner = self.module.class_of(method) if isinstance(method, FunctionNode) else None
        if owner is None:
            return
        named = [n for n in walk(owner) if isinstance(n, ast.Attribute) and n.attr == target.attr]
        loads = sorted((n for n in named if isinstance(n.ctx, ast.Load)), key=_position)
        if len(loads) != len(named) - 1 or not is_single_use(value, self.module, self.callees):
            return
        methods = list(self._methods_of(loads))
        if len(set(methods)) > 1 and all(takes_all(n, self.module, self.callees) for n in loads):
            second = next(use for use, name in zip(loads, methods, strict=True) if name != methods[0])
            self.report(
                self.module.span(second),
                f'"self.{target.attr}" is an iterator that "{methods[0]}" exhausts too; make it a list',
            )

    def _methods_of(self, uses: Iterable[ast.expr]) -> Iterator[str]:
        for use in uses:
            function = self.module.function_of(use)
            yield function.name if isinstance(function, FunctionNode) else ""

    def _is_repeated(self, use: ast.Name, creation: ast.stmt) -> bool:
        """Return True if a use is in the body of a loop that starts after the iterator is created."""
        owner = creation if isinstance(creation, (FunctionNode, ast.With)) else self.module.parents[creation]
        child: ast.AST = use
        for parent in self.module.ancestors(use):
            if parent is owner:
                return False
            if isinstance(parent, (ast.For, ast.While)) and child in parent.body:
                ends = any(isinstance(n, (ast.Break, ast.Return)) for n in walk(parent))
                return not ends
            child = parent
        return False

    def _follows(self, use: ast.Name, before: ast.Name) -> bool:
        """Return True if a use always comes after another: later in the block that contains the other."""
        first = next(p for p in self.module.ancestors(before) if isinstance(p, ast.stmt))
        owner = self.module.parents[first]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(owner, name, None)
            if isinstance(block, list) and first in block:
                later = block[block.index(first) + 1 :]
                if isinstance(first, (ast.Return, ast.Raise)):
                    return False
                return any(use is n for item in later for n in walk(item))
        return False


def _position(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _has_parameter(function: FunctionNode, name: str) -> bool:
    """Return True if a function has a parameter of the name."""
    arguments = function.args
    return any(
        parameter.arg == name
        for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    )
