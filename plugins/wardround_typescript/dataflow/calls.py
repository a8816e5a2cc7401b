"""What a call gives, where its arguments go, and what functions it hands them to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from wardround_typescript.dataflow import sanitizers, sources, validation_schemas
from wardround_typescript.dataflow.arguments import Given
from wardround_typescript.dataflow.domain import (
    CLEAN,
    EVERYTHING,
    SENT,
    SENT_TEXT,
    SinkKind,
    Value,
    added,
    all_of,
    only,
    united,
    without,
)  # fmt: skip
from wardround_typescript.dataflow.domain import OBJECT as IS_OBJECT
from wardround_typescript.dataflow.responses import Answers
from wardround_typescript.dataflow.scope import FUNCTIONS, bare
from wardround_typescript.dataflow.state import either, keys_of

_RESOLVERS = frozenset({"query", "mutation", "subscription", "action", "handler", "stateAction"})
_PAGES_ASK = frozenset({"on", "once", "handle", "handleOnce"})
_BROWSER_CALLS = frozenset({"setTimeout", "setInterval", "setImmediate", "nextTick"})


class Calls(Answers):
    """The part of a walk that reads calls."""

    def call(self, node: Node) -> Value:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        given = node.child_by_field_name("arguments")
        if function is None:
            return CLEAN
        if given is None or given.type == "template_string":
            return self._tagged(function, given)
        arguments = [one for one in given.named_children if one.type != "comment"]
        callee = bare(function)
        if callee.type in FUNCTIONS:
            return self.run_function(callee, [self.value(one) for one in arguments])
        owner = callee.child_by_field_name("object") if callee.type == "member_expression" else None
        method = self.property_of(callee) or "" if owner is not None else ""
        owned = self.value(owner) if owner is not None else CLEAN
        if callee.type in {"new_expression", "call_expression", "subscript_expression"}:
            self.value(callee)
        if callee.type == "subscript_expression" and node.child_by_field_name("optional_chain") is None:
            self._chosen(callee)
        values = [CLEAN if one.type in FUNCTIONS else self.value(one) for one in arguments]
        name = self.scope.dotted(callee)
        self.sinks(node, callee, name, owner, method, arguments, values)
        handed = self._callbacks(node, owner, method, owned, arguments, values)
        sent = self._sent(owner, method, name)
        if sent is not None:
            return sent
        if handed is not None:
            return handed
        result = self._result(node, callee, name, owner, method, owned, arguments, values)
        return result if result is not None else CLEAN

    def _chosen(self, callee: Node) -> None:
        """``handlers[message.type](message)``: the key says what is called."""
        index = callee.child_by_field_name("index")
        if index is None or index.type not in {"identifier", "member_expression", "subscript_expression"}:
            return
        asked = self.module.of(callee)
        if not any(f"{before}{asked}" in self.module.text for before in ("typeof ", "if (", "!")):
            self.reach(SinkKind.METHOD, callee, self.value(index))

    def _tagged(self, function: Node, given: Node | None) -> Value:
        """A tagged template: the tag sees the values apart from the text, so nothing is put together."""
        if given is None:
            return CLEAN
        value = self.value(given)
        return value if self.module.of(function) in {"String.raw", "dedent", "outdent"} else CLEAN

    def _sent(self, owner: Node | None, method: str, name: str) -> Value | None:
        """What a call reads from the request; None if it reads nothing there."""
        if owner is None:
            return (
                sources.of_h3(name)
                if name.startswith("h3") or (name in sources.H3_CALLS and self.owner.is_nitro)
                else None
            )
        kind = self.kind_of(owner)
        if not kind:
            key = self.key_of(owner) or ""
            return (
                SENT_TEXT
                if method == "get" and key.endswith(".cookies") and self.kinds.get(key.partition(".")[0])
                else None
            )
        if kind == "context":
            return SENT_TEXT if method == "get" and "koa" in self.module.text else None
        found = sources.called(kind, method)
        if found is None:
            return None
        return without(found, IS_OBJECT) if self.is_typed or method == "valid" else found

    # What is called.

    def _result(
        self, node: Node, callee: Node, name: str, owner: Node | None, method: str, owned: Value,
        arguments: Sequence[Node], values: Sequence[Value],
    ) -> Value | None:  # fmt: skip
        parsed = self.parsing(node)
        if parsed is not None and (values and values[0]):
            return self._parsed(parsed, values[0])
        found = self.owner.program.callee(self, node, callee, values)
        if found is not None:
            flow, target = found
            given = [self._given(one, value) for one, value in zip(arguments, values, strict=True)]
            if method in {"call", "apply"}:
                given = [Given(one.value, one.fields, method == "apply") for one in given[1:]]
            returned = flow.called(target, given, node, self.module.path)
            if name.rpartition(".")[2] in {"pick", "omit"}:
                return without(returned, SinkKind.FIELDS)
            return CLEAN if sanitizers.NAMED_CLEAN.search(method or name) and not returned else returned
        last = method or name.rpartition(".")[2]
        if name == "Object.keys" and values:
            return keys_of(values[0])
        if name == "JSON.parse" and arguments:
            inner = self._cloned(arguments[0])
            if inner is not None:
                return self.value(inner)
        if name == "Object.fromEntries" and arguments:
            return self._unpacked(arguments[0], values[0])
        if name in sanitizers.CONVERTING or last in {"getTime", "toISOString"}:
            return CLEAN
        gone = self._cleansed(name, last, method)
        if owner is None or name in sanitizers.KEEPING:
            return self._kept(name, gone, values, last)
        return self._method(owner, method, owned, arguments, values, gone)

    def fields_of(self, node: Node, value: Value) -> Mapping[str, Value]:
        found = super().fields_of(node, value)
        call = bare(node)
        return found or (self._returned_fields(call) if call.type == "call_expression" and value else {})

    def _returned_fields(self, call: Node) -> Mapping[str, Value]:
        callee, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if callee is None or given is None:
            return {}
        arguments = [one for one in given.named_children if one.type != "comment"]
        values = [CLEAN if one.type in FUNCTIONS else self.value(one) for one in arguments]
        found = self.owner.program.callee(self, call, bare(callee), values)
        if found is None:
            return {}
        return found[0].returned_fields(
            found[1], [self._given(one, value) for one, value in zip(arguments, values, strict=True)]
        )

    def _unpacked(self, node: Node, value: Value) -> Value:
        """An object of the pairs of a form, a query or a list: of the first two the sender chose the keys."""
        if self.kind_of(node) == "form":
            return without(SENT, SinkKind.NOSQL)
        text = self.module.of(node)
        is_sent = text.endswith((".entries()", "earchParams")) or "ormData" in text
        return added(value, SinkKind.FIELDS, SinkKind.SQL) if is_sent else value

    def _cloned(self, node: Node) -> Node | None:
        """What ``JSON.parse(JSON.stringify(x))`` makes a copy of."""
        call = bare(node)
        function = call.child_by_field_name("function") if call.type == "call_expression" else None
        given = call.child_by_field_name("arguments")
        if function is None or given is None or self.module.of(function) != "JSON.stringify":
            return None
        return given.named_children[0] if given.named_children else None

    def _given(self, node: Node, value: Value) -> Given:
        core = bare(node)
        is_written = bool(value) and core.type == "object" and not self._has_spread(core)
        return Given(
            value, self.fields_of(core, value) if is_written else None, node.type == "spread_element"
        )

    def _cleansed(self, name: str, last: str, method: str) -> SinkKind:
        if name in sanitizers.CLEANSING:
            return sanitizers.CLEANSING[name]
        return (
            sanitizers.CLEANSING.get(last, SinkKind(0)) if not method or method == "toString" else SinkKind(0)
        )

    def _kept(self, name: str, gone: SinkKind, values: Sequence[Value], last: str) -> Value:
        if name in sanitizers.KEEPING or last in sanitizers.KEEPING or gone:
            found = list(values[:1]) if name in {"URL", "url.URL", "lodash.get", "get"} else values
            if name.endswith("URL") and len(values) > 1:
                found = [*found, only(values[1], SinkKind.URL | SinkKind.REDIRECT)]
            kept = without(all_of(found), gone)
            return added(kept, IS_OBJECT, SinkKind.SQL) if name in sanitizers.UNPACKING else kept
        if name.startswith("URL") or name in {"path.relative"}:
            return all_of(values)
        return CLEAN

    def _parsed(self, parsed: tuple[Node, Node, bool], value: Value) -> Value:
        schema, _, _ = parsed
        core = bare(schema)
        text = self.module.of(core)
        is_known = core.type == "call_expression" or self.scope.constant(text) is not None
        if is_known or validation_schemas.NAMED_SCHEMA.search(text.rpartition(".")[2]):
            return only(value, validation_schemas.kept(self.scope, schema))
        return value if text.rpartition(".")[2] in {"JSON", "qs"} else without(value, IS_OBJECT)

    def _method(
        self,
        owner: Node,
        method: str,
        owned: Value,
        arguments: Sequence[Node],
        values: Sequence[Value],
        gone: SinkKind,
    ) -> Value:
        held = self.taken(owner, method, arguments, values)
        if held is not None:
            return held
        if method in sanitizers.ADDING_METHODS and not self.kind_of(owner):
            self._added(owner, method, values)
        if method in {"replace", "replaceAll"} and arguments:
            owned = without(owned, self._replaced(method, arguments[0]))
        if method in {"match", "matchAll", "exec"}:
            return CLEAN
        if method in {"get", "find"} and not owned:
            return CLEAN
        if method == "join":
            return self._list_joined(owner, owned, arguments)
        if method not in sanitizers.KEEPING_METHODS and not gone:
            return CLEAN
        filling = values if method in sanitizers.FILLING_METHODS else []
        if method == "filter" and arguments and self._filters(arguments[0]):
            return CLEAN
        if method in {"replace", "replaceAll", "padStart", "padEnd", "toString", "trim", "join", "slice"}:
            owned = without(owned, IS_OBJECT) if method == "toString" else owned
        return without(united(owned, *filling), gone)

    def _replaced(self, method: str, pattern: Node) -> SinkKind:
        node = self.scope.resolved(pattern)
        text = self.module.of(node)
        if node.type == "string":
            return (
                sanitizers.replaced(text[1:-1])
                if method == "replaceAll" and text[1:-1] not in {"..", "../"}
                else SinkKind(0)
            )
        return sanitizers.replaced(text) if node.type == "regex" else SinkKind(0)

    def _list_joined(self, owner: Node, owned: Value, arguments: Sequence[Node]) -> Value:
        """``["a", x].join(" ")`` is text put together of its elements."""
        node = bare(owner)
        if node.type == "array":
            between = (self.constant_text(arguments[0]) or "") if arguments else ","
            parts = []
            for one in node.named_children:
                text = self.constant_text(one)
                parts += [(text, CLEAN) if text is not None else (None, self.value(one)), (between, CLEAN)]
            return self.joined(parts[:-1])
        return without(owned, IS_OBJECT)

    def _filters(self, test: Node) -> bool:
        """Whether ``filter`` lets through only what was looked at."""
        if test.type not in FUNCTIONS:
            return self.module.of(test) not in {"Boolean", "String"}
        body = test.child_by_field_name("body")
        listed = test.child_by_field_name("parameter") or test.child_by_field_name("parameters")
        if body is None or listed is None or body.type == "statement_block":
            return False
        name = self.module.of(listed).strip("()").partition(":")[0].strip()
        when_true, _ = self.clears(body)
        return bool(when_true.get(name, SinkKind(0)) & SinkKind.PATH and when_true[name] & SinkKind.SQL)

    def _added(self, owner: Node, method: str, values: Sequence[Value]) -> None:
        key = self.key_of(owner)
        value = all_of(values if method not in {"set", "append"} else values[1:] or values)
        if key is not None and value and not key.startswith(("res", "reply", "ctx.res")):
            self.values[key] = united(
                self.values.get(key, CLEAN), without(value, SinkKind.FIELDS | SinkKind.REACHED)
            )

    # Functions given as arguments.

    def _callbacks(
        self,
        node: Node,
        owner: Node | None,
        method: str,
        owned: Value,
        arguments: Sequence[Node],
        values: Sequence[Value],
    ) -> Value | None:
        handed: Value | None = None
        for at, one in enumerate(arguments):
            if one.type in FUNCTIONS:
                handed = self._callback(node, owner, method, owned, arguments, values, one, at)
            elif one.type == "identifier" and method in sanitizers.ELEMENT_METHODS and owned:
                found = self.owner.program.callee(self, node, one, [owned])
                if found is not None:
                    returned = found[0].called(found[1], [Given(owned)], node, self.module.path)
                    handed = returned if method in {"map", "flatMap", "then"} else None
        return handed

    def _callback(
        self, node: Node, owner: Node | None, method: str, owned: Value, arguments: Sequence[Node],
        values: Sequence[Value],
        function: Node, at: int,
    ) -> Value | None:  # fmt: skip
        if method == "reduce":
            start = united(owned, *values[at + 1 : at + 2])
            return united(self.run_function(function, [start, owned]), *values[at + 1 : at + 2])
        if method in sanitizers.ELEMENT_METHODS and owner is not None and not self.kind_of(owner):
            returned = self.run_function(function, [owned, CLEAN, owned], self.gives_pairs(owner))
            return returned if method in {"map", "flatMap", "then"} else None
        if method in _RESOLVERS and owner is not None:
            schema = self._input_schema(owner)
            if schema is not None:
                return self._resolver(function, schema)
        if method == "action" and self.owner.is_program:
            return self.run_function(function, [sources.OF_ARGUMENTS] * 6)
        if method == "on" and owner is not None and len(arguments) > 1:
            event = self.module.of(arguments[0]).strip("'\"`")
            if sources.is_socket_message(self.module.of(owner), event) and self.owner.serves_sockets:
                return self.run_function(function, [sources.OF_MESSAGE] * 3)
        if method in _PAGES_ASK and owner is not None and self.module.of(owner) == "ipcMain":
            return self.run_function(function, [CLEAN, *[sources.OF_PAGE] * 3])
        if self.scope.dotted(bare(node.named_children[0])).rpartition(".")[2] in _BROWSER_CALLS:
            return self.run_function(function)
        before, self.is_typed = self.is_typed, self.is_typed or self._is_validated(arguments, function)
        returned = self.run_function(function)
        self.is_typed = before
        return None if method else returned

    def _is_validated(self, arguments: Sequence[Node], function: Node) -> bool:
        """Whether a schema stands beside a handler: then what comes in has the types it names."""
        beside = [
            self.module.of(one)
            for one in arguments
            if one.id != function.id and one.type not in {"string", "template_string"}
        ]
        return any(sources.VALIDATES.search(text[:3000]) for text in beside)

    def _input_schema(self, owner: Node) -> Node | None:
        """The schema of a procedure or an action: ``.input(schema)``, ``.schema(schema)``."""
        for name, call, _ in validation_schemas.chain(bare(owner)):
            if name in {"input", "schema", "inputSchema", "validator", "inputValidator"}:
                given = call.child_by_field_name("arguments")
                return given.named_children[0] if given is not None and given.named_children else None
        return None

    def _resolver(self, function: Node, schema: Node) -> Value:
        value = only(sources.OF_MESSAGE, validation_schemas.kept(self.scope, schema))
        fields = {
            name: only(sources.OF_MESSAGE, left)
            for name, left in validation_schemas.fields(self.scope, schema).items()
        }
        return self.run_resolver(function, value, fields)

    def run_resolver(self, function: Node, value: Value, fields: dict[str, Value]) -> Value:
        """Walk a function that takes what passed a schema as ``{ input }``."""
        raise NotImplementedError

    def checked(self, node: Node) -> None:
        """A statement that calls a function which looks at values and throws: they are fine from there on."""
        call = bare(node)
        function = call.child_by_field_name("function") if call.type == "call_expression" else None
        given = call.child_by_field_name("arguments") if call.type == "call_expression" else None
        if function is None or given is None:
            return
        last = self.module.of(function).rpartition(".")[2]
        if sanitizers.CHECKING.search(last) or last in sanitizers.CONVERTING:
            found = [dict.fromkeys(self.keys(one), EVERYTHING) for one in given.named_children]
            listed = [one for one in given.named_children if one.type in {"array", "object"}]
            found += [dict.fromkeys(self.names_in(one), EVERYTHING) for one in listed]
            tests = [self.clears(one)[0] for one in given.named_children[:1]]
            self.clear(either([*found, *tests]))
