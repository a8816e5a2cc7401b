"""The refinement of tainted values by conditions."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.syntax import inside
from wardround.semantics.dataflow.state import sanitized_by_all, sanitized_by_any
from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.domain import EVERYTHING, NOTHING, OBJECT, Sanitized, SinkKind
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import FlowState

Refinements = tuple[Sanitized, Sanitized]
"""The labels that are removed where a condition is true, and where it is false."""
_UNREFINED: Refinements = ({}, {})
_EQUAL = frozenset({"==", "==="})
_UNEQUAL = frozenset({"!=", "!=="})
_ORDERS = frozenset({"<", ">", "<=", ">="})
_UNTELLING_LITERALS = frozenset({"''", '""', "null", "undefined", "0", "true", "false", "``", "-1", "1"})
_OPEN_PREFIXES = frozenset({"/", "http", "https", "https://", "http://", "https:", "http:", "//", "./"})
"""Prefixes of addresses that leave the host open."""
_TYPES = {"string": OBJECT, "number": EVERYTHING, "boolean": EVERYTHING, "bigint": EVERYTHING}
_DENY_LIST = LazyPattern(
    r"(?i)block|deny|denied|bad|forbid|reserved|black|unsafe|danger|banned|disallow|exclude|illegal|invalid"
)
_QUERIES = LazyPattern(r"^(find|get|load|fetch|look_?up|read|query|select|search|by[A-Z])")
"""Functions whose empty result leaves the argument unknown."""
_MEMBERSHIP = frozenset({"includes", "has", "hasOwn", "hasOwnProperty"})
_MATCHES = frozenset({"indexOf", "test", "match", "exec"})
_SEARCHES = frozenset({"includes", "indexOf"})
_QUANTIFIERS = frozenset({"some", "every"})
_HOSTS = frozenset({"hostname", "host"})
_NOT_HOSTS = frozenset({"pathname", "search", "searchParams", "hash", "length", "size"})
_SECOND_SLASH = ("'//'", '"//"', "[1]", "charAt(1)", "'/\\\\", '"/\\\\')
"""Tests of the second character of a path."""


class ConditionEvaluator:
    """Finds what the two outcomes of a condition prove about the values it tests."""

    __slots__ = ("_evaluator", "_module", "_sanitizers", "_scope", "_state")

    def __init__(self, state: FlowState, evaluator: Evaluator) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._sanitizers = sanitizers.catalogue()
        self._evaluator = evaluator

    def refinements(self, test: Node) -> Refinements:
        """The refinement where a condition is true, and the one where it is false."""
        test = bare(test)
        if test.type == "unary_expression" and self._module.of(test).startswith("!"):
            argument = test.child_by_field_name("argument")
            when_true, when_false = self.refinements(argument) if argument is not None else _UNREFINED
            return when_false, when_true
        if test.type == "binary_expression":
            return self._binary(test)
        if test.type == "call_expression":
            return self._call(test)
        if test.type == "assignment_expression":
            right = test.child_by_field_name("right")
            return self.refinements(right) if right is not None else _UNREFINED
        return self._flag(test) if test.type == "identifier" else _UNREFINED

    def _flag(self, test: Node) -> Refinements:
        """A constant that holds the result of a test: ``const isKnown = LIST.includes(x)``."""
        condition = self._scope.conditions.get(self._module.of(test))
        return self.refinements(condition) if condition is not None else _UNREFINED

    def _binary(self, test: Node) -> Refinements:
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        sign = test.child_by_field_name("operator")
        if left is None or right is None or sign is None:
            return _UNREFINED
        operator = self._module.of(sign)
        if operator in {"&&", "||"}:
            return self._logical(test, operator, left, right)
        if operator in _EQUAL:
            return self._equal(left, right)
        if operator in _UNEQUAL:
            equal, unequal = self._equal(left, right)
            return unequal, equal
        if operator == "in":
            return self._safe(left), {}
        if operator in _ORDERS and "indexOf" in self._module.of(test):
            tested = self._tested(left) | self._tested(right)
            return tested, tested
        return _UNREFINED

    def _equal(self, left: Node, right: Node) -> Refinements:
        refused = self._excluded_key(left, right)
        return ({}, refused) if refused else (self._equality(left, right), {})

    def _logical(self, test: Node, operator: str, left: Node, right: Node) -> Refinements:
        first, second = self.refinements(left), self.refinements(right)
        if operator == "&&":
            when_true = self._local_path(test, sanitized_by_any([first[0], second[0]]))
            return when_true, sanitized_by_all([first[1], second[1]])
        when_false = self._local_path(test, sanitized_by_any([first[1], second[1]]))
        return sanitized_by_all([first[0], second[0]]), when_false

    def _local_path(self, test: Node, sanitized: Sanitized) -> Sanitized:
        """Remove REDIRECT from a path that begins with one slash and not with two: it stays on this site."""
        text = self._module.of(test)
        if "startsWith(" in text and any(mark in text for mark in _SECOND_SLASH):
            return {
                path: removed | SinkKind.REDIRECT if removed & SinkKind.URL else removed
                for path, removed in sanitized.items()
            }
        return sanitized

    def _safe(self, node: Node, removed: SinkKind = EVERYTHING) -> dict[str, SinkKind]:
        return dict.fromkeys(self._state.refinable_paths(node), removed)

    def assertion(self, node: Node) -> Sanitized:
        """The refinement by a statement that calls a function which throws unless its arguments are valid."""
        call = bare(node)
        function = call.child_by_field_name("function") if call.type == "call_expression" else None
        argument_list = call.child_by_field_name("arguments") if call.type == "call_expression" else None
        if function is None or argument_list is None:
            return {}
        name = self._module.of(function).rpartition(".")[2]
        if not sanitizers.CHECKING.search(name) and name not in self._sanitizers.converters:
            return {}
        arguments = argument_list.named_children
        found: list[Sanitized] = [self._safe(argument) for argument in arguments]
        listed = [argument for argument in arguments if argument.type in {"array", "object"}]
        found += [dict.fromkeys(self._state.tainted_paths(one), EVERYTHING) for one in listed]
        found += [self.refinements(argument)[0] for argument in arguments[:1]]
        return sanitized_by_any(found)

    # Comparisons.

    def _equality(self, left: Node, right: Node) -> Sanitized:
        left, right = bare(left), bare(right)
        for operand, other in ((left, right), (right, left)):
            text = self._module.of(other)
            if operand.type == "unary_expression" and self._module.of(operand).startswith("typeof"):
                argument = operand.child_by_field_name("argument")
                removed = _TYPES.get(text.strip("'\""), NOTHING)
                return self._safe(argument, removed) if argument is not None and removed else {}
            if text in _UNTELLING_LITERALS:
                return self._index_search(operand)
        return {**self._tested(left), **self._tested(right)}

    def _excluded_key(self, left: Node, right: Node) -> Sanitized:
        """The labels that a property name other than ``__proto__`` and its like no longer has."""
        for operand, other in ((left, right), (right, left)):
            removed = _excluded_labels(self._module.of(other)[1:-1]) if other.type == "string" else NOTHING
            if removed & SinkKind.KEY:
                return self._safe(operand, removed)
        return {}

    def _index_search(self, node: Node) -> Sanitized:
        """``LIST.indexOf(x) === -1`` tests x; other comparisons with nothing prove nothing."""
        if node.type != "call_expression":
            return {}
        return sanitized_by_any(self._call(node)) if "indexOf" in self._module.of(node) else {}

    def _tested(self, node: Node) -> dict[str, SinkKind]:
        """The values a comparison tests: the operand, its operands, the address a host was read from."""
        node = bare(node)
        tested = self._safe(node)
        if node.type == "member_expression":
            self._add_owner(node, tested)
        if node.type in {"call_expression", "new_expression", "subscript_expression"}:
            function = node.child_by_field_name("function")
            name = self._module.of(function).rpartition(".")[2] if function is not None else ""
            if name not in self._sanitizers.inconclusive_checks:
                for inner in inside(node):
                    if inner.type in {"identifier", "member_expression"}:
                        tested.update(self._safe(inner))
        if node.type == "member_expression" and node.named_children:
            owner = bare(node.named_children[0])
            if owner.type in {"call_expression", "new_expression"}:
                tested.update(self._tested(owner))
        return tested

    def _add_owner(self, node: Node, tested: dict[str, SinkKind]) -> None:
        owner = node.child_by_field_name("object")
        if self._state.property_name(node) in _NOT_HOSTS or owner is None:
            return
        if not self._state.request_kind(owner):
            tested.update(self._safe(owner))

    # Calls.

    def _call(self, test: Node) -> Refinements:
        function, argument_list = test.child_by_field_name("function"), test.child_by_field_name("arguments")
        if function is None or argument_list is None:
            return _UNREFINED
        arguments = argument_list.named_children
        name = self._module.of(function).rpartition(".")[2]
        owner = function.child_by_field_name("object") if function.type == "member_expression" else None
        if owner is not None:
            refinements = self._method(name, owner, arguments)
            if refinements is not None:
                return refinements
        full_name = self._scope.dotted(function)
        if name in self._sanitizers.inconclusive_checks or full_name in self._sanitizers.inconclusive_checks:
            return _UNREFINED
        if full_name == "Boolean" and arguments:
            return self.refinements(arguments[0])
        return self._predicate(name, owner, arguments)

    def _predicate(self, name: str, owner: Node | None, arguments: Sequence[Node]) -> Refinements:
        tested: dict[str, SinkKind] = {}
        for argument in arguments:
            tested.update(self._tested(argument))
        if _QUERIES.search(name):
            return tested, {}
        if owner is not None and not arguments and sanitizers.CHECKING.search(name):
            tested.update(self._safe(owner))
        # A value that does not pass is logged as it came.
        return tested, {path: removed & ~SinkKind.LINE for path, removed in tested.items()}

    def _method(self, name: str, owner: Node, arguments: Sequence[Node]) -> Refinements | None:
        """The refinements by a method of text or lists; None for any other method."""
        first = bare(arguments[0]) if arguments else None
        if first is None:
            return None
        if name == "startsWith":
            return self._starts_with(owner, first)
        if name == "endsWith":
            return self._ends_with(owner, first), {}
        if name in _SEARCHES and first.type == "string":
            return {}, self._safe(owner, _excluded_labels(self._module.of(first)[1:-1]))
        if name in _SEARCHES and self._evaluator.evaluate(owner):
            return _UNREFINED
        if name in _QUANTIFIERS:
            return self._quantified(name, owner, arguments)
        return self._membership(name, owner, arguments) if name in _MEMBERSHIP | _MATCHES else None

    def _starts_with(self, owner: Node, first: Node) -> Refinements:
        literal = self._module.of(first)[1:-1] if first.type == "string" else None
        if literal == "//":
            return {}, self._safe(owner, SinkKind.REDIRECT)
        if literal in {"/", "./"}:
            return self._safe(owner, SinkKind.URL), {}
        if literal is not None and (
            literal in _OPEN_PREFIXES or ("://" in literal and literal.count("/") < 3)
        ):
            return _UNREFINED
        if literal is not None and literal.startswith(".."):
            return {}, self._safe(owner, SinkKind.PATH)
        return self._safe(owner), {}

    def _ends_with(self, owner: Node, first: Node) -> Sanitized:
        """A host that ends with a dot and a domain belongs to it; other suffixes prove nothing."""
        literal = self._module.of(first)[1:-1] if first.type == "string" else ""
        receiver = bare(owner)
        is_host = receiver.type == "member_expression" and self._state.property_name(receiver) in _HOSTS
        return self._tested(owner) if is_host and literal.startswith(".") else {}

    def _quantified(self, name: str, owner: Node, arguments: Sequence[Node]) -> Refinements:
        """``LIST.some(test)`` tests the names in it; ``LIST.every(test)`` tests the list too."""
        tested = {path: EVERYTHING for argument in arguments for path in self._state.tainted_paths(argument)}
        if name == "every":
            tested.update(self._safe(owner))
        return tested, tested

    def _membership(self, name: str, owner: Node, arguments: Sequence[Node]) -> Refinements:
        """A value that is in a list, or that matches a pattern."""
        tested: dict[str, SinkKind] = {}
        for argument in arguments:
            tested.update(self._tested(argument))
            if name in {"includes", "has"}:
                tested.update(dict.fromkeys(self._state.tainted_paths(argument), EVERYTHING))
        if name == "match":
            tested.update(self._safe(owner))
        if name not in _MEMBERSHIP:
            return tested, tested
        return ({}, tested) if _DENY_LIST.search(self._module.of(owner)) else (tested, {})


def _excluded_labels(text: str) -> SinkKind:
    """The labels that a value without ``text`` in it no longer has."""
    if ".." in text or text in {"/", "\\\\"}:
        return SinkKind.PATH
    if text in {"://", "//", ":", "@"}:
        return SinkKind.REDIRECT | SinkKind.URL
    if text in {"__proto__", "prototype", "constructor"}:
        return SinkKind.KEY | SinkKind.REACHED
    if text in {"\\n", "\\r", "\\r\\n"}:
        return SinkKind.HEADER | SinkKind.LINE
    return NOTHING
