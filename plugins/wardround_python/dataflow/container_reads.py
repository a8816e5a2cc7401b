"""Reads of known containers and attributes, and constants that depend on them."""

from __future__ import annotations

import ast

from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.conditions import ConditionEvaluator
from wardround_python.dataflow.constant_folding import ConstantFolder, Folds
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.domain import CLEAN, Taint
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.known_value import (
    KnownConstant,
    KnownEntry,
    Plain,
    fold_function,
    fold_item,
    fold_method,
    fold_operator,
    is_same,
)
from wardround_python.dataflow.value_tracking import KnownValues


class ContainerReads:
    """Reads entries of known containers, and folds expressions that depend on known values."""

    __slots__ = (
        "_conditions",
        "_containers",
        "_folder",
        "_known",
        "_state",
    )

    def __init__(
        self,
        state: FlowState,
        folder: ConstantFolder,
        containers: ContainerLookup,
        conditions: ConditionEvaluator,
        known: KnownValues,
    ) -> None:
        self._state = state
        self._folder = folder
        self._containers = containers
        self._conditions = conditions
        self._known = known

    def transfers(self) -> Folds:
        """Return the transfer functions by kind of node."""
        return {
            ast.Attribute: self._attribute,
            ast.Compare: self._compare,
            ast.UnaryOp: self._unary,
            ast.IfExp: self._choice,
            ast.Subscript: self._subscript,
            ast.Call: self._call,
        }

    def entry_taint(self, node: ast.Subscript) -> Taint | None:
        """Return the taint of an entry that is read by its key; None if the container is unknown."""
        outer = self._containers.find(node.value.value) if isinstance(node.value, ast.Subscript) else None
        if outer is not None and outer.is_parser and isinstance(node.value, ast.Subscript):
            result = self._containers.section_entry(outer, node.value.slice, node.slice)
            return result.value if result is not None else outer.taint
        container = self._known.container(node.value)
        if container is None:
            return None
        if isinstance(node.slice, ast.Slice) and isinstance(container.entries, list):
            return self._slice_taint(node.slice, container.entries)
        entry = self._containers.entry(container, node.slice)
        if entry is not None:
            return entry.value
        for item in self._containers.nested(container):
            self._containers.escape(item)
        return join(container.taint, container.total if container.entries is None else CLEAN)

    def _members(self, node: ast.expr) -> list[Plain] | str | None:
        """Return the members of a container if all are constant."""
        container = self._containers.find(node)
        if container is not None and isinstance(container.entries, dict) and not container.is_parser:
            return list(container.entries)  # type: ignore[arg-type]
        if container is not None and container.entries is not None:
            known = [entry.known for entry in container.entries if isinstance(entry, KnownEntry)]
            values = [item.value for item in known if isinstance(item, KnownConstant)]
            return values if len(values) == len(container.entries) else None
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return self._folder.constants(node.elts)
        constant = self._folder.constant(node)
        return constant.value if constant is not None and isinstance(constant.value, str) else None

    def _attribute(self, node: ast.Attribute) -> KnownConstant | None:
        known = self._containers.known_attribute(node)
        return known if isinstance(known, KnownConstant) else None

    def _compare(self, node: ast.Compare) -> KnownConstant | None:
        left = self._folder.constant(node.left)
        for op, right in zip(node.ops, node.comparators, strict=True):
            if left is None:
                return None
            if isinstance(op, (ast.In, ast.NotIn)):
                members = self._members(right)
                result = fold_operator(type(op), left.value, members) if members is not None else None  # type: ignore[arg-type]
                after = None
            else:
                after = self._folder.constant(right)
                result = fold_operator(type(op), left.value, after.value) if after is not None else None
            if result is None or not result.value:
                return result
            left = after
        return KnownConstant(True)

    def _unary(self, node: ast.UnaryOp) -> KnownConstant | None:
        if isinstance(node.op, ast.Not):
            decided = self._conditions.decided(node.operand)
            return KnownConstant(not decided) if decided is not None else None
        constant = self._folder.constant(node.operand)
        return fold_operator(type(node.op), constant.value) if constant is not None else None

    def _choice(self, node: ast.IfExp) -> KnownConstant | None:
        decided = self._conditions.decided(node.test)
        if decided is not None:
            return self._folder.constant(node.body if decided else node.orelse)
        first = self._folder.constant(node.body)
        return first if first is not None and is_same(first, self._folder.constant(node.orelse)) else None

    def _subscript(self, node: ast.Subscript) -> KnownConstant | None:
        container = self._known.container(node.value)
        outer = self._containers.find(node.value.value) if isinstance(node.value, ast.Subscript) else None
        if outer is not None and outer.is_parser and isinstance(node.value, ast.Subscript):
            entry = self._containers.section_entry(outer, node.value.slice, node.slice)
            return entry.known if entry is not None and isinstance(entry.known, KnownConstant) else None
        if container is not None:
            entry = self._containers.entry(container, node.slice)
            return entry.known if entry is not None and isinstance(entry.known, KnownConstant) else None
        text = self._folder.constant(node.value)
        if text is None:
            return None
        if isinstance(node.slice, ast.Slice):
            ends = [node.slice.lower, node.slice.upper, node.slice.step]
            known = [KnownConstant(None) if end is None else self._folder.constant(end) for end in ends]
            cut = slice(*(item.value for item in known if item is not None)) if all(known) else None
            return fold_item(text.value, cut) if cut is not None else None  # type: ignore[arg-type]
        key = self._folder.constant(node.slice)
        return fold_item(text.value, key.value) if key is not None else None

    def _call(self, node: ast.Call) -> KnownConstant | None:
        result = self._state.results.get(node)
        if result is not None:
            return result if isinstance(result, KnownConstant) else None
        if node.keywords or len(node.args) > 3:
            return None
        if isinstance(node.func, ast.Name) and node.func.id not in self._state.values:
            container = (
                self._containers.find(node.args[0]) if node.func.id == "len" and len(node.args) == 1 else None
            )
            if container is not None:
                return KnownConstant(len(container.entries)) if container.entries is not None else None
            is_own = (
                self._state.flow.functions.get(node.func.id) or node.func.id in self._state.module.imported
            )
            arguments = self._folder.constants(node.args) if not is_own else None
            return fold_function(node.func.id, *arguments) if arguments is not None else None
        if isinstance(node.func, ast.Attribute):
            on = self._folder.constant(node.func.value)
            arguments = (
                self._folder.constants(node.args) if on is not None and isinstance(on.value, str) else None
            )
            return fold_method(on.value, node.func.attr, *arguments) if on and arguments is not None else None
        return None

    def _slice_taint(self, node: ast.Slice, entries: list[KnownEntry]) -> Taint:
        ends = [
            KnownConstant(None) if item is None else self._folder.constant(item)
            for item in (node.lower, node.upper)
        ]
        numbers = [end.value for end in ends if end is not None and isinstance(end.value, (int, type(None)))]
        chosen = entries[slice(*numbers)] if len(numbers) == 2 else entries
        return join(*(element.value for element in chosen))
