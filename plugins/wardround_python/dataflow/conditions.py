"""Guards: the truth of constant tests, and what a test shows about the values it inspects."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import walk
from wardround.semantics.dataflow.state import sanitized_by_any
from wardround_python.dataflow import request_parameters, sanitizers
from wardround_python.dataflow.catalogue import SANITIZERS, SOURCES
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.domain import EVERYTHING, NOTHING, Sanitized, SinkKind
from wardround_python.dataflow.expression_shapes import chain, is_length, key_of
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.scope import NameScope

_LOOKUP = LazyPattern(
    r"^(get|find|fetch|load|lookup|retrieve|select)"
    r"(_(?!\w*(file|path|dir|folder|content|blob|text|bytes|upload|param|arg|header|image))\w+)?$"
)
"""Methods that return the record of an id, or nothing."""
_MATCHES = frozenset({"match", "fullmatch", "search"})
"""Methods that return None if a text does not match a pattern."""


class ConditionEvaluator:
    """Decides constant tests, and finds what guards show to be harmless."""

    __slots__ = (
        "_containers",
        "_folder",
        "_names",
        "_state",
    )

    def __init__(
        self, state: FlowState, names: NameScope, folder: ConstantFolder, containers: ContainerLookup
    ) -> None:
        self._state = state
        self._names = names
        self._folder = folder
        self._containers = containers

    def decided(self, test: ast.expr) -> bool | None:
        """Return the truth value of a test that is constant here; None if unknown."""
        if isinstance(test, ast.BoolOp):
            decided = [self.decided(value) for value in test.values]
            is_or = isinstance(test.op, ast.Or)
            if is_or in decided:
                return is_or
            return None if None in decided else not is_or
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.decided(test.operand)
            return not inner if inner is not None else None
        if isinstance(test, ast.NamedExpr):
            return self.decided(test.value)
        if isinstance(test, ast.Name) and test.id not in self._state.values:
            return None  # a module-level option, which other code may set
        container = self._containers.find(test) if isinstance(test, (ast.Name, ast.Attribute)) else None
        if container is not None:
            return (
                bool(container.entries) if container.entries is not None and not container.is_parser else None
            )
        constant = self._folder.constant(test)
        return bool(constant.value) if constant is not None else None

    def record_guard(self, key: str, source: ast.expr) -> None:
        """Record a guard that is stored in a name: ``allowed = is_safe(target)``."""
        if self._is_guard(source):
            tested = frozenset(node.id for node in walk(source) if isinstance(node, ast.Name))
            if key not in tested:
                self._state.guards[key] = source, tested

    def record_lookup(self, key: str, source: ast.expr) -> None:
        """Record the ids of a lookup: ``crate = crates.get(crate_id)``."""
        call = source.value if isinstance(source, ast.Await) else source
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        if not _LOOKUP.search(call.func.attr) or _is_request_part(call.func.value):
            return
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        ids = {
            argument.id
            for argument in arguments
            if isinstance(argument, ast.Name) and request_parameters.ID_NAME.search(argument.id)
        }
        if ids - {key}:
            self._state.record_ids[key] = frozenset(ids - {key})

    def sanitized(self, test: ast.expr) -> tuple[Sanitized, Sanitized]:
        """Return what a test shows to be harmless where it is true, and where it is false."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            when_true, when_false = self.sanitized(test.operand)
            return when_false, when_true
        if isinstance(test, ast.BoolOp):
            both = [self.sanitized(value) for value in test.values]
            every, some = (0, 1) if isinstance(test.op, ast.And) else (1, 0)
            union = sanitized_by_any([item[every] for item in both])
            common = _sanitized_by_all([element[some] for element in both])
            return (union, common) if every == 0 else (common, union)
        if isinstance(test, ast.NamedExpr):
            return self.sanitized(test.value)
        if isinstance(test, ast.Compare):
            return self._comparison(test)
        if isinstance(test, ast.Call):
            return self._call(test)
        if isinstance(test, ast.BinOp):
            inspected = {
                k: EVERYTHING
                for node in walk(test)
                if isinstance(node, ast.Name)
                for k in self._names.aliases(node)
            }
            return inspected, inspected
        if isinstance(test, ast.Attribute) and test.attr in {"netloc", "hostname"}:
            return {}, self._without_host(test.value)
        if isinstance(test, ast.Name) and test.id in self._state.guards:
            return self.sanitized(self._state.guards[test.id][0])
        return self._looked_up(test)

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

    def _without_host(self, parts: ast.expr) -> Sanitized:
        """Return what ``not urlsplit(target).netloc`` shows: the address leads to this site."""
        address = parts.args[0] if isinstance(parts, ast.Call) and parts.args else parts
        return dict.fromkeys(self._names.aliases(address), SinkKind.REDIRECT)

    def _looked_up(self, node: ast.expr) -> tuple[Sanitized, Sanitized]:
        """Return what a successful lookup shows: the value names something that exists."""
        known = {name: SinkKind.TRUST for name in self._names.aliases(node) if name != key_of(node)}
        for name in self._state.record_ids.get(key_of(node) or "", ()):
            known[name] = SinkKind.TRUST | SinkKind.PATH  # the id of a record is not a path
        return known, known

    def _comparison(self, test: ast.Compare) -> tuple[Sanitized, Sanitized]:
        left, op, right = test.left, test.ops[0], test.comparators[0]
        if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            lengths = [operand for operand in (left, *test.comparators) if is_length(operand)]
            cut = {
                key: SinkKind.BACKTRACK for length in lengths for key in self._names.aliases(length.args[0])
            }
            return cut, cut
        if isinstance(left, ast.Constant) and isinstance(op, (ast.In, ast.NotIn)):
            kinds = _excluded(left.value)
            result = dict.fromkeys(self._names.aliases(right), kinds) if kinds else {}
            return (result, {}) if isinstance(op, ast.NotIn) else ({}, result)
        if isinstance(op, (ast.Is, ast.IsNot)) and last_name(getattr(left, "func", left)) in _MATCHES:
            fits, fails = self.sanitized(left)
            return (fits, fails) if isinstance(op, ast.IsNot) else (fails, fits)
        sides = [left, right] if not isinstance(op, (ast.Is, ast.IsNot)) else []
        if any(isinstance(item, ast.Constant) and item.value in ("", None, 0, False, True) for item in sides):
            return self._looked_up(left)
        if not sides:
            return self._looked_up(left)
        if isinstance(op, (ast.In, ast.NotIn)) and _is_request_part(right):
            return {}, {}
        inspected = {key: EVERYTHING for side in sides for key in self._compared(side)}
        if any(isinstance(element, ast.Call) for element in sides):
            return inspected, inspected
        return (inspected, {}) if isinstance(op, (ast.In, ast.Eq)) else ({}, inspected)

    def _compared(self, node: ast.expr) -> set[str]:
        """Return the names a comparison inspects, those in arguments of its calls too."""
        if isinstance(node, ast.Attribute) and node.attr in SANITIZERS.clean_attributes:
            return set()
        results = set(self._names.aliases(node))
        if isinstance(node, ast.Call) and last_name(node.func) not in SANITIZERS.no_guards:
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                results |= set(self._names.aliases(argument)) | {
                    k
                    for part in walk(argument)
                    if isinstance(part, ast.Name)
                    for k in self._names.aliases(part)
                }
        if isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call)
        ):
            results |= self._compared(node.value)
        return results

    def _call(self, test: ast.Call) -> tuple[Sanitized, Sanitized]:
        last = last_name(test.func)
        inspected: dict[str, SinkKind] = {}
        if isinstance(test.func, ast.Attribute) and last in SANITIZERS.text_guards:
            kinds = EVERYTHING
            if last == "startswith" and _is_slash(test):
                kinds = SinkKind.URL
            elif last == "startswith" and _starts_upwards(test):
                return {}, dict.fromkeys(self._names.aliases(test.func.value), SinkKind.PATH)
            elif last == "startswith" and _starts_address(test):
                return {}, dict.fromkeys(self._names.aliases(test.func.value), SinkKind.REDIRECT)
            inspected = dict.fromkeys(self._names.aliases(test.func.value), kinds)
            return inspected, {}
        if last == "isinstance" and len(test.args) == 2 and not _names_text(test.args[1]):
            return dict.fromkeys(self._names.aliases(test.args[0]), EVERYTHING), {}
        if last in SANITIZERS.no_guards:
            return {}, {}
        arguments = [
            argument for call in chain(test) for argument in (*call.args, *(k.value for k in call.keywords))
        ]
        for arg in arguments:
            inspected.update(dict.fromkeys(self._compared(arg), EVERYTHING))
        if isinstance(test.func, ast.Attribute) and sanitizers.GUARDS.search(last) and not arguments:
            inspected.update(dict.fromkeys(self._names.aliases(test.func.value), EVERYTHING))
        return inspected, inspected


def _sanitized_by_all(found: Sequence[Sanitized]) -> Sanitized:
    """Return what each guard shows; a name only if the others sanitize all kinds that the first does."""
    first, *rest = found
    return {
        key: kinds
        for key, kinds in first.items()
        if all(key in other and other[key] & kinds == kinds for other in rest)
    }


def _excluded(text: object) -> SinkKind:
    """Return the kinds of sink that a value cannot harm if it does not contain a text."""
    if not isinstance(text, str):
        return NOTHING
    if ".." in text or text in {"/", "\\"}:
        return SinkKind.PATH
    if text == "'":
        return SinkKind.XPATH
    if text == "://":  # //other.example leads away too
        return SinkKind.URL
    return SinkKind.REDIRECT | SinkKind.URL if text in {"//", ":"} else NOTHING


def _is_request_part(node: ast.expr) -> bool:
    """Return True for a part of a request; a test of it shows only that the part was sent."""
    return isinstance(node, ast.Attribute) and node.attr in SOURCES.request_parts


def _is_slash(test: ast.Call) -> bool:
    return (
        bool(test.args)
        and isinstance(test.args[0], ast.Constant)
        and test.args[0].value in {"/", "http", "https://", "http://"}
    )


def _starts_upwards(test: ast.Call) -> bool:
    """Return True for a test of ``..``, alone or among other prefixes, as of a normalized path."""
    first = test.args[0] if test.args else None
    parts = first.elts if isinstance(first, ast.Tuple) else [first]
    return any(isinstance(part, ast.Constant) and str(part.value).startswith("..") for part in parts)


def _starts_address(test: ast.Call) -> bool:
    first = test.args[0] if test.args else None
    return isinstance(first, ast.Constant) and first.value == "//"


def _names_text(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Name) and inner.id in {"str", "bytes", "list", "dict", "Mapping"}
        for inner in walk(node)
    )
