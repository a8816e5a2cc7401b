"""What an expression carries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from wardround.checks.lazy import LazyPattern
from wardround_typescript.dataflow import sanitizers, sinks, sources, validation_schemas
from wardround_typescript.dataflow.constant_folding import worth
from wardround_typescript.dataflow.containers import Contents
from wardround_typescript.dataflow.domain import (
    ARCHIVE,
    CLEAN,
    OWN_ADDRESS,
    SENT_TEXT,
    SinkKind,
    Value,
    all_of,
    field_of,
    only,
    united,
    without,
)  # fmt: skip
from wardround_typescript.dataflow.domain import OBJECT as IS_OBJECT
from wardround_typescript.dataflow.scope import FUNCTIONS, bare
from wardround_typescript.dataflow.sinks import ARCHIVE_ENTRY, ARCHIVE_NAMES
from wardround_typescript.dataflow.string_building import Part

_DEEPEST_FIELDS = 3
_DEEPEST = 90
"""Expressions nested deeper are not looked into; people don't write them."""
_PARTS_OF_UPLOAD = frozenset(
    {"file", "files", "info", "part", "upload", "fileInfo", "data", "f", "image", "avatar"}
)
_MADE_BY_SERVER = frozenset({"path", "filename", "destination", "size"})
_OF_SENDER = frozenset({"hostname", "host", "origin", "user-agent", "content-type"})
_ADDRESS = LazyPattern(r"(?i)(headers|url|location|href)[\w)]*$")


class Values(Contents):
    """The part of a walk that reads expressions."""

    def value(self, node: Node) -> Value:
        if self.depth > _DEEPEST:
            return CLEAN
        reader = _EXPRESSIONS.get(node.type)
        self.depth += 1
        try:
            return reader(self, node) if reader else self._others(node)
        finally:
            self.depth -= 1

    def _others(self, node: Node) -> Value:
        """An expression that hands nothing on; what stands in it is looked at."""
        for one in node.named_children:
            self.value(one)
        return CLEAN

    def _nothing(self, node: Node) -> Value:
        return CLEAN

    def _identifier(self, node: Node) -> Value:
        return self.values.get(self.module.of(node), CLEAN)

    def _inner(self, node: Node) -> Value:
        return self.value(node.named_children[0]) if node.named_children else CLEAN

    def _yielded(self, node: Node) -> Value:
        """What a generator gives, one after the other; what it is sent is not followed."""
        self.returned = united(self.returned, self._inner(node))
        return CLEAN

    def _last(self, node: Node) -> Value:
        found = [self.value(one) for one in node.named_children]
        return found[-1] if found else CLEAN

    def _cast(self, node: Node) -> Value:
        return self.value(node.named_children[-1]) if node.named_children else CLEAN

    # Properties.

    def _member(self, node: Node) -> Value:
        owner, name = node.child_by_field_name("object"), self.property_of(node)
        return self.property_value(owner, name) if owner is not None and name else CLEAN

    def property_value(self, owner: Node, name: str) -> Value:
        """What a property of an expression carries."""
        kind = self.kind_of(owner)
        if kind:
            return self._request_part(kind, name)
        key = self.key_of(owner)
        if key is not None and f"{key}.{name}" in self.values:
            return self.values[f"{key}.{name}"]
        if key == "process" and name == "argv":
            return sources.OF_ARGUMENTS
        written = self._last_pair(bare(owner), name) if bare(owner).type == "object" else None
        if written is not None:
            return self.value(written)
        if key == "this":
            return self.owner.field(self.scope.class_of(owner), name)
        value = self.value(owner)
        if name in self.scope.getters:
            computed = self.owner.program.property_read(self, owner, name)
            if computed is not None:
                return computed
        if self._is_entry(owner, name):
            return {ARCHIVE: SinkKind.PATH}
        if name in sources.UPLOADS and self._is_upload(owner, name):
            return SENT_TEXT
        if (
            not value
            or name in sanitizers.CLEAN_PROPERTIES
            or (name in _MADE_BY_SERVER and (key or "").endswith((".file", ".files")))
        ):
            return CLEAN
        if name in {"searchParams", "query"} and not any(left & SinkKind.REDIRECT for left in value.values()):
            return {
                origin: SENT_TEXT["request"] if origin == "request" else left
                for origin, left in value.items()
            }
        value = field_of(value, name)
        if name in _OF_SENDER and _ADDRESS.search(self.module.of(owner)):
            return without(value, OWN_ADDRESS | SinkKind.HTML | SinkKind.PAGE)
        if name in {"pathname", "hash"}:
            return without(value, OWN_ADDRESS)
        return value

    def _last_pair(self, node: Node, name: str) -> Node | None:
        """The value of a key of an object literal, where nothing that is spread in after it replaces it."""
        for one in reversed(node.named_children):
            if one.type == "spread_element":
                return None
            key = one.child_by_field_name("key")
            if one.type == "pair" and key is not None and self.module.of(key).strip("'\"") == name:
                return one.child_by_field_name("value")
        return None

    def _request_part(self, kind: str, name: str) -> Value:
        found = sources.part(kind, name)
        if found is None:
            return CLEAN
        if name in {"url", "originalUrl", "nextUrl", "href", "path", "headers", "hostname"}:
            return without(found, OWN_ADDRESS | SinkKind.HEADER | SinkKind.LINE)
        return without(found, IS_OBJECT) if self.is_typed else found

    def _is_entry(self, owner: Node, name: str) -> bool:
        """Whether this is the name of something in an archive."""
        if name not in ARCHIVE_NAMES or not self.owner.reads_archives:
            return False
        text = self.module.of(owner)
        if name in {"path", "name", "filename"} and text in {"e", "file", "item"}:
            return False
        return ARCHIVE_ENTRY.search(text) is not None

    def _is_upload(self, owner: Node, name: str) -> bool:
        return name != "filename" or (self.module.of(owner) in _PARTS_OF_UPLOAD and self.owner.takes_uploads)

    def _subscript(self, node: Node) -> Value:
        owner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        name = self.property_of(node)
        if owner is None or index is None:
            return CLEAN
        if name is None:
            place = worth(self.scope, index)
            name = str(place) if isinstance(place, (str, int)) else None
        if name is not None:
            row = self.row_of(owner) if name.isdigit() else None
            return self.property_value(owner, name) if row is None else row.at(int(name)) or CLEAN
        chosen = self.value(index)
        value = self.value(owner)
        if value and not only(value, ~SinkKind.REACHED):
            return value
        reached = {origin: SinkKind.REACHED for origin, left in chosen.items() if left & SinkKind.KEY}
        return united(value, reached)

    def _binary(self, node: Node) -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        sign = node.child_by_field_name("operator")
        if left is None or right is None or sign is None:
            return CLEAN
        operator = self.module.of(sign)
        if operator == "+":
            operands = list(self._operands(node))
            return self.joined([self._part(one) for one in operands])
        if operator in {"||", "&&", "??"}:
            return self._either(left, right, operator)
        self.value(left)
        self.value(right)
        return CLEAN

    def _part(self, node: Node) -> Part:
        text = self.constant_text(node)
        return (text, CLEAN) if text is not None else (None, self.value(node))

    def _operands(self, node: Node) -> Iterator[Node]:
        """``a + b + c`` as a, b, c."""
        stack, found = [node], []
        while stack:
            one = bare(stack.pop())
            sign = one.child_by_field_name("operator") if one.type == "binary_expression" else None
            if sign is not None and self.module.of(sign) == "+":
                left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
                stack += [part for part in (left, right) if part is not None]
            else:
                found.append(one)
        return reversed(found)

    def _either(self, left: Node, right: Node, operator: str) -> Value:
        first = self.value(left)
        told = worth(self.scope, left) if operator != "??" else None
        if told is not None and bool(told) is (operator == "||"):
            return first
        before = dict(self.values)
        when_true, when_false = self.clears(left)
        self.clear(when_true if operator == "&&" else when_false)
        second = self.value(right)
        self.values = before
        return second if operator == "&&" else united(first, second)

    def _choice(self, node: Node) -> Value:
        test = node.child_by_field_name("condition")
        first, second = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if test is None or first is None or second is None:
            return CLEAN
        self.value(test)
        told = worth(self.scope, test)
        if told is not None:
            return self.value(first if told else second)
        when_true, when_false = self.clears(test)
        before = dict(self.values)
        self.clear(when_true)
        chosen = self.value(first)
        self.values = dict(before)
        self.clear(when_false)
        other = self.value(second)
        self.values = before
        return united(chosen, other)

    # Collections.

    def _array(self, node: Node) -> Value:
        return without(
            all_of([self.value(one) for one in node.named_children]), SinkKind.FIELDS | SinkKind.REACHED
        )

    def _object(self, node: Node) -> Value:
        found = []
        is_page = (
            sinks.TYPED_HTML.search(self.module.of(node)) is not None
            if node.end_byte - node.start_byte < 4000
            else False
        )
        for one in node.named_children:
            if one.type == "pair":
                found.append(self._pair(one, is_page))
            elif one.type == "spread_element":
                found.append(self.value(one.named_children[0]))
            elif one.type == "shorthand_property_identifier":
                found.append(without(self._identifier(one), SinkKind.FIELDS))
            elif one.type == "method_definition":
                self.run_function(one)
        return all_of(found)

    def _pair(self, pair: Node, is_page: bool) -> Value:
        key, node = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is None or node is None:
            return CLEAN
        if node.type in FUNCTIONS:
            self.run_function(node)
            return CLEAN
        value = self.value(node)
        if key.type == "computed_property_name":
            chosen = self._inner(key)
            return united(without(value, SinkKind.FIELDS), only(chosen, SinkKind.FIELDS | SinkKind.NOSQL))
        name = self.module.of(key).strip("'\"")
        if name.lower() == "location" and value and self._is_header(pair):
            self.reach(SinkKind.REDIRECT, node, value)
        if name == "destination" and value and self._is_redirect(pair):
            self.reach(SinkKind.REDIRECT, node, value)
        if name == "body" and is_page and value:
            self.reach(SinkKind.PAGE, node, value)
        if name == "$where" and value:
            self.reach(SinkKind.CODE, node, value)
        return without(
            value, SinkKind.FIELDS | SinkKind.REACHED | (SinkKind.NOSQL if name == "$eq" else SinkKind(0))
        )

    def _is_redirect(self, pair: Node) -> bool:
        """Whether a pair says where Next sends the browser: ``{ redirect: { destination } }``."""
        holder = pair.parent.parent if pair.parent is not None else None
        key = holder.child_by_field_name("key") if holder is not None else None
        return key is not None and self.module.of(key) == "redirect"

    def _is_header(self, pair: Node) -> bool:
        """Whether a pair stands among the headers of an answer."""
        holder = pair.parent.parent if pair.parent is not None else None
        if holder is None:
            return False
        name = holder.child_by_field_name("key" if holder.type == "pair" else "name")
        given = holder.parent if holder.type == "arguments" else None
        return (name is not None and "header" in self.module.of(name).lower()) or (
            given is not None and "writeHead" in self.module.of(given)[:60]
        )

    def fields_of(self, node: Node, value: Value) -> Mapping[str, Value]:
        """What is known of each field of an expression, where more is known than of the whole."""
        node = bare(node)
        if node.type == "object":
            return self._written_fields(node)
        if node.type == "call_expression":
            return self._parsed_fields(node)
        key = self.key_of(node)
        if key is None:
            return {}
        return {one[len(key) + 1 :]: known for one, known in self.values.items() if one.startswith(key + ".")}

    def _written_fields(self, node: Node, depth: int = 0) -> Mapping[str, Value]:
        """The fields of an object literal, and the fields of those that are literals themselves."""
        found: dict[str, Value] = {}
        for one in node.named_children:
            if one.type == "spread_element":
                found = {}  # what is spread in may replace what stands before it
                continue
            for name, value in validation_schemas.pair(self.scope, one):
                if value.type not in FUNCTIONS:
                    found[name] = self.value(value)
                    if value.type == "object" and depth < _DEEPEST_FIELDS:
                        inner = self._written_fields(value, depth + 1)
                        found.update({f"{name}.{deep}": known for deep, known in inner.items()})
        return found

    def _parsed_fields(self, node: Node) -> Mapping[str, Value]:
        parsed = self.parsing(node)
        if parsed is None:
            return {}
        schema, given, is_safe = parsed
        value = self.value(given)
        prefix = "data." if is_safe else ""
        found = {
            prefix + name: only(value, left)
            for name, left in validation_schemas.fields(self.scope, schema).items()
        }
        if is_safe:
            gone = SinkKind(0) if validation_schemas.is_loose(self.scope, schema) else IS_OBJECT
            found["data"] = without(only(value, validation_schemas.kept(self.scope, schema)), gone)
        return found

    def parsing(self, node: Node) -> tuple[Node, Node, bool] | None:
        """The (schema, what is parsed, whether the answer is wrapped) of a schema's parse method."""
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if (
            function is None
            or given is None
            or not given.named_children
            or function.type != "member_expression"
        ):
            return None
        name, owner = self.property_of(function), function.child_by_field_name("object")
        if name not in validation_schemas.PARSES or owner is None:
            return None
        if self.module.of(owner) in {
            "JSON",
            "path",
            "qs",
            "querystring",
            "url",
            "yaml",
            "Date",
            "csv",
            "ini",
            "JSON5",
            "superjson",
            "jwt",
            "cookie",
        }:
            return None
        return owner, given.named_children[0], name in validation_schemas.SAFE

    # Functions.

    def _function(self, node: Node) -> Value:
        self.run_function(node)
        return CLEAN

    def _assigned(self, node: Node) -> Value:
        self.assign(node)
        left = node.child_by_field_name("left")
        return self.value(left) if left is not None else CLEAN

    def assign(self, node: Node) -> None:
        """Carry out an assignment."""
        raise NotImplementedError

    def _call(self, node: Node) -> Value:
        return self.call(node)


_EXPRESSIONS: dict[str, Callable[[Values, Node], Value]] = {
    "identifier": Values._identifier,
    "shorthand_property_identifier": Values._identifier,
    "member_expression": Values._member,
    "subscript_expression": Values._subscript,
    "template_string": Values._template,
    "binary_expression": Values._binary,
    "ternary_expression": Values._choice,
    "array": Values._array,
    "object": Values._object,
    "call_expression": Values._call,
    "new_expression": Values._call,
    "assignment_expression": Values._assigned,
    "augmented_assignment_expression": Values._assigned,
    "sequence_expression": Values._last,
    "type_assertion": Values._cast,
    **dict.fromkeys(
        ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression",
        "await_expression",
         "spread_element", "instantiation_expression"),
        Values._inner,
    ),
    "yield_expression": Values._yielded,
    **dict.fromkeys(FUNCTIONS, Values._function),
    **dict.fromkeys(("string", "number", "regex", "this", "super", "true", "false", "null", "undefined",
    "comment",
                     "type_annotation", "type_arguments", "predefined_type", "string_fragment"),
                     Values._nothing),
}  # fmt: skip
