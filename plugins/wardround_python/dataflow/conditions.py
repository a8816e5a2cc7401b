"""Guards: the truth of constant tests, and what a test shows about the values it inspects."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround.languages.python.tree import walk
from wardround.semantics.dataflow.state import sanitized_by_any
from wardround_python.dataflow import sanitizers
from wardround_python.dataflow.catalogue import SANITIZERS
from wardround_python.dataflow.domain import EVERYTHING, Sanitized, SinkKind
from wardround_python.dataflow.expression_shapes import chain, is_length, key_of
from wardround_python.dataflow.guard_shapes import (
    accepts_any_string,
    harmless_kinds,
    is_lookup,
    is_request_part,
    is_slash,
    is_trivial,
    passed_ids,
    starts_address,
    starts_upwards,
)
from wardround_python.dataflow.known_value import KnownContainer
from wardround_python.syntax.calls import passed_values

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_MATCHES = frozenset({"match", "fullmatch", "search"})
"""Methods that return None if a string does not match a pattern."""


class ConditionEvaluator:
    """Decides constant tests, and finds what guards show to be harmless."""

    __slots__ = (
        "_containers",
        "_folder",
        "_names",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._names = flow.names
        self._folder = flow.folder
        self._containers = flow.containers

    def truth_value(self, test: ast.expr) -> bool | None:
        """Return the truth value of a test that is constant here; None if unknown."""
        match test:
            case ast.BoolOp():
                return self._decided_combination(test)
            case ast.UnaryOp(op=ast.Not()):
                inner = self.truth_value(test.operand)
                return not inner if inner is not None else None
            case ast.NamedExpr():
                return self.truth_value(test.value)
            case ast.Name() if test.id not in self._state.values:
                return None  # a module-level option, which other code may set
            case ast.Name() | ast.Attribute():
                container = self._containers.find(test)
                return _is_filled(container) if container is not None else self._decided_constant(test)
        return self._decided_constant(test)

    def _decided_constant(self, test: ast.expr) -> bool | None:
        constant = self._folder.constant(test)
        return bool(constant.value) if constant is not None else None

    def _decided_combination(self, test: ast.BoolOp) -> bool | None:
        decided = [self.truth_value(value) for value in test.values]
        is_or = isinstance(test.op, ast.Or)
        if is_or in decided:
            return is_or
        return None if None in decided else not is_or

    def record_guard(self, key: str, source: ast.expr) -> None:
        """Record a guard that is stored in a name: ``allowed = is_safe(target)``."""
        if self._is_guard(source):
            tested = frozenset(node.id for node in walk(source) if isinstance(node, ast.Name))
            if key not in tested:
                self._state.guards[key] = source, tested

    def record_lookup(self, key: str, source: ast.expr) -> None:
        """Record the ids of a lookup: ``crate = crates.get(crate_id)``."""
        call = source.value if isinstance(source, ast.Await) else source
        if isinstance(call, ast.Call) and is_lookup(call.func):
            ids = frozenset(passed_ids(call)) - {key}
            if ids:
                self._state.record_ids[key] = ids

    def sanitized_branches(self, test: ast.expr) -> tuple[Sanitized, Sanitized]:
        """Return the values that a condition sanitizes where it is true, and where it is false."""
        match test:
            case ast.UnaryOp(op=ast.Not()):
                when_true, when_false = self.sanitized_branches(test.operand)
                return when_false, when_true
            case ast.BoolOp():
                return self._combination(test)
            case ast.NamedExpr():
                return self.sanitized_branches(test.value)
            case ast.Compare():
                return self._comparison(test)
            case ast.Call():
                return self._call(test)
            case ast.BinOp():
                inspected = dict.fromkeys(self._aliases_in(test), EVERYTHING)
                return inspected, inspected
            case ast.Attribute(attr="netloc" | "hostname"):
                return {}, self._sanitized_local_urls(test.value)
            case ast.Name() if test.id in self._state.guards:
                return self.sanitized_branches(self._state.guards[test.id][0])
        return self._lookup_guards(test)

    def _combination(self, test: ast.BoolOp) -> tuple[Sanitized, Sanitized]:
        """Return the sanitized values of ``and``, in which each operand is true, and of ``or``, in which each
        is false.
        """
        parts = [self.sanitized_branches(value) for value in test.values]
        if isinstance(test.op, ast.And):
            union = sanitized_by_any([when_true for when_true, _ in parts])
            return union, _sanitized_by_all([when_false for _, when_false in parts])
        union = sanitized_by_any([when_false for _, when_false in parts])
        return _sanitized_by_all([when_true for when_true, _ in parts]), union

    def _aliases_in(self, node: ast.expr) -> set[str]:
        """Return the keys of the names in an expression."""
        names = (part for part in walk(node) if isinstance(part, ast.Name))
        return {key for name in names for key in self._names.aliases(name)}

    def _is_guard(self, node: ast.expr) -> bool:
        """Return True if an expression tests a value."""
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) and self._is_guard(node.operand)
        if isinstance(node, ast.BoolOp):
            return all(map(self._is_guard, node.values))
        if isinstance(node, ast.Call):
            last = last_name(node.func)
            return last in SANITIZERS.text_guards or sanitizers.GUARDS.search(last) is not None
        return isinstance(node, ast.Compare) or (isinstance(node, ast.Name) and node.id in self._state.guards)

    def _sanitized_local_urls(self, parts: ast.expr) -> Sanitized:
        """Return what ``not urlsplit(target).netloc`` shows: the address leads to this site."""
        address = parts.args[0] if isinstance(parts, ast.Call) and parts.args else parts
        return dict.fromkeys(self._names.aliases(address), SinkKind.REDIRECT)

    def _lookup_guards(self, node: ast.expr) -> tuple[Sanitized, Sanitized]:
        """Return what a successful lookup shows: the value names something that exists."""
        known = {name: SinkKind.TRUST for name in self._names.aliases(node) if name != key_of(node)}
        for name in self._state.record_ids.get(key_of(node) or "", ()):
            known[name] = SinkKind.TRUST | SinkKind.PATH  # the id of a record is not a path
        return known, known

    def _comparison(self, test: ast.Compare) -> tuple[Sanitized, Sanitized]:
        left, right = test.left, test.comparators[0]
        match test.ops[0]:
            case ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE():
                return self._length_comparison([left, *test.comparators])
            case ast.In() if isinstance(left, ast.Constant):
                return {}, self._sanitized_by_absence(left, right)
            case ast.NotIn() if isinstance(left, ast.Constant):
                return self._sanitized_by_absence(left, right), {}
            case ast.Is():
                fits, fails = self._identity(left)
                return fails, fits
            case ast.IsNot():
                return self._identity(left)
            case op:
                return self._equality(left, op, right)

    def _length_comparison(self, operands: Sequence[ast.expr]) -> tuple[Sanitized, Sanitized]:
        lengths = [operand.args[0] for operand in operands if is_length(operand)]
        cut = {key: SinkKind.BACKTRACK for text in lengths for key in self._names.aliases(text)}
        return cut, cut

    def _sanitized_by_absence(self, text: ast.Constant, inspected: ast.expr) -> Sanitized:
        """Return the values that are sanitized by the absence of a constant in a string."""
        kinds = harmless_kinds(text.value)
        return dict.fromkeys(self._names.aliases(inspected), kinds) if kinds else {}

    def _identity(self, left: ast.expr) -> tuple[Sanitized, Sanitized]:
        """Return the sanitized values of a comparison with None where it is false, and where it is true."""
        is_match = last_name(getattr(left, "func", left)) in _MATCHES
        return self.sanitized_branches(left) if is_match else self._lookup_guards(left)

    def _equality(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> tuple[Sanitized, Sanitized]:
        if is_trivial(left) or is_trivial(right):
            return self._lookup_guards(left)
        if isinstance(op, (ast.In, ast.NotIn)) and is_request_part(right):
            return {}, {}
        inspected = dict.fromkeys([*self._compared_names(left), *self._compared_names(right)], EVERYTHING)
        if isinstance(left, ast.Call) or isinstance(right, ast.Call):
            return inspected, inspected
        return (inspected, {}) if isinstance(op, (ast.In, ast.Eq)) else ({}, inspected)

    def _compared_names(self, node: ast.expr) -> set[str]:
        """Return the names that a comparison inspects, including those in arguments of its calls."""
        names = set(self._names.aliases(node))
        match node:
            case ast.Attribute(attr=attribute) if attribute in SANITIZERS.clean_attributes:
                return set()
            case ast.Attribute() | ast.Subscript(value=ast.Call()):
                return names | self._compared_names(node.value)
            case ast.Call() if last_name(node.func) not in SANITIZERS.no_guards:
                for argument in passed_values(node):
                    names.update(self._names.aliases(argument))
                    names |= self._aliases_in(argument)
        return names

    def _call(self, test: ast.Call) -> tuple[Sanitized, Sanitized]:
        func, last = test.func, last_name(test.func)
        if isinstance(func, ast.Attribute) and last in SANITIZERS.text_guards:
            return self._guard_by_string_method(test, func)
        if last == "isinstance" and len(test.args) == 2 and not accepts_any_string(test.args[1]):
            return dict.fromkeys(self._names.aliases(test.args[0]), EVERYTHING), {}
        if last in SANITIZERS.no_guards:
            return {}, {}
        inspected = dict.fromkeys(self._names_in_guard(test), EVERYTHING)
        return inspected, inspected

    def _names_in_guard(self, test: ast.Call) -> set[str]:
        """Return the names in the arguments of a guard; without any, those of its receiver."""
        arguments = [argument for call in chain(test) for argument in passed_values(call)]
        if arguments:
            return set().union(*map(self._compared_names, arguments))
        if isinstance(test.func, ast.Attribute) and sanitizers.GUARDS.search(test.func.attr):
            return set(self._names.aliases(test.func.value))
        return set()

    def _guard_by_string_method(self, test: ast.Call, func: ast.Attribute) -> tuple[Sanitized, Sanitized]:
        """Return the effect of a string method as a guard: ``name.isalnum()``, ``target.startswith("/")``."""
        receiver = self._names.aliases(func.value)
        if func.attr != "startswith":
            return dict.fromkeys(receiver, EVERYTHING), {}
        if is_slash(test):
            return dict.fromkeys(receiver, SinkKind.URL), {}
        if starts_upwards(test):
            return {}, dict.fromkeys(receiver, SinkKind.PATH)
        if starts_address(test):
            return {}, dict.fromkeys(receiver, SinkKind.REDIRECT)
        return dict.fromkeys(receiver, EVERYTHING), {}


def _sanitized_by_all(found: Sequence[Sanitized]) -> Sanitized:
    """Return the sanitized names of each guard; a name only if the others sanitize all kinds that the first
    does.
    """
    first, *rest = found
    return {
        key: kinds
        for key, kinds in first.items()
        if all(key in other and other[key] & kinds == kinds for other in rest)
    }


def _is_filled(container: KnownContainer) -> bool | None:
    """Return True if a container is certain to have entries, False if it is certain to have none."""
    is_unknown = container.entries is None or container.is_parser
    return None if is_unknown else bool(container.entries)
