"""Follows what came in through the statements of one function, branches apart and then together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tree_sitter import Node

from wardround_typescript.dataflow import sanitizers, sources
from wardround_typescript.dataflow.assignments import Binding
from wardround_typescript.dataflow.constant_folding import Worth, worth
from wardround_typescript.dataflow.domain import (
    CLEAN,
    EVERYTHING,
    PARAMETER,
    PLACED,
    SENT_TEXT,
    SinkKind,
    Value,
    field_of,
    united,
)
from wardround_typescript.dataflow.scope import FUNCTIONS, bare
from wardround_typescript.dataflow.state import AMOUNT, keys_of, merged

_MOST_ROUNDS = 2
"""How often a loop's body is walked, so that what its end assigns is seen at its start."""
_DEEPEST_LOOP = 3
_PARAMETERS = frozenset({"required_parameter", "optional_parameter", "identifier", "object_pattern",
"array_pattern", "assignment_pattern",
                         "rest_pattern"})  # fmt: skip
_RESOLVER_FIRST = frozenset(
    {"_", "__", "parent", "_parent", "root", "_root", "obj", "_obj", "source", "_source"}
)


class FunctionFlow(Binding):
    """One walk through one function, or through the statements of the module itself."""

    # Functions.

    def run_function(
        self, node: Node, given: Sequence[Value] | None = None, has_pairs: bool = False
    ) -> Value:
        if not self.owner.enter():
            return CLEAN
        inner = FunctionFlow(self.owner, node, self)
        inner.has_pairs = has_pairs
        inner._parameters(given)
        inner._body()
        self.owner.leave()
        self._keep(node, inner)
        self.owner.shapes[node.id] = inner.shape or {}
        return self.owner.finished(node, inner.returned)

    def _keep(self, node: Node, inner: FunctionFlow) -> None:
        """What a function did to the names around it may have been done."""
        own = inner.own_names
        for key, value in inner.values.items():
            if key.partition(".")[0] in own:
                continue
            if key in self.values:
                if value is not self.values[key]:
                    self.values[key] = united(self.values[key], value)
            elif ".=" in key and f"{key.partition('.=')[0]}.{AMOUNT}" in self.values:
                self.values[key] = value

    def run_resolver(self, function: Node, value: Value, fields: dict[str, Value]) -> Value:
        if not self.owner.enter():
            return CLEAN
        inner = FunctionFlow(self.owner, function, self)
        inner.types["ctx"] = "trpc"
        for one in inner.listed()[:1]:
            pattern = one.child_by_field_name("pattern") or one
            inner._bind_input(pattern, value, fields)
        inner._body()
        self.owner.leave()
        return inner.returned

    def _bind_input(self, pattern: Node, value: Value, fields: dict[str, Value]) -> None:
        if pattern.type == "identifier":
            self._set(self.module.of(pattern) + ".input", value, fields)
            self._set(self.module.of(pattern) + ".parsedInput", value, fields)
        for one in pattern.named_children if pattern.type == "object_pattern" else ():
            key = one.child_by_field_name("key")
            name = self.module.of(key if key is not None else one)
            own = one.child_by_field_name("value") if key is not None else one
            if name in {"input", "parsedInput", "data"} and own is not None:
                if own.type == "object_pattern":
                    for each in own.named_children:
                        field = self.module.of(each.child_by_field_name("key") or each)
                        self.bind(each.child_by_field_name("value") or each, fields.get(field, value), None)
                else:
                    self._set(self.module.of(own), value, fields)

    def _set(self, name: str, value: Value, fields: dict[str, Value]) -> None:
        self.values[name] = value
        for key, known in fields.items():
            self.values[f"{name}.{key}"] = known

    def listed(self) -> list[Node]:
        """The parameters as written."""
        if self.function is None:
            return []
        single = self.function.child_by_field_name("parameter")
        if single is not None:
            return [single]
        whole = self.function.child_by_field_name("parameters")
        return [one for one in (whole.named_children if whole is not None else ()) if one.type in _PARAMETERS]

    def _parameters(self, given: Sequence[Value] | None) -> None:
        function = self.function
        assert function is not None
        is_action = sources.is_server_action(self.module, function)
        is_named = given is None and self.owner.is_named(function)
        name = self.owner.name_of(function)
        for names in self.owner.route_names(function, name):
            self.values[names[0]] = names[1]
        resolves = self._is_resolver()
        self.own_names: set[str] = set()
        for at, one in enumerate(self.listed()):
            pattern = one.child_by_field_name("pattern") or one
            kind = sources.declared_type(self.module, one)
            value = given[at] if given is not None and at < len(given) else CLEAN
            if is_named:
                value = {PARAMETER + f"{self.module.path}:{function.start_byte}:{at}": self._whole(kind)}
            default = one.child_by_field_name("value")
            if default is not None and default.type not in FUNCTIONS:
                value = united(value, self.value(default))
            if is_action:
                value = united(value, sources.action_parameter(kind))
            if resolves and at == 1:
                value = SENT_TEXT
            decorated = sources.decorated(self.module, one)
            if decorated is not None:
                value = decorated
            if is_named and not sources.is_text(kind):
                value = CLEAN
            self._parameter(pattern, kind, value, decorated is not None)
            if at == 0 and self._is_lambda_event(pattern, kind):
                self.kinds[self.module.of(pattern)] = sources.LAMBDA_EVENT

    def _is_lambda_event(self, pattern: Node, kind: str) -> bool:
        """Return True if a first parameter holds whatever the caller of a Lambda function sends."""
        known = self.kinds.get(self.module.of(pattern))
        if known != "event" or kind not in {"", "any", "unknown"} or self.function is None:
            return False
        return sources.is_lambda_handler(self.module, self.function)

    def _whole(self, kind: str) -> SinkKind:
        whole = EVERYTHING & ~PLACED
        return whole & ~(SinkKind.NOSQL | SinkKind.FIELDS) if kind == "string" else whole

    def _parameter(self, pattern: Node, kind: str, value: Value, is_decorated: bool) -> None:
        if pattern.type == "rest_pattern" and pattern.named_children:
            pattern = pattern.named_children[0]
        if pattern.type == "assignment_pattern":
            pattern = pattern.child_by_field_name("left") or pattern
        name = self.module.of(pattern) if pattern.type == "identifier" else ""
        self.own_names.add(name)
        for key in [one for one in self.values if one.startswith(name + ".")] if name else []:
            del self.values[key]
        self.kinds.pop(name, None)
        found = "" if is_decorated else sources.request_kind(self.module, name, kind) if name else ""
        if name and kind:
            self.types[name] = kind.partition("<")[0]
        if found:
            self.kinds[name] = found
            self.values[name] = CLEAN
            return
        if pattern.type == "object_pattern":
            self._taken_apart(pattern, kind, value)
        elif self.has_pairs:
            self._bind_pair(pattern, value)
        else:
            self.bind(pattern, value, None)

    def _taken_apart(self, pattern: Node, kind: str, value: Value) -> None:
        """A parameter taken apart in the list: parts of the request, ``params`` of a route, or anything."""
        is_request = sources.request_kind(self.module, "request", kind) == "request" and kind
        route = {
            name: known for name, known in self.values.items() if name in {"params", "searchParams", "query"}
        }
        for one in pattern.named_children:
            key = one.child_by_field_name("key") or one.child_by_field_name("left") or one
            name = self.module.of(key)
            own = one.child_by_field_name("value") or one
            self.own_names.add(self.module.of(own))
            part = sources.part("request", name) if is_request else None
            if (
                name in {"request", "req"}
                and own.type in {"shorthand_property_identifier_pattern", "identifier"}
                and not value
            ):
                self.kinds[self.module.of(own)] = "request"
                continue
            self.bind(own, part if part is not None else route.get(name, field_of(value, name)), None)

    def _is_resolver(self) -> bool:
        names = [self.module.of(one.child_by_field_name("pattern") or one) for one in self.listed()[:2]]
        return len(names) > 1 and names[0] in _RESOLVER_FIRST and self.owner.resolves_queries

    def _body(self) -> None:
        body = self.function.child_by_field_name("body") if self.function is not None else None
        if body is None:
            return
        if body.type == "statement_block":
            self.walk(body.named_children)
        else:
            self._gives(body)

    # Statements. Each answers whether control leaves the block there.

    def walk(self, body: Iterable[Node]) -> bool:
        return any(self.statement(one) for one in body)

    def statement(self, node: Node) -> bool:
        reader = _STATEMENTS.get(node.type)
        if reader is not None:
            return reader(self, node)
        for one in node.named_children:
            if one.type.endswith(("statement", "declaration", "block")):
                self.statement(one)
        return False

    def _block(self, node: Node) -> bool:
        return self.walk(node.named_children)

    def _expression(self, node: Node) -> bool:
        if not node.named_children:
            return False
        one = node.named_children[0]
        self.value(one)
        self.checked(one)
        return self._leaves(bare(one))

    def _leaves(self, node: Node) -> bool:
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is None:
            return False
        text = self.module.of(function)
        if function.type == "identifier":
            return text in sanitizers.LEAVING
        return text in {"process.exit", "ctx.throw", "this.ctx.throw"} or text.endswith((".throw", ".exit"))

    def _declaration(self, node: Node) -> bool:
        for one in node.named_children:
            name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
            if one.type == "variable_declarator" and name is not None and value is not None:
                carried = self.value(value)
                self.bind(name, carried, value)
        return False

    def _return(self, node: Node) -> bool:
        if node.named_children:
            self._gives(node.named_children[0])
        return True

    def _gives(self, node: Node) -> None:
        """Note what a function returns here, and what each field of it carries where that is written out."""
        value = self.value(node)
        self.returned = united(self.returned, value)
        core = bare(node)
        if not value:
            return
        self.answered(core, value)
        row = self.row_of(core) if core.type == "array" else None
        fields = {str(at): one for at, one in enumerate(row.elements)} if row is not None else {}
        if core.type == "object":
            fields.update(self.fields_of(core, value))
        is_whole = self.shape is None and (row is None or row.rest is None)
        self.shape = fields if is_whole else {}

    def _leave(self, node: Node) -> bool:
        for one in node.named_children:
            self.value(one)
        return True

    def _jump(self, node: Node) -> bool:
        self.jumped.append(dict(self.values))
        return True

    def _if(self, node: Node) -> bool:
        """Walk both branches of an ``if``; what goes on after it is put together."""
        test, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        if test is None or then is None:
            return False
        self.value(test)
        told = worth(self.scope, test)
        other = node.child_by_field_name("alternative")
        if told is not None:
            return self.statement(then) if told else other is not None and self.walk(other.named_children)
        when_true, when_false = self.clears(test)
        before = dict(self.values)
        left: list[dict[str, Value]] = []
        self.clear(when_true)
        if not self.statement(then):
            left.append(self.values)
        self.values = before
        self.clear(when_false)
        if other is None or not self.walk(other.named_children):
            left.append(self.values)
        self.merge(left)
        return not left

    def _loop(self, node: Node) -> bool:
        outer, self.jumped = self.jumped, []
        self.loops += 1
        body, test = node.child_by_field_name("body"), node.child_by_field_name("condition")
        start = node.child_by_field_name("initializer")
        if start is not None:
            self.statement(start)
        for _ in range(_MOST_ROUNDS if self.loops <= _DEEPEST_LOOP else 1):
            before = dict(self.values)
            self._each_round(node, test)
            ends = self.statement(body) if body is not None else False
            for one in [*([] if ends else [self.values]), *self.jumped]:
                before = merged(before, one)
            self.values, self.jumped = before, []
        self.loops -= 1
        self.jumped = outer
        return False

    def _each_round(self, node: Node, test: Node | None) -> None:
        if node.type == "for_in_statement":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                value = self.value(right)
                sign = node.child_by_field_name("operator")
                if sign is not None and self.module.of(sign) == "in":
                    value = keys_of(value)
                if self.gives_pairs(right):
                    self._bind_pair(left, value)
                else:
                    self.bind(left, value, None)
                if left.type == "identifier":
                    self.made_of[self.module.of(left)] = self.names_in(right)
        elif test is not None:
            self.value(test)
            self.clear(self.clears(test)[0])

    def _try(self, node: Node) -> bool:
        before = dict(self.values)
        body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
        ends = self.statement(body) if body is not None else False
        after = self.values
        left = [] if ends else [after]
        if handler is not None:
            self.values = merged(before, after) if ends else dict(after)
            caught = handler.child_by_field_name("body")
            if caught is None or not self.statement(caught):
                left.append(self.values)
        self.values = before
        self.merge(left)
        last = node.child_by_field_name("finalizer")
        ended = (
            self.walk(one for one in last.named_children[0].named_children)
            if last is not None and last.named_children
            else False
        )
        return ended or not left

    def _switch(self, node: Node) -> bool:
        subject, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        if subject is None or body is None:
            return False
        self.value(subject)
        told = worth(self.scope, subject)
        if told is not None and self._chosen_case(body, told):
            return False
        known = dict.fromkeys(self.keys(bare(subject)), EVERYTHING)
        before = dict(self.values)
        left: list[dict[str, Value]] = []
        outer, self.jumped = self.jumped, []
        has_default, is_known = False, False
        for case in body.named_children:
            test = case.child_by_field_name("value")
            has_default = has_default or case.type == "switch_default"
            self.values = dict(before)
            is_known = is_known or (
                test is not None
                and bare(test).type in {"string", "number", "member_expression", "identifier"}
            )
            if test is not None and is_known:
                self.clear(known)
            if not self.walk(one for one in case.named_children if test is None or one.id != test.id):
                left.append(self.values)
        left += self.jumped
        self.jumped = outer
        if not has_default:
            left.append(before)
        self.values = before
        self.merge(left)
        return not left

    def _chosen_case(self, body: Node, told: Worth) -> bool:
        """Walk the one case that a constant chooses, and those it falls through to; whether there is one."""
        cases = body.named_children
        tests = [case.child_by_field_name("value") for case in cases]
        worths = [worth(self.scope, one) if one is not None else None for one in tests]
        if any(one is None for one, test in zip(worths, tests, strict=True) if test is not None):
            return False
        default = next((at for at, case in enumerate(cases) if case.type == "switch_default"), len(cases))
        first = worths.index(told) if told in worths else default
        outer, self.jumped = self.jumped, []
        for case, test in list(zip(cases, tests, strict=True))[first:]:
            if self.walk(one for one in case.named_children if test is None or one.id != test.id):
                break
        self.jumped = outer
        return True

    def _class(self, node: Node) -> bool:
        body = node.child_by_field_name("body")
        members = body.named_children if body is not None else []
        for one in sorted(members, key=lambda one: self.module.of(one)[:11] != "constructor"):
            value = one.child_by_field_name("value")
            if one.type == "method_definition":
                self.run_function(one)
            elif value is not None:
                carried = self.value(value)
                name = one.child_by_field_name("name")
                if carried and name is not None:
                    self.owner.set_field(self.scope.class_of(one), self.module.of(name), carried)
        return False

    def _export(self, node: Node) -> bool:
        declared = node.child_by_field_name("declaration")
        if declared is not None:
            return self.statement(declared)
        value = node.child_by_field_name("value")
        if value is not None:
            self.value(value)
        return False

    def _named_function(self, node: Node) -> bool:
        self.run_function(node)
        return False


_STATEMENTS: dict[str, Callable[[FunctionFlow, Node], bool]] = {
    "expression_statement": FunctionFlow._expression,
    "lexical_declaration": FunctionFlow._declaration,
    "variable_declaration": FunctionFlow._declaration,
    "statement_block": FunctionFlow._block,
    "return_statement": FunctionFlow._return,
    "throw_statement": FunctionFlow._leave,
    "break_statement": FunctionFlow._jump,
    "continue_statement": FunctionFlow._jump,
    "if_statement": FunctionFlow._if,
    "try_statement": FunctionFlow._try,
    "switch_statement": FunctionFlow._switch,
    "export_statement": FunctionFlow._export,
    **dict.fromkeys(("while_statement", "for_statement", "for_in_statement", "do_statement"),
    FunctionFlow._loop),
    **dict.fromkeys(("class_declaration", "abstract_class_declaration"), FunctionFlow._class),
    **dict.fromkeys(("function_declaration", "generator_function_declaration"), FunctionFlow._named_function),
}  # fmt: skip
