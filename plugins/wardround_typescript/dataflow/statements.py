"""The control flow of a function: statements, and the join of the states at the ends of branches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tree_sitter import Node

from wardround.semantics.dataflow.state import joined_taints
from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.arguments import is_entry_list
from wardround_typescript.dataflow.assignments import Assignments
from wardround_typescript.dataflow.class_fields import ClassFields
from wardround_typescript.dataflow.conditions import ConditionEvaluator
from wardround_typescript.dataflow.constant_folding import fold
from wardround_typescript.dataflow.containers import Containers
from wardround_typescript.dataflow.domain import Taint, keys_of
from wardround_typescript.dataflow.evaluator import Evaluator, FunctionRunner
from wardround_typescript.dataflow.nodes import bare, field_text
from wardround_typescript.dataflow.response_sinks import ResponseSinks
from wardround_typescript.dataflow.returns import Returns
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.switches import SwitchWalker
from wardround_typescript.syntax.nodes import child, first_part, parts

_ROUNDS = 2
"""Number of analyses of a loop's body, so that values of its end are propagated to its start."""
_MAX_LOOP_DEPTH = 3
"""Bodies of loops nested deeper are analysed once."""
_EXITS = frozenset({"process.exit", "ctx.throw", "this.ctx.throw"})
_NESTED = ("statement", "declaration", "block")


class StatementWalker:
    """Analyses statements in order; each returns True if control leaves its block there."""

    __slots__ = (
        "_assignments",
        "_class_fields",
        "_conditions",
        "_evaluator",
        "_functions",
        "_module",
        "_returns",
        "_sanitizers",
        "_scope",
        "_state",
        "_switches",
    )

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        functions: FunctionRunner,
        *,
        conditions: ConditionEvaluator,
        assignments: Assignments,
        containers: Containers,
        responses: ResponseSinks,
        class_fields: ClassFields,
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._sanitizers = sanitizers.catalogue()
        self._evaluator = evaluator
        self._functions = functions
        self._conditions = conditions
        self._assignments = assignments
        self._returns = Returns(state, evaluator, containers, responses)
        self._class_fields = class_fields
        self._switches = SwitchWalker(state, self)

    def walk_function(self, function: Node) -> None:
        """Analyse the body of a function."""
        body = function.child_by_field_name("body")
        if body is None:
            return
        if body.type == "statement_block":
            self.walk(body.named_children)
        else:
            self._returns.add(body)

    def walk(self, body: Iterable[Node]) -> bool:
        """Analyse the statements of a block; those after a jump are not reached."""
        return any(map(self._statement, body))

    def _statement(self, node: Node) -> bool:
        analyse = _STATEMENTS.get(node.type)
        if analyse is not None:
            return analyse(self, node)
        for part in node.named_children:
            if part.type.endswith(_NESTED):
                self._statement(part)
        return False

    def _block(self, node: Node) -> bool:
        return self.walk(node.named_children)

    def _expression(self, node: Node) -> bool:
        if not node.named_children:
            return False
        expression = node.named_children[0]
        self._evaluator.evaluate(expression)
        self._state.refine(self._conditions.assertion(expression))
        return self._never_returns(bare(expression))

    def _never_returns(self, node: Node) -> bool:
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is None:
            return False
        text = self._module.of(function)
        if function.type == "identifier":
            return text in self._sanitizers.exits
        return text in _EXITS or text.endswith((".throw", ".exit"))

    def _declaration(self, node: Node) -> bool:
        for declarator in node.named_children:
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if declarator.type == "variable_declarator" and name is not None and value is not None:
                self._assignments.bind(name, self._evaluator.evaluate(value), value)
        return False

    def _return(self, node: Node) -> bool:
        if node.named_children:
            self._returns.add(node.named_children[0])
        return True

    def _throw(self, node: Node) -> bool:
        for part in node.named_children:
            self._evaluator.evaluate(part)
        return True

    def _jump(self, node: Node) -> bool:
        self._state.jumps.append(dict(self._state.values))
        return True

    # Branches.

    def _if(self, node: Node) -> bool:
        test, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        if test is None or then is None:
            return False
        self._evaluator.evaluate(test)
        constant = fold(self._scope, test)
        other = node.child_by_field_name("alternative")
        if constant is not None:
            return self._statement(then) if constant else other is not None and self._block(other)
        when_true, when_false = self._conditions.refinements(test)
        before = dict(self._state.values)
        ends: list[dict[str, Taint]] = []
        self._state.refine(when_true)
        if not self._statement(then):
            ends.append(self._state.values)
        self._state.values = before
        self._state.refine(when_false)
        if other is None or not self._block(other):
            ends.append(self._state.values)
        self._state.join(ends)
        return not ends

    def _try(self, node: Node) -> bool:
        before = dict(self._state.values)
        body, handler = child(node, "body"), child(node, "handler")
        leaves = body is not None and self._statement(body)
        after = self._state.values
        ends = [] if leaves else [after]
        if handler is not None:
            self._state.values = joined_taints(before, after) if leaves else dict(after)
            if not self._walk_body(handler):
                ends.append(self._state.values)
        self._state.values = before
        self._state.join(ends)
        last = first_part(child(node, "finalizer"))
        has_left = last is not None and self._block(last)
        return has_left or not ends

    def _walk_body(self, node: Node) -> bool:
        body = child(node, "body")
        return body is not None and self._statement(body)

    def _switch(self, node: Node) -> bool:
        subject, body = child(node, "value"), child(node, "body")
        if subject is None or body is None:
            return False
        self._evaluator.evaluate(subject)
        return self._switches.walk(subject, body)

    # Loops.

    def _loop(self, node: Node) -> bool:
        outer, self._state.jumps = self._state.jumps, []
        self._state.loop_depth += 1
        initializer = child(node, "initializer")
        if initializer is not None:
            self._statement(initializer)
        for _ in range(_ROUNDS if self._state.loop_depth <= _MAX_LOOP_DEPTH else 1):
            self._round(node)
        self._state.loop_depth -= 1
        self._state.jumps = outer
        return False

    def _round(self, node: Node) -> None:
        """Analyse the body of a loop once, and join its end states with the state before it."""
        joined = dict(self._state.values)
        self._loop_head(node, child(node, "condition"))
        leaves = self._walk_body(node)
        ends = self._state.jumps if leaves else [self._state.values, *self._state.jumps]
        for end in ends:
            joined = joined_taints(joined, end)
        self._state.values, self._state.jumps = joined, []

    def _loop_head(self, node: Node, test: Node | None) -> None:
        if node.type == "for_in_statement":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                self._bind_element(node, left, right)
        elif test is not None:
            self._evaluator.evaluate(test)
            self._state.refine(self._conditions.refinements(test)[0])

    def _bind_element(self, node: Node, left: Node, right: Node) -> None:
        """Bind the variable of a ``for`` loop over a list, or over the keys of an object."""
        value = self._evaluator.evaluate(right)
        if field_text(self._module, node, "operator") == "in":
            value = keys_of(value)
        if is_entry_list(self._module.of(bare(right))):
            self._assignments.bind_entry(left, value)
        else:
            self._assignments.bind(left, value, None)
        if left.type == "identifier":
            self._state.derived_from[self._module.of(left)] = self._state.tainted_paths(right)

    # Declarations.

    def _class(self, node: Node) -> bool:
        members = parts(child(node, "body"))
        for member in sorted(members, key=lambda member: self._module.of(member)[:11] != "constructor"):
            if member.type == "method_definition":
                self._functions.run_function(member)
            else:
                self._class_field(member)
        return False

    def _class_field(self, member: Node) -> None:
        value, name = child(member, "value"), child(member, "name")
        if value is None:
            return
        initial = self._evaluator.evaluate(value)
        if name is not None:
            self._class_fields.add(self._scope.class_of(member), self._module.of(name), initial)

    def _export(self, node: Node) -> bool:
        declaration = node.child_by_field_name("declaration")
        if declaration is not None:
            return self._statement(declaration)
        value = node.child_by_field_name("value")
        if value is not None:
            self._evaluator.evaluate(value)
        return False

    def _function(self, node: Node) -> bool:
        self._functions.run_function(node)
        return False


_STATEMENTS: Mapping[str, Callable[[StatementWalker, Node], bool]] = {
    "expression_statement": StatementWalker._expression,
    "lexical_declaration": StatementWalker._declaration,
    "variable_declaration": StatementWalker._declaration,
    "statement_block": StatementWalker._block,
    "return_statement": StatementWalker._return,
    "throw_statement": StatementWalker._throw,
    "break_statement": StatementWalker._jump,
    "continue_statement": StatementWalker._jump,
    "if_statement": StatementWalker._if,
    "try_statement": StatementWalker._try,
    "switch_statement": StatementWalker._switch,
    "export_statement": StatementWalker._export,
    **dict.fromkeys(
        ("while_statement", "for_statement", "for_in_statement", "do_statement"), StatementWalker._loop
    ),
    **dict.fromkeys(("class_declaration", "abstract_class_declaration"), StatementWalker._class),
    **dict.fromkeys(("function_declaration", "generator_function_declaration"), StatementWalker._function),
}
