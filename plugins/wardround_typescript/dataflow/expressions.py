"""The values of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join, join_all, without
from wardround_typescript.dataflow.assignments import Assignments
from wardround_typescript.dataflow.calls import CallEvaluator
from wardround_typescript.dataflow.conditions import ConditionEvaluator
from wardround_typescript.dataflow.constant_folding import fold
from wardround_typescript.dataflow.domain import CLEAN, Taint
from wardround_typescript.dataflow.evaluator import FunctionRunner
from wardround_typescript.dataflow.lists import OF_CONTAINER
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.object_literals import ObjectLiterals
from wardround_typescript.dataflow.properties import PropertyReader
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.string_building import StringBuilder

_MAX_DEPTH = 90
"""Expressions nested deeper are taken to be clean; people don't write them."""


class ExpressionEvaluator:
    """Evaluates expressions by the type of their node."""

    __slots__ = (
        "_assignments",
        "_calls",
        "_conditions",
        "_functions",
        "_module",
        "_objects",
        "_properties",
        "_scope",
        "_state",
        "_strings",
    )

    def __init__(
        self,
        state: FlowState,
        functions: FunctionRunner,
        *,
        conditions: ConditionEvaluator,
        strings: StringBuilder,
        properties: PropertyReader,
        objects: ObjectLiterals,
        calls: CallEvaluator,
        assignments: Assignments,
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._functions = functions
        self._conditions = conditions
        self._strings = strings
        self._properties = properties
        self._objects = objects
        self._calls = calls
        self._assignments = assignments

    def evaluate(self, node: Node) -> Taint:
        """Return the value of an expression; sinks that its calls reach are recorded."""
        state = self._state
        if state.depth > _MAX_DEPTH:
            return CLEAN
        evaluate = _EVALUATORS.get(node.type, _OTHER)
        state.depth += 1
        try:
            return evaluate(self, node)
        finally:
            state.depth -= 1

    def _opaque(self, node: Node) -> Taint:
        """Evaluate an expression that does not propagate the values in it."""
        for child in node.named_children:
            self.evaluate(child)
        return CLEAN

    def _clean(self, node: Node) -> Taint:
        return CLEAN

    def _identifier(self, node: Node) -> Taint:
        return self._state.values.get(self._module.of(node), CLEAN)

    def _inner(self, node: Node) -> Taint:
        return self.evaluate(node.named_children[0]) if node.named_children else CLEAN

    def _yield(self, node: Node) -> Taint:
        """Add the yielded value to the results of the generator; values sent to it are not followed."""
        self._state.add_return(self._inner(node))
        return CLEAN

    def _sequence(self, node: Node) -> Taint:
        values = [self.evaluate(child) for child in node.named_children]
        return values[-1] if values else CLEAN

    def _cast(self, node: Node) -> Taint:
        return self.evaluate(node.named_children[-1]) if node.named_children else CLEAN

    def _member(self, node: Node) -> Taint:
        owner, name = node.child_by_field_name("object"), self._state.property_name(node)
        return self._properties.read(owner, name) if owner is not None and name else CLEAN

    def _subscript(self, node: Node) -> Taint:
        return self._properties.subscript(node)

    def _template(self, node: Node) -> Taint:
        return self._strings.template(node)

    def _object(self, node: Node) -> Taint:
        return self._objects.evaluate(node)

    def _call(self, node: Node) -> Taint:
        return self._calls.evaluate(node)

    def _function(self, node: Node) -> Taint:
        self._functions.run_function(node)
        return CLEAN

    def _evaluate_assignment(self, node: Node) -> Taint:
        self._assignments.assign(node)
        left = node.child_by_field_name("left")
        return self.evaluate(left) if left is not None else CLEAN

    def _array(self, node: Node) -> Taint:
        return without(join_all([self.evaluate(element) for element in node.named_children]), OF_CONTAINER)

    def _binary(self, node: Node) -> Taint:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        sign = node.child_by_field_name("operator")
        if left is None or right is None or sign is None:
            return CLEAN
        operator = self._module.of(sign)
        if operator == "+":
            return self._strings.concatenate(
                [self._strings.part(operand) for operand in self._operands(node)]
            )
        if operator in {"||", "&&", "??"}:
            return self._logical(left, right, operator)
        self.evaluate(left)
        self.evaluate(right)
        return CLEAN

    def _operands(self, node: Node) -> Iterator[Node]:
        """Return the operands of ``a + b + c``."""
        stack, operands = [node], []
        while stack:
            core = bare(stack.pop())
            sign = core.child_by_field_name("operator") if core.type == "binary_expression" else None
            if sign is not None and self._module.of(sign) == "+":
                sides = (core.child_by_field_name("left"), core.child_by_field_name("right"))
                stack += [side for side in sides if side is not None]
            else:
                operands.append(core)
        return reversed(operands)

    def _logical(self, left: Node, right: Node, operator: str) -> Taint:
        first = self.evaluate(left)
        constant = fold(self._scope, left) if operator != "??" else None
        if constant is not None and bool(constant) is (operator == "||"):
            return first
        before = dict(self._state.values)
        when_true, when_false = self._conditions.refinements(left)
        self._state.refine(when_true if operator == "&&" else when_false)
        second = self.evaluate(right)
        self._state.values = before
        return second if operator == "&&" else join(first, second)

    def _conditional(self, node: Node) -> Taint:
        test = node.child_by_field_name("condition")
        first, second = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if test is None or first is None or second is None:
            return CLEAN
        self.evaluate(test)
        constant = fold(self._scope, test)
        if constant is not None:
            return self.evaluate(first if constant else second)
        when_true, when_false = self._conditions.refinements(test)
        before = dict(self._state.values)
        self._state.refine(when_true)
        value = self.evaluate(first)
        self._state.values = dict(before)
        self._state.refine(when_false)
        other = self.evaluate(second)
        self._state.values = before
        return join(value, other)


_OTHER = ExpressionEvaluator._opaque
_EVALUATORS: Mapping[str, Callable[[ExpressionEvaluator, Node], Taint]] = {
    "identifier": ExpressionEvaluator._identifier,
    "shorthand_property_identifier": ExpressionEvaluator._identifier,
    "member_expression": ExpressionEvaluator._member,
    "subscript_expression": ExpressionEvaluator._subscript,
    "template_string": ExpressionEvaluator._template,
    "binary_expression": ExpressionEvaluator._binary,
    "ternary_expression": ExpressionEvaluator._conditional,
    "array": ExpressionEvaluator._array,
    "object": ExpressionEvaluator._object,
    "call_expression": ExpressionEvaluator._call,
    "new_expression": ExpressionEvaluator._call,
    "assignment_expression": ExpressionEvaluator._evaluate_assignment,
    "augmented_assignment_expression": ExpressionEvaluator._evaluate_assignment,
    "sequence_expression": ExpressionEvaluator._sequence,
    "type_assertion": ExpressionEvaluator._cast,
    "yield_expression": ExpressionEvaluator._yield,
    **dict.fromkeys(
        (
            "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression",
            "await_expression", "spread_element", "instantiation_expression",
        ),
        ExpressionEvaluator._inner,
    ),
    **dict.fromkeys(FUNCTIONS, ExpressionEvaluator._function),
    **dict.fromkeys(
        (
            "string", "number", "regex", "this", "super", "true", "false", "null", "undefined", "comment",
            "type_annotation", "type_arguments", "predefined_type", "string_fragment",
        ),
        ExpressionEvaluator._clean,
    ),
}  # fmt: skip
