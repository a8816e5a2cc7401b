"""Where the arguments of a call go: the tables of ``sinks`` applied, and answers to requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from wardround.checks.lazy import LazyPattern
from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.domain import CLEAN, SinkKind, Value, added, all_of
from wardround_typescript.dataflow.expressions import Values
from wardround_typescript.dataflow.scope import FUNCTIONS, bare
from wardround_typescript.dataflow.sinks import Sink

_SENDS = frozenset({"send", "end", "write"})
_HEADERS = frozenset({"setHeader", "set", "header", "append", "writeHead", "status"})
_RECORD_KEYS = frozenset(
    {"data", "$set", "values", "update", "create", "defaults", "set", "$setOnInsert", "doc"}
)
_WHOLE = ("body", "query", "params", "headers", "cookies", "json()")
_KEY_NAME = LazyPattern(r"(?i)(id|ids|uuid|slug|method|key)$")
_WRAPPED = ("execAsync", "execPromise")
_MEANT = ("new", "options", "opts", "config")


class Answers(Values):
    """The part of a walk that asks whether a call does harm."""

    def sinks(
        self,
        node: Node,
        callee: Node,
        name: str,
        owner: Node | None,
        method: str,
        arguments: Sequence[Node],
        values: Sequence[Value],
    ) -> None:
        """Note what a call hands to places of harm."""
        if any(values):
            for sink in (
                (sinks.FUNCTIONS.get(name) or sinks.FUNCTIONS.get(_elsewhere(name), ()))
                if name != self.owner.name_of_around(self.function)
                else ()
            ):
                self._into(sink, name, arguments, values)
            if owner is not None:
                self._method_sinks(owner, method, arguments, values)
            if name in sinks.PROCESSES:
                self._process(arguments, values)
            if name in sinks.LISTED_PROCESSES:
                self._listed_process(name, arguments)
            if name in sinks.FORMATS and len(arguments) > 1 and _parts_of(self.scope.resolved(arguments[0])):
                self.reach(SinkKind.LINE, arguments[0], values[0])
            if name == "Object.assign" and arguments and self.module.of(arguments[0]) != "{}":
                self._assigned_fields(arguments, values)
            if node.type == "new_expression":
                self._made(name, arguments, values)
            if method == "" and name in {"cb", "callback", "done"} and len(values) > 1 and values[1]:
                self._upload_name(node, arguments[1], values[1])
        if name.endswith("js-yaml.load") and values and values[0] and self.owner.has_unsafe_yaml:
            self.reach(SinkKind.OBJECTS, arguments[0], values[0])
        if method == "test" and owner is not None and arguments and values[0]:
            self.reach_slow(owner, arguments[0], values[0])

    def reach_slow(self, pattern: Node, node: Node, value: Value) -> None:
        """A place for what a slow pattern is given; patterns are reported where they stand."""

    def _method_sinks(
        self, owner: Node, method: str, arguments: Sequence[Node], values: Sequence[Value]
    ) -> None:
        text = self.module.of(owner)
        for sink in sinks.METHODS.get(method, ()):
            if sink.receiver is not None and not self._is_called_on(sink, owner, text):
                continue
            if self._is_meant(sink, method, text, arguments):
                continue
            self._into(sink, method, arguments, values)
        if sinks.RESPONSES.search(text):
            self._answer(owner, method, text, arguments, values)
        elif method in sinks.LOG_METHODS and sinks.LOGS.search(text):
            self._logged(arguments, values)

    def _is_called_on(self, sink: Sink, owner: Node, text: str) -> bool:
        assert sink.receiver is not None
        if sink.danger is SinkKind.FIELDS and sinks.NOT_RECORDS.search(text):
            return False
        if sink.receiver.search(text.partition("\n")[0][-120:]) is not None:
            return True
        made = self.scope.resolved(owner) if bare(owner).type == "identifier" else owner
        return (
            made.id != owner.id
            and made.end_byte - made.start_byte < 300
            and sink.receiver.search(self.module.of(made)) is not None
        )

    def _is_meant(self, sink: Sink, method: str, owner: str, arguments: Sequence[Node]) -> bool:
        """Whether the library, or an option, makes the argument harmless."""
        if sink.danger is SinkKind.NOSQL and not self.owner.uses_mongo:
            return True
        if sink.danger is SinkKind.NOSQL and arguments:
            first = self.scope.resolved(arguments[0])
            return first.type == "object" and any(
                self.scope.property(first, key) is not None for key in ("where", "include", "select")
            )
        if method in {"sendFile", "sendfile", "download"}:
            return any(
                one.type == "object" and self.scope.property(one, "root") is not None
                for one in map(self.scope.resolved, arguments[1:])
            )
        if method == "file":  # hapi stays in its folder unless it is told not to
            options = self.scope.resolved(arguments[1]) if len(arguments) > 1 else None
            told = self.scope.property(options, "confine") if options is not None else None
            return told is None or self.module.of(told) != "false"
        if sink.danger is SinkKind.STATEMENT and sink.receiver is not None:
            return not self.owner.builds_queries
        if sink.danger is SinkKind.XPATH and method in {"get", "find"}:
            return "libxml" not in self.module.text
        if sink.danger is SinkKind.PATH and method in {
            "writeFile",
            "toFile",
            "saveAs",
            "mv",
            "readFile",
            "outputFile",
        }:
            return owner in {"fs", "fsp", "fse", "Bun"}  # the table of functions has them
        return False

    def _into(self, sink: Sink, name: str, arguments: Sequence[Node], values: Sequence[Value]) -> None:
        for at in range(sink.first, min(sink.last + 1, len(arguments))):
            node, value = arguments[at], values[at]
            if node.type in FUNCTIONS or not value:
                continue
            if sink.danger & SinkKind.FIELDS:
                value = self._fields(node)
                if not value:
                    continue
            if sink.danger in (SinkKind.URL, SinkKind.SQL, SinkKind.STATEMENT, SinkKind.LDAP):
                node, value = self._of_options(sink, node, value)
            self.reach(sink.danger, node, value)

    def _of_options(self, sink: Sink, node: Node, value: Value) -> tuple[Node, Value]:
        """Of an object with options only what the sink reads counts."""
        whole = self.scope.resolved(node)
        if whole.type == "object" and sink.fields:
            found = [
                one for one in (self.scope.property(whole, key) for key in sink.fields) if one is not None
            ]
            if node.id == whole.id:
                return (found[0] if found else node), all_of([self.value(one) for one in found])
            key = self.key_of(node)
            known = [self.values[f"{key}.{one}"] for one in sink.fields if f"{key}.{one}" in self.values]
            return node, all_of(known) if found else (value if self._has_spread(whole) else CLEAN)
        if whole.type == "object" and sink.danger in (SinkKind.SQL, SinkKind.STATEMENT):
            return node, CLEAN
        return node, value

    def _has_spread(self, node: Node) -> bool:
        return any(one.type == "spread_element" for one in node.named_children)

    def _fields(self, node: Node) -> Value:
        """What an argument hands to a record as its fields."""
        core = bare(node)
        if core.type != "object":
            return self.value(node)
        found = []
        for one in core.named_children:
            if one.type == "spread_element":
                found.append(self.value(one))
            elif one.type == "pair":
                key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
                if key is not None and value is not None and self.module.of(key).strip("'\"") in _RECORD_KEYS:
                    found.append(self._fields(value))
            elif one.type == "shorthand_property_identifier" and self.module.of(one) in _RECORD_KEYS:
                found.append(self.value(one))
        return all_of(found)

    def _process(self, arguments: Sequence[Node], values: Sequence[Value]) -> None:
        """A program that the sender names, or words that a shell reads."""
        self.reach(SinkKind.SHELL, arguments[0], values[0])
        is_shell = False
        for one in map(self.scope.resolved, arguments[1:]):
            told = self.scope.property(one, "shell") if one.type == "object" else None
            is_shell = is_shell or (told is not None and self.module.of(told) not in {"false", "undefined"})
        listed = self.scope.resolved(arguments[1]) if len(arguments) > 1 else None
        if is_shell and len(arguments) > 1 and listed is not None and listed.type != "object":
            self.reach(SinkKind.SHELL, arguments[1], values[1])
        words = listed.named_children if listed is not None and listed.type == "array" else []
        self._line_of_shell([arguments[0], *words])

    def _listed_process(self, name: str, arguments: Sequence[Node]) -> None:
        """The same in Deno, which takes the words as an option, and in Bun, which takes one list."""
        told = self.scope.resolved(arguments[-1])
        listed = self.scope.property(told, sinks.LISTED_PROCESSES[name]) if told.type == "object" else None
        listed = self.scope.resolved(listed if listed is not None else arguments[0])
        words = listed.named_children if listed.type == "array" else []
        is_apart = name.endswith("Command")
        self._line_of_shell([arguments[0], *words] if is_apart else words)

    def _line_of_shell(self, words: Sequence[Node]) -> None:
        """``sh -c line``: the line is read by a shell."""
        program = self.constant_text(words[0]) if words else None
        if program is None or len(words) < 3 or not sinks.SHELLS.search(program):
            return
        if sinks.COMMAND_FLAGS.search(self.constant_text(words[1]) or ""):
            self.reach(SinkKind.SHELL, words[2], self.value(words[2]))

    def _assigned_fields(self, arguments: Sequence[Node], values: Sequence[Value]) -> None:
        first = bare(arguments[0])
        target = self.module.of(first).lower()
        if first.type not in {"identifier", "member_expression", "this"}:
            return
        if (
            first.type == "object"
            or (first.type == "new_expression" and "DTO" in target.upper())
            or target.endswith(_MEANT)
        ):
            return
        for node, value in zip(arguments[1:], values[1:], strict=True):
            self.reach(SinkKind.FIELDS, node, value)

    def _made(self, name: str, arguments: Sequence[Node], values: Sequence[Value]) -> None:
        last = name.rpartition(".")[2]
        if last in {"Response", "NextResponse"} and values[0] and self._is_page(arguments[1:]):
            self.reach(SinkKind.HTML, arguments[0], values[0])
        if last[:1].isupper() and last not in sinks.NO_RECORDS and self.owner.keeps_records and values[0]:
            self.reach(SinkKind.FIELDS, arguments[0], self._fields(arguments[0]))

    def _is_page(self, options: Sequence[Node]) -> bool:
        """Whether the options of a response say that it is HTML."""
        for one in map(self.scope.resolved, options):
            headers = self.scope.property(one, "headers") if one.type == "object" else None
            text = self.module.of(one) + (
                self.module.of(self.scope.resolved(headers)) if headers is not None else ""
            )
            if sinks.TYPED_HTML.search(text):
                return True
        return False

    def _upload_name(self, node: Node, given: Node, value: Value) -> None:
        """``cb(null, name)`` in the options of multer's storage says where a file is written."""
        around = node.parent
        while around is not None and around.type not in FUNCTIONS:
            around = around.parent
        if around is None:
            return
        holder = around if around.type == "method_definition" else around.parent
        key = (
            holder.child_by_field_name("name" if around.type == "method_definition" else "key")
            if holder is not None
            else None
        )
        if (
            key is not None
            and self.module.of(key) in {"filename", "destination", "key"}
            and self.owner.takes_uploads
        ):
            self.reach(SinkKind.PATH, given, value)

    def _logged(self, arguments: Sequence[Node], values: Sequence[Value]) -> None:
        """Text put together for a log; what stands by itself there is written in quotes, or as JSON.

        Keys by which records are found are passed over: what is not one of them finds nothing.
        """
        for node, value in zip(arguments, values, strict=True):
            whole = self.scope.resolved(node)
            parts = list(_parts(whole)) if value else []
            if any(self.value(one) for one in parts if not _KEY_NAME.search(self.module.of(one))):
                self.reach(SinkKind.LINE, node, value)

    # Answers to requests.

    def _answer(
        self, owner: Node, method: str, text: str, arguments: Sequence[Node], values: Sequence[Value]
    ) -> None:
        if method in _HEADERS and len(arguments) > 1:
            name = (self.constant_text(arguments[0]) or "").lower()
            if name == "location":
                self.reach(SinkKind.REDIRECT, arguments[1], values[1])
        if method in _SENDS and arguments and values[0]:
            self._sent_back(owner, text, arguments[0], values[0])
        if method in {"render", "view"} and len(arguments) > 1:
            self._rendered(arguments[1])

    def _handed_over(self, context: Node) -> Value:
        """What a template is given whole: as it is, or spread into an object."""
        core = self.scope.resolved(context)
        if core.type != "object":
            return self.value(context)
        return all_of([self.value(one) for one in core.named_children if one.type == "spread_element"])

    def answered(self, node: Node, value: Value) -> None:
        """What a handler returns is the answer in some frameworks: a page, or where the browser goes."""
        function = self.function
        holder = function.parent if function is not None else None
        if function is None or holder is None:
            return
        name = self.module.of(holder.child_by_field_name("key") or function)[:40]
        if (name == "handler" and self.owner.is_hapi) or self._types_html(function):
            self.reach(SinkKind.PAGE, node, value)
        before = function.prev_named_sibling
        while before is not None and before.type == "decorator":
            if self.module.of(before).startswith("@Redirect") and node.type == "object":
                url = self.scope.property(node, "url")
                self.reach(SinkKind.REDIRECT, url or node, self.value(url) if url is not None else CLEAN)
            before = before.prev_named_sibling

    def _types_html(self, function: Node) -> bool:
        """Whether a handler of fastify's says that what it returns is HTML."""
        given = self.module.of(function.child_by_field_name("parameters") or function)[:120]
        return "reply" in given and sinks.TYPED_HTML.search(self.module.of(function)) is not None

    def _rendered(self, context: Node) -> None:
        """Markup made of the sender's text and handed to a template is meant to be put there as it is."""
        self.reach(SinkKind.VIEW, context, added(self._handed_over(context), SinkKind.VIEW, SinkKind.FIELDS))
        whole = self.scope.resolved(context)
        for one in whole.named_children if whole.type == "object" else ():
            value = (
                self.value(one.child_by_field_name("value") or one)
                if one.type in {"pair", "shorthand_property_identifier"}
                else CLEAN
            )
            self.reach(SinkKind.PAGE, one, value)

    def _sent_back(self, owner: Node, text: str, node: Node, value: Value) -> None:
        function = self._around(owner)
        said = self.module.of(function) if function is not None else text
        is_express = text.startswith(("res", "this.res", "_res"))
        if sinks.TYPED_TEXT.search(said) and not sinks.TYPED_HTML.search(said):
            return
        if sinks.TYPED_HTML.search(said):
            self.reach(SinkKind.HTML, node, value)
        elif is_express and ".send" in said and self._is_certain_text(node):
            self.reach(SinkKind.HTML if ".end" not in text else SinkKind.PAGE, node, value)
        elif is_express:
            self.reach(SinkKind.PAGE, node, value)

    def _is_certain_text(self, node: Node) -> bool:
        """Whether what is sent is text and not an object, which is sent as JSON."""
        core = bare(node)
        if core.type in {"template_string", "binary_expression"}:
            return True
        return (
            core.type == "member_expression"
            and not self.module.of(core).endswith(_WHOLE)
            and self.is_sent(core)
        )

    def _around(self, node: Node) -> Node | None:
        """The function a place is in."""
        around = node.parent
        while around is not None and around.type not in FUNCTIONS:
            around = around.parent
        return around


def _parts(text: Node) -> Iterator[Node]:
    """The values that a template or a sum puts together."""
    if text.type == "template_string":
        for one in text.named_children:
            yield from one.named_children[:1] if one.type == "template_substitution" else ()
    elif text.type == "binary_expression":
        for one in text.named_children:
            yield from _parts(one) if one.type == "binary_expression" else (one,)


def _parts_of(text: Node) -> bool:
    """Whether a text is put together of others."""
    return next(_parts(text), None) is not None


def _elsewhere(name: str) -> str:
    """The last name of what another module of the project exports: some wrap what starts a shell."""
    return name.rpartition(".")[2] if name.startswith((".", "@/", "~/")) and name.endswith(_WRAPPED) else ""
