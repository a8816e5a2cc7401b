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
from wardround_typescript.dataflow.constant_folding import Constant, fold
from wardround_typescript.dataflow.containers import Containers
from wardround_typescript.dataflow.domain import EVERYTHING, Taint, keys_of
from wardround_typescript.dataflow.evaluator import Evaluator, FunctionRunner
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.response_sinks import ResponseSinks
from wardround_typescript.dataflow.state import FlowState

_ROUNDS = 2
"""How often the body of a loop is analysed, so that values of its end are seen at its start."""
_MAX_LOOP_DEPTH = 3
"""Bodies of loops nested deeper are analysed once."""
_LABELS = frozenset({"string", "number", "member_expression", "identifier"})
"""Types of the labels of a case that prove the value of the subject."""
_EXITS = frozenset({"process.exit", "ctx.throw", "this.ctx.throw"})
_NESTED = ("statement", "declaration", "block")


class StatementWalker:
    """Analyses statements in order; each returns True if control leaves its block there."""

    __slots__ = (
        "_assignments",
        "_class_fields",
        "_conditions",
        "_containers",
        "_evaluator",
        "_functions",
        "_module",
        "_responses",
        "_sanitizers",
        "_scope",
        "_state",
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
        self._containers = containers
        self._responses = responses
        self._class_fields = class_fields

    def walk_function(self, function: Node) -> None:
        """Analyse the body of a function."""
        body = function.child_by_field_name("body")
        if body is None:
            return
        if body.type == "statement_block":
            self.walk(body.named_children)
        else:
            self._add_return(body)

    def walk(self, body: Iterable[Node]) -> bool:
        """Analyse the statements of a block; those after a jump are not reached."""
        return any(map(self._statement, body))

    def _statement(self, node: Node) -> bool:
        analyse = _STATEMENTS.get(node.type)
        if analyse is not None:
            return analyse(self, node)
        for child in node.named_children:
            if child.type.endswith(_NESTED):
                self._statement(child)
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
            self._add_return(node.named_children[0])
        return True

    def _add_return(self, node: Node) -> None:
        """Record a returned value, and the values of its fields where it is a literal."""
        value = self._evaluator.evaluate(node)
        self._state.add_return(value)
        if not value:
            return
        literal = bare(node)
        self._responses.check_returned(literal, value)
        contents = self._containers.list_contents(literal) if literal.type == "array" else None
        fields: dict[str, Taint] = {}
        if contents is not None:
            fields.update((str(at), element) for at, element in enumerate(contents.elements))
        if literal.type == "object":
            fields.update(self._evaluator.fields(literal, value))
        is_complete = contents is None or contents.rest is None
        self._state.returned_fields = fields if self._state.returned_fields is None and is_complete else {}

    def _throw(self, node: Node) -> bool:
        for child in node.named_children:
            self._evaluator.evaluate(child)
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
        body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
        leaves = self._statement(body) if body is not None else False
        after = self._state.values
        ends = [] if leaves else [after]
        if handler is not None:
            self._state.values = joined_taints(before, after) if leaves else dict(after)
            caught = handler.child_by_field_name("body")
            if caught is None or not self._statement(caught):
                ends.append(self._state.values)
        self._state.values = before
        self._state.join(ends)
        last = node.child_by_field_name("finalizer")
        has_left = last is not None and bool(last.named_children) and self._block(last.named_children[0])
        return has_left or not ends

    def _switch(self, node: Node) -> bool:
        subject, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        if subject is None or body is None:
            return False
        self._evaluator.evaluate(subject)
        constant = fold(self._scope, subject)
        if constant is not None and self._constant_case(body, constant):
            return False
        matched = dict.fromkeys(self._state.refinable_paths(bare(subject)), EVERYTHING)
        before = dict(self._state.values)
        ends: list[dict[str, Taint]] = []
        outer, self._state.jumps = self._state.jumps, []
        has_default, is_matched = False, False
        for case in body.named_children:
            test = case.child_by_field_name("value")
            has_default = has_default or case.type == "switch_default"
            self._state.values = dict(before)
            is_matched = is_matched or (test is not None and bare(test).type in _LABELS)
            if test is not None and is_matched:
                self._state.refine(matched)
            if not self._case(case, test):
                ends.append(self._state.values)
        ends += self._state.jumps
        self._state.jumps = outer
        if not has_default:
            ends.append(before)
        self._state.values = before
        self._state.join(ends)
        return not ends

    def _case(self, case: Node, test: Node | None) -> bool:
        return self.walk(child for child in case.named_children if test is None or child.id != test.id)

    def _constant_case(self, body: Node, constant: Constant) -> bool:
        """Analyse the case that a constant selects and those it falls through to; False if it is unknown."""
        cases = body.named_children
        tests = [case.child_by_field_name("value") for case in cases]
        labels = [fold(self._scope, test) if test is not None else None for test in tests]
        if any(label is None for label, test in zip(labels, tests, strict=True) if test is not None):
            return False
        default = next((at for at, case in enumerate(cases) if case.type == "switch_default"), len(cases))
        first = labels.index(constant) if constant in labels else default
        outer, self._state.jumps = self._state.jumps, []
        for case, test in list(zip(cases, tests, strict=True))[first:]:
            if self._case(case, test):
                break
        self._state.jumps = outer
        return True

    # Loops.

    def _loop(self, node: Node) -> bool:
        outer, self._state.jumps = self._state.jumps, []
        self._state.loop_depth += 1
        body, test = node.child_by_field_name("body"), node.child_by_field_name("condition")
        initializer = node.child_by_field_name("initializer")
        if initializer is not None:
            self._statement(initializer)
        for _ in range(_ROUNDS if self._state.loop_depth <= _MAX_LOOP_DEPTH else 1):
            joined = dict(self._state.values)
            self._loop_head(node, test)
            leaves = self._statement(body) if body is not None else False
            for end in [*([] if leaves else [self._state.values]), *self._state.jumps]:
                joined = joined_taints(joined, end)
            self._state.values, self._state.jumps = joined, []
        self._state.loop_depth -= 1
        self._state.jumps = outer
        return False

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
        sign = node.child_by_field_name("operator")
        if sign is not None and self._module.of(sign) == "in":
            value = keys_of(value)
        if is_entry_list(self._module.of(bare(right))):
            self._assignments.bind_entry(left, value)
        else:
            self._assignments.bind(left, value, None)
        if left.type == "identifier":
            self._state.derived_from[self._module.of(left)] = self._state.tainted_paths(right)

    # Declarations.

    def _class(self, node: Node) -> bool:
        body = node.child_by_field_name("body")
        members = body.named_children if body is not None else []
        for member in sorted(members, key=lambda one: self._module.of(one)[:11] != "constructor"):
            value = member.child_by_field_name("value")
            if member.type == "method_definition":
                self._functions.run_function(member)
            elif value is not None:
                initial = self._evaluator.evaluate(value)
                name = member.child_by_field_name("name")
                if name is not None:
                    owner = self._scope.class_of(member)
                    self._class_fields.add(owner, self._module.of(name), initial)
        return False

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
