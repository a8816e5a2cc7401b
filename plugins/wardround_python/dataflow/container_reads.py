"""Reads of known containers and attributes, and constants that depend on them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.constant_folding import Folds
from wardround_python.dataflow.domain import CLEAN, Taint
from wardround_python.dataflow.known_value import (
    KnownConstant,
    KnownContainer,
    KnownEntry,
    Plain,
    fold_function,
    fold_item,
    fold_method,
    fold_operator,
    is_same,
)

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow


class ContainerReads:
    """Reads entries of known containers, and folds expressions that depend on known values."""

    __slots__ = (
        "_conditions",
        "_containers",
        "_folder",
        "_known",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._folder = flow.folder
        self._containers = flow.containers
        self._conditions = flow.conditions
        self._known = flow.known

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
        """Return the taint of an entry read by its key; None if the container is unknown."""
        section = self._parser_section(node)
        if section is not None:
            parser, name = section
            result = self._containers.section_entry(parser, name, node.slice)
            return result.value if result is not None else parser.taint
        container = self._known.container(node.value)
        if container is None:
            return None
        if isinstance(node.slice, ast.Slice) and isinstance(container.entries, list):
            return self._slice_taint(node.slice, container.entries)
        entry = self._containers.entry(container, node.slice)
        if entry is not None:
            return entry.value
        for item in self._containers.nested_containers(container):
            self._containers.escape(item)
        return join(container.taint, container.total if container.entries is None else CLEAN)

    def _parser_section(self, node: ast.Subscript) -> tuple[KnownContainer, ast.expr] | None:
        """Return the parser and the section of ``parser[section][option]``."""
        if not isinstance(node.value, ast.Subscript):
            return None
        parser = self._containers.find(node.value.value)
        return (parser, node.value.slice) if parser is not None and parser.is_parser else None

    def _members(self, node: ast.expr) -> list[Plain] | str | None:
        """Return the members of a container if all are constant."""
        container = self._containers.find(node)
        if container is not None and container.entries is not None:
            if isinstance(container.entries, dict) and not container.is_parser:
                return list(container.entries)  # type: ignore[arg-type]
            return _constant_members(container)
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
            decided = self._conditions.truth_value(node.operand)
            return KnownConstant(not decided) if decided is not None else None
        constant = self._folder.constant(node.operand)
        return fold_operator(type(node.op), constant.value) if constant is not None else None

    def _choice(self, node: ast.IfExp) -> KnownConstant | None:
        decided = self._conditions.truth_value(node.test)
        if decided is not None:
            return self._folder.constant(node.body if decided else node.orelse)
        first = self._folder.constant(node.body)
        return first if first is not None and is_same(first, self._folder.constant(node.orelse)) else None

    def _subscript(self, node: ast.Subscript) -> KnownConstant | None:
        container = self._known.container(node.value)
        section = self._parser_section(node)
        if section is not None:
            return _constant_of(self._containers.section_entry(*section, node.slice))
        if container is not None:
            return _constant_of(self._containers.entry(container, node.slice))
        text = self._folder.constant(node.value)
        if text is None:
            return None
        if isinstance(node.slice, ast.Slice):
            return self._slice_constant(text, node.slice)
        key = self._folder.constant(node.slice)
        return fold_item(text.value, key.value) if key is not None else None

    def _slice_constant(self, text: KnownConstant, node: ast.Slice) -> KnownConstant | None:
        """Return a slice of a constant if its ends are constant too."""
        bounds = []
        for end in (node.lower, node.upper, node.step):
            known = KnownConstant(None) if end is None else self._folder.constant(end)
            if known is None:
                return None
            bounds.append(known.value)
        return fold_item(text.value, slice(*bounds))  # type: ignore[arg-type]

    def _call(self, node: ast.Call) -> KnownConstant | None:
        result = self._state.results.get(node)
        if result is not None:
            return result if isinstance(result, KnownConstant) else None
        if node.keywords or len(node.args) > 3:
            return None
        if isinstance(node.func, ast.Name) and node.func.id not in self._state.values:
            return self._function_result(node, node.func.id)
        if isinstance(node.func, ast.Attribute):
            return self._method_result(node, node.func)
        return None

    def _function_result(self, node: ast.Call, name: str) -> KnownConstant | None:
        """Return the constant result of a function of the language."""
        container = self._containers.find(node.args[0]) if name == "len" and len(node.args) == 1 else None
        if container is not None:
            return KnownConstant(len(container.entries)) if container.entries is not None else None
        if self._state.flow.functions.get(name) or name in self._state.module.imported:
            return None
        arguments = self._folder.constants(node.args)
        return fold_function(name, *arguments) if arguments is not None else None

    def _method_result(self, node: ast.Call, func: ast.Attribute) -> KnownConstant | None:
        """Return the constant result of a method of a string."""
        receiver = self._folder.constant(func.value)
        if receiver is None or not isinstance(receiver.value, str):
            return None
        arguments = self._folder.constants(node.args)
        return fold_method(receiver.value, func.attr, *arguments) if arguments is not None else None

    def _slice_taint(self, node: ast.Slice, entries: list[KnownEntry]) -> Taint:
        ends = [
            KnownConstant(None) if item is None else self._folder.constant(item)
            for item in (node.lower, node.upper)
        ]
        numbers = [end.value for end in ends if end is not None and isinstance(end.value, (int, type(None)))]
        chosen = entries[slice(*numbers)] if len(numbers) == 2 else entries
        return join(*(element.value for element in chosen))


def _constant_of(entry: KnownEntry | None) -> KnownConstant | None:
    return entry.known if entry is not None and isinstance(entry.known, KnownConstant) else None


def _constant_members(container: KnownContainer) -> list[Plain] | None:
    """Return the values of the entries of a container if all are constant."""
    entries = container.entries or ()
    constants = [_constant_of(entry) for entry in entries if isinstance(entry, KnownEntry)]
    values = [constant.value for constant in constants if constant is not None]
    return values if len(values) == len(entries) else None
