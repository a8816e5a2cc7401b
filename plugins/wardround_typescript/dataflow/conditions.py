"""The refinement of tainted values by conditions."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround.languages.script.syntax import inside
from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.state import sanitized_by_all, sanitized_by_any
from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.domain import EVERYTHING, NOTHING, OBJECT, Sanitized, SinkKind
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.nodes import bare, field_text
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.text_tests import excluded_labels, leaves_host_open
from wardround_typescript.syntax.nodes import child, first_part

Refinements = tuple[Sanitized, Sanitized]
"""The labels that are removed where a condition is true, and where it is false."""
_UNREFINED: Refinements = ({}, {})
_UNTELLING_LITERALS = frozenset({"''", '""', "null", "undefined", "0", "true", "false", "``", "-1", "1"})
_TYPES = {"string": OBJECT, "number": EVERYTHING, "boolean": EVERYTHING, "bigint": EVERYTHING}
_DENY_LIST = LazyPattern(
    r"(?i)block|deny|denied|bad|forbid|reserved|black|unsafe|danger|banned|disallow|exclude|illegal|invalid"
)
_QUERIES = LazyPattern(r"^(find|get|load|fetch|look_?up|read|query|select|search|by[A-Z])")
"""Functions whose empty result leaves the argument unknown."""
_MEMBERSHIP = frozenset({"includes", "has", "hasOwn", "hasOwnProperty"})
_MATCHES = frozenset({"indexOf", "test", "match", "exec"})
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
        """Return the refinement where a condition is true, and the one where it is false."""
        test = bare(test)
        match test.type:
            case "unary_expression" if self._module.of(test).startswith("!"):
                when_true, when_false = self._refinements_of(child(test, "argument"))
                return when_false, when_true
            case "binary_expression":
                return self._binary(test)
            case "call_expression":
                return self._call(test)
            case "assignment_expression":
                return self._refinements_of(child(test, "right"))
            case "identifier":
                # A constant that holds the result of a test: ``const isKnown = LIST.includes(x)``.
                return self._refinements_of(self._scope.conditions.get(self._module.of(test)))
        return _UNREFINED

    def _refinements_of(self, test: Node | None) -> Refinements:
        return self.refinements(test) if test is not None else _UNREFINED

    def _binary(self, test: Node) -> Refinements:
        left, right = child(test, "left"), child(test, "right")
        if left is None or right is None:
            return _UNREFINED
        match field_text(self._module, test, "operator"):
            case "&&":
                return self._conjunction(test, left, right)
            case "||":
                return self._disjunction(test, left, right)
            case "==" | "===":
                return self._equal(left, right)
            case "!=" | "!==":
                equal, unequal = self._equal(left, right)
                return unequal, equal
            case "in":
                return self._safe(left), {}
            case "<" | ">" | "<=" | ">=" if "indexOf" in self._module.of(test):
                tested = self._tested_values(left) | self._tested_values(right)
                return tested, tested
        return _UNREFINED

    def _equal(self, left: Node, right: Node) -> Refinements:
        refused = self._excluded_key(left, right)
        return ({}, refused) if refused else (self._equality(left, right), {})

    def _conjunction(self, test: Node, left: Node, right: Node) -> Refinements:
        first, second = self.refinements(left), self.refinements(right)
        when_true = self._local_path(test, sanitized_by_any([first[0], second[0]]))
        return when_true, sanitized_by_all([first[1], second[1]])

    def _disjunction(self, test: Node, left: Node, right: Node) -> Refinements:
        first, second = self.refinements(left), self.refinements(right)
        when_false = self._local_path(test, sanitized_by_any([first[1], second[1]]))
        return sanitized_by_all([first[0], second[0]]), when_false

    def _local_path(self, test: Node, sanitized: Sanitized) -> Sanitized:
        """Remove REDIRECT from a path that begins with one slash and not with two: it stays on this site."""
        text = self._module.of(test)
        if "startsWith(" not in text or not any(mark in text for mark in _SECOND_SLASH):
            return sanitized
        return {path: _add_redirect(removed) for path, removed in sanitized.items()}

    def _safe(self, node: Node, removed: SinkKind = EVERYTHING) -> dict[str, SinkKind]:
        return dict.fromkeys(self._state.refinable_paths(node), removed)

    def assertion(self, node: Node) -> Sanitized:
        """The refinement by a statement that calls a function which throws unless its arguments are valid."""
        call = bare(node)
        argument_list = child(call, "arguments") if call.type == "call_expression" else None
        if argument_list is None or not self._is_checking(field_text(self._module, call, "function")):
            return {}
        arguments = argument_list.named_children
        composed = [argument for argument in arguments if argument.type in {"array", "object"}]
        return sanitized_by_any(
            [
                *map(self._safe, arguments),
                *map(self._safe_components, composed),
                *(self.refinements(argument)[0] for argument in arguments[:1]),
            ]
        )

    def _safe_components(self, node: Node) -> Sanitized:
        return dict.fromkeys(self._state.tainted_paths(node), EVERYTHING)

    def _is_checking(self, function: str) -> bool:
        """Return True for a function that throws unless its arguments are valid."""
        name = function.rpartition(".")[2]
        return sanitizers.CHECKING.search(name) is not None or name in self._sanitizers.converters

    # Comparisons.

    def _equality(self, left: Node, right: Node) -> Sanitized:
        left, right = bare(left), bare(right)
        for operand, other in ((left, right), (right, left)):
            text = self._module.of(other)
            if operand.type == "unary_expression" and self._module.of(operand).startswith("typeof"):
                return self._type_test(operand, text.strip("'\""))
            if text in _UNTELLING_LITERALS:
                return self._index_search(operand)
        return {**self._tested_values(left), **self._tested_values(right)}

    def _type_test(self, operand: Node, kind: str) -> Sanitized:
        """``typeof x === "number"``."""
        argument, removed = child(operand, "argument"), _TYPES.get(kind, NOTHING)
        return self._safe(argument, removed) if argument is not None and removed else {}

    def _excluded_key(self, left: Node, right: Node) -> Sanitized:
        """Return the labels that a property name other than ``__proto__`` and its like no longer has."""
        for operand, other in ((left, right), (right, left)):
            removed = excluded_labels(self._module.of(other)[1:-1]) if other.type == "string" else NOTHING
            if removed & SinkKind.KEY:
                return self._safe(operand, removed)
        return {}

    def _index_search(self, node: Node) -> Sanitized:
        """``LIST.indexOf(x) === -1`` tests x; other comparisons with nothing prove nothing."""
        if node.type != "call_expression":
            return {}
        return sanitized_by_any(self._call(node)) if "indexOf" in self._module.of(node) else {}

    def _tested_values(self, node: Node) -> dict[str, SinkKind]:
        """The values that a comparison tests: the operand, its operands, the URL from which a host was
        read.
        """
        node = bare(node)
        tested = self._safe(node)
        match node.type:
            case "member_expression":
                self._add_owner(node, tested)
                self._add_computed_owner(node, tested)
            case "call_expression" | "new_expression" | "subscript_expression":
                self._add_operands(node, tested)
        return tested

    def _add_operands(self, node: Node, tested: dict[str, SinkKind]) -> None:
        name = field_text(self._module, node, "function").rpartition(".")[2]
        if name in self._sanitizers.inconclusive_checks:
            return
        for operand in inside(node):
            if operand.type in {"identifier", "member_expression"}:
                tested.update(self._safe(operand))

    def _add_computed_owner(self, node: Node, tested: dict[str, SinkKind]) -> None:
        """Add the operands of ``new URL(x)`` for ``new URL(x).host``."""
        first = first_part(node)
        owner = bare(first) if first is not None else None
        if owner is not None and owner.type in {"call_expression", "new_expression"}:
            tested.update(self._tested_values(owner))

    def _add_owner(self, node: Node, tested: dict[str, SinkKind]) -> None:
        owner = node.child_by_field_name("object")
        if self._state.property_name(node) in _NOT_HOSTS or owner is None:
            return
        if not self._state.request_kind(owner):
            tested.update(self._safe(owner))

    # Calls.

    def _call(self, test: Node) -> Refinements:
        function, argument_list = child(test, "function"), child(test, "arguments")
        if function is None or argument_list is None:
            return _UNREFINED
        arguments = argument_list.named_children
        name = self._module.of(function).rpartition(".")[2]
        owner = child(function, "object") if function.type == "member_expression" else None
        refinements = self._method(name, owner, arguments) if owner is not None else None
        if refinements is not None:
            return refinements
        full_name = self._scope.qualified_name(function)
        if not self._sanitizers.inconclusive_checks.isdisjoint((name, full_name)):
            return _UNREFINED
        if full_name == "Boolean" and arguments:
            return self.refinements(arguments[0])
        return self._predicate(name, owner, arguments)

    def _predicate(self, name: str, owner: Node | None, arguments: Sequence[Node]) -> Refinements:
        tested: dict[str, SinkKind] = {}
        for argument in arguments:
            tested.update(self._tested_values(argument))
        if _QUERIES.search(name):
            return tested, {}
        if owner is not None and not arguments and sanitizers.CHECKING.search(name):
            tested.update(self._safe(owner))
        # A value that does not pass is logged as it came.
        return tested, {path: removed & ~SinkKind.LINE for path, removed in tested.items()}

    def _method(self, name: str, owner: Node, arguments: Sequence[Node]) -> Refinements | None:
        """Return the refinements by a method of strings or lists; None for any other method."""
        if not arguments:
            return None
        first = bare(arguments[0])
        match name:
            case "startsWith":
                return self._starts_with(owner, first)
            case "endsWith":
                return self._ends_with(owner, first), {}
            case "some" | "every":
                return self._quantifier_refinements(name, owner, arguments)
            case "includes" | "indexOf" if first.type == "string":
                return {}, self._safe(owner, excluded_labels(self._module.of(first)[1:-1]))
            case "includes" | "indexOf" if self._evaluator.evaluate(owner):
                return _UNREFINED
        return self._membership(name, owner, arguments) if name in _MEMBERSHIP | _MATCHES else None

    def _starts_with(self, owner: Node, first: Node) -> Refinements:
        if first.type != "string":
            return self._safe(owner), {}
        literal = self._module.of(first)[1:-1]
        if literal == "//":
            return {}, self._safe(owner, SinkKind.REDIRECT)
        if literal in {"/", "./"}:
            return self._safe(owner, SinkKind.URL), {}
        if leaves_host_open(literal):
            return _UNREFINED
        if literal.startswith(".."):
            return {}, self._safe(owner, SinkKind.PATH)
        return self._safe(owner), {}

    def _ends_with(self, owner: Node, first: Node) -> Sanitized:
        """Return the refinement by a suffix: a host that ends with a dot and a domain belongs to it."""
        literal = self._module.of(first)[1:-1] if first.type == "string" else ""
        receiver = bare(owner)
        is_host = receiver.type == "member_expression" and self._state.property_name(receiver) in _HOSTS
        return self._tested_values(owner) if is_host and literal.startswith(".") else {}

    def _quantifier_refinements(self, name: str, owner: Node, arguments: Sequence[Node]) -> Refinements:
        """``LIST.some(test)`` tests the names in it; ``LIST.every(test)`` tests the list too."""
        tested = {path: EVERYTHING for argument in arguments for path in self._state.tainted_paths(argument)}
        if name == "every":
            tested.update(self._safe(owner))
        return tested, tested

    def _membership(self, name: str, owner: Node, arguments: Sequence[Node]) -> Refinements:
        """Return the refinements of a value that is in a list, or that matches a pattern."""
        tested: dict[str, SinkKind] = {}
        for argument in arguments:
            tested.update(self._tested_values(argument))
            if name in {"includes", "has"}:
                tested.update(dict.fromkeys(self._state.tainted_paths(argument), EVERYTHING))
        if name == "match":
            tested.update(self._safe(owner))
        if name not in _MEMBERSHIP:
            return tested, tested
        return ({}, tested) if _DENY_LIST.search(self._module.of(owner)) else (tested, {})


def _add_redirect(removed: SinkKind) -> SinkKind:
    return removed | SinkKind.REDIRECT if removed & SinkKind.URL else removed
