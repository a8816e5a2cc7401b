"""What a call gives, and which sinks it reaches: of libraries, and inside functions of the project."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import ARCHIVE, join, without
from wardround_python.dataflow import sanitizers, sources
from wardround_python.dataflow.call_normalization import Rewriting
from wardround_python.dataflow.classes import Instance
from wardround_python.dataflow.commands import COMMAND_FLAGS, PROCESSES, RUNS, read_by_shell
from wardround_python.dataflow.domain import CLEAN, SinkKind, Value, decoded, encoded
from wardround_python.dataflow.expression_shapes import fields_used, key_of, passed_on
from wardround_python.dataflow.forwarding_calls import (
    is_own_call,
    relayed_call,
    said,
    session_call,
    writes_fields,
)
from wardround_python.dataflow.known_value import Exactly, Fields, Held, KnownEntry
from wardround_python.dataflow.object_resolution import Named, ResolvedCallee
from wardround_python.dataflow.request_objects import is_request
from wardround_python.dataflow.scope import FROM_HOST, FROM_REQUEST
from wardround_python.dataflow.sinks import reached, session_values

_LOOKING = frozenset(
    {
        "len", "str", "repr", "sorted", "sum", "any", "all", "min", "max", "print", "bool", "isinstance",
        "list", "tuple", "set", "frozenset", "dict", "enumerate", "zip", "reversed", "iter", "next",
        "jsonify", "map", "filter", "type", "id", "setattr", "getattr", "hasattr",
    }
)  # fmt: skip
"""Functions that change nothing of what they are given."""


_PARTS_OF_ADDRESSES = frozenset({"urllib.parse.urlparse", "urllib.parse.urlsplit"})


class Calls(Rewriting):
    """Follows values into calls and out of them."""

    def _call(self, node: ast.Call) -> Value:
        self._answers.pop(node, None)
        self._fresh[node] = None  # so that a chain of calls is not followed anew from each of its methods
        rewritten = self._rewritten_value(node)
        if rewritten is not None:
            return rewritten
        given = [self._peek(one) for one in node.args]
        named = [(keyword, self._peek(keyword.value)) for keyword in node.keywords]
        table = self._held(node.func.value) if isinstance(node.func, ast.Attribute) else None
        receiver = self._called_on(node) if table is None else table.every
        self._note_sinks(node, receiver, given, named)
        if table is not None:
            return self._on_table(node, table, given, join(*given, *(value for _, value in named)))
        answer = self._answer(node, receiver, given, named)
        if self._values.known or self._instances:
            self._hand_over(node)
        return answer

    def _on_table(self, node: ast.Call, table: Held, given: Sequence[Value], every: Value) -> Value:
        assert isinstance(node.func, ast.Attribute)
        key = key_of(node.func.value)
        if key is not None and every and node.func.attr in (sanitizers.ADDING_METHODS | {"set", "read_dict"}):
            self._add(key, every)
        return self._table_call(node, table, given)

    def _hand_over(self, node: ast.Call) -> None:
        """Know nothing more of what a call was given that may change it."""
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if self._only_looks(node):
            return
        for one in arguments:
            held = self._held(one) if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript)) else None
            if held is not None and self._walked_into is not node:
                self._let_go(held)
            made = self._instances.get(one.id) if isinstance(one, ast.Name) else None
            if made is not None:
                made.held.clear()
            if isinstance(one, ast.Name) and one.id == "self":
                self._forget_self()

    def _only_looks(self, node: ast.Call) -> bool:
        """Whether a call changes nothing of what it is given."""
        last = last_name(node.func)
        if isinstance(node.func, ast.Name):
            return last in _LOOKING and last not in self._values and self._named_function(last) is None
        return last in {"join", "format", "dumps", "info", "debug", "warning", "error"}

    def _answer(self, node: ast.Call, receiver: Value, given: Sequence[Value], named: Named) -> Value:
        relayed = relayed_call(node)
        prepared = self._prepared(node)
        if relayed is not None and self._callee(relayed) is not None:
            through = self._call(relayed)
            known = self._answers.get(relayed) if prepared is None else prepared
            if known is not None:
                self._answers[node] = known
            return through
        callee = self._callee(node)
        if callee is not None:
            return self._through(callee, node, given, named)
        cls = self._class_called(node)
        if cls is not None:
            self._fresh[node] = made = self._construct(cls, node, given, named)
            return made.whole
        every = join(*given, *(value for _, value in named))
        if isinstance(node.func, ast.Attribute):
            answer = self._method(node, node.func, receiver, given, every)
            if answer is not None:
                return answer
        name = self._module.dotted(node.func) or ""
        if prepared is not None:
            self._answers[node] = prepared
            return every
        if isinstance(node.func, ast.Name) and isinstance(self._values.known.get(node.func.id), Fields):
            table = self._table_of(node, "")
            if table is not None:
                self._answers[node] = table
            return every
        return self._of_function(node, name, given, every)

    def _of_function(self, node: ast.Call, name: str, given: Sequence[Value], every: Value) -> Value:
        """What a function of the language or of a library gives, which its name tells."""
        if name in {"dataclasses.replace", "dataclasses.asdict"} and node.args:
            return self._of_dataclass(node, last_name(node.func), every)
        if name in sanitizers.MATCHING and len(given) > 1:
            return given[1] if self._lets_through(node.args[0]) else CLEAN
        if name == "heapq.heappush" and (heap := key_of(node.args[0])) is not None and every:
            self._add(heap, every)
        recoded = _recoded(name, last_name(node.func), every)
        if recoded is not None:
            return recoded
        if name == "filter" and node.args and last_name(node.args[0]) in sanitizers.TELLING:
            return CLEAN
        if name == "next" and node.args:
            return self._first_of(node, every)
        if name == "print":
            return self._printed(node, every)
        if name in {"map", "functools.reduce"} and len(node.args) > 1:
            return self._mapped(node)
        return _of_library(node, name, every)

    def _first_of(self, node: ast.Call, every: Value) -> Value:
        """``next(entries)``."""
        entry = self._next(node.args[0])
        if entry is not None and entry.known is not None:
            self._answers[node] = entry.known
        return entry.value if entry is not None else every

    def _printed(self, node: ast.Call, every: Value) -> Value:
        """``print(value, file=stream)``: the stream holds it then."""
        for one in node.keywords:
            key = key_of(one.value) if one.arg == "file" else None
            held = self._held(one.value)
            if held is not None:
                held.put(KnownEntry(every))
                self._let_go(held)
            if key is not None and every:
                self._add(key, every)
        return CLEAN

    def _mapped(self, node: ast.Call) -> Value:
        """What a function gives for each of the values it is called with."""
        func, *given = node.args
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "str":
            return self.value(given[0])  # map(str.strip, values)
        if last_name(node.func) == "reduce":
            given = [*given, given[0]]
        return self.value(ast.copy_location(ast.Call(func, given, []), node))

    def _parts_of(self, node: ast.expr) -> Value:
        """What a text carries that may be taken apart again."""
        if isinstance(node, ast.JoinedStr):
            return join(*(self.value(one) for one in node.values if isinstance(one, ast.FormattedValue)))
        return self.value(node)

    def _called_on(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute):
            return self.value(node.func.value)
        if not isinstance(node.func, ast.Name):
            self.value(node.func)
        return CLEAN

    def _method(
        self,
        node: ast.Call,
        func: ast.Attribute,
        receiver: Value,
        given: Sequence[Value],
        every: Value,
    ) -> Value | None:
        """What a method gives; None where it is no method of a value but a function of a module."""
        sent = self._sent(node, func)
        if sent is None:
            sent = self._of_session(node, func, given)
        if sent is not None:
            return sent
        if self._module.imported_name(func) is not None and not receiver:
            return None
        if (
            isinstance(func.value, ast.Name)
            and func.value.id in {"bytes", "bytearray"}
            and func.attr == "fromhex"
        ):
            return decoded(every)
        key = key_of(func.value)
        if func.attr in sanitizers.ADDING_METHODS and every and key is not None:
            self._add(key, every)
        if func.attr == "hex" and not node.args:
            return encoded(receiver)
        filled = self._filled(node, func, receiver, given, every)
        return self._kept(node, func, receiver, given, every) if filled is None else filled

    def _sent(self, node: ast.Call, func: ast.Attribute) -> Value | None:
        """What a method gives of what a stranger sent: of a request, a handler, an archive."""
        if func.attr in sources.REQUEST_CALLS and is_request(self._module, func.value, self._function):
            return FROM_REQUEST
        if (
            func.attr == "get"
            and node.args
            and sources.is_sent_key(self._module, func.value, node.args[0], self._function)
        ):
            return FROM_REQUEST
        if func.attr in sources.HOST_CALLS and is_request(self._module, func.value, self._function):
            return FROM_HOST
        if (
            func.attr in sources.HANDLER_CALLS
            and isinstance(func.value, ast.Name)
            and func.value.id == "self"
        ):
            return without(FROM_REQUEST, SinkKind.FIELDS)
        if func.attr in sources.ARCHIVE_CALLS and self._makers(func.value) & sources.ARCHIVES:
            return {ARCHIVE: SinkKind.PATH}
        return None

    def _of_session(self, node: ast.Call, func: ast.Attribute, given: Sequence[Value]) -> Value | None:
        """What a session or a cookie gives back, or is given to keep."""
        kept = session_call(func, node)
        if kept is None:
            return None
        if func.attr in {"get", "pop", "get_signed_cookie", "get_secure_cookie"}:
            return join(self._remembered(kept), *given[1:2])
        self._remember(kept, self._parts_of(node.args[1]) if len(node.args) > 1 else CLEAN)
        return CLEAN

    def _filled(
        self, node: ast.Call, func: ast.Attribute, receiver: Value, given: Sequence[Value], every: Value
    ) -> Value | None:
        """The text that a method makes of a template or of pieces."""
        if func.attr in {"format", "format_map"} and last_name(getattr(func.value, "func", func)) == "Markup":
            return without(every, SinkKind.HTML | SinkKind.PAGE)
        if func.attr in {"format", "format_map"}:
            return self._formatted(node, func, receiver, given)
        if func.attr == "join" and len(node.args) == 1 and not receiver and given[0]:
            return self._joined(self._pieces(node.args[0], given[0]))
        if func.attr in {"substitute", "safe_substitute"}:
            return self._substituted(node, func, join(receiver, every))
        return None

    def _kept(
        self, node: ast.Call, func: ast.Attribute, receiver: Value, given: Sequence[Value], every: Value
    ) -> Value:
        """What a method leaves of the value it is called on, with what it adds."""
        if func.attr not in sanitizers.KEEPING_METHODS:
            return CLEAN
        receiver = without(receiver, sanitizers.gone_by_method(node, func))
        added = every if func.attr in sanitizers.FILLING_METHODS else CLEAN
        if func.attr == "get" and any(k.arg == "type" and _is_number(k.value) for k in node.keywords):
            return CLEAN
        if func.attr in {"get", "pop", "setdefault"}:
            added = join(*given[1:2])
            if node.args:
                receiver = self._of_entry(node.args[0], receiver)
        return join(receiver, added)

    def _formatted(
        self, node: ast.Call, func: ast.Attribute, receiver: Value, given: Sequence[Value]
    ) -> Value:
        """``template.format(...)``: only the arguments that the template asks for."""
        template = self._template(func.value)
        values = dict(zip(map(str, range(len(given))), given, strict=False))
        values.update({k.arg: self._peek(k.value) for k in node.keywords if k.arg is not None})
        asked = fields_used(template) if template is not None else None
        is_spread = any(k.arg is None for k in node.keywords) or func.attr == "format_map"
        if asked is None or is_spread or any(isinstance(one, ast.Starred) for one in node.args):
            every = [*given, *(self._peek(k.value) for k in node.keywords)]
        else:
            every = [values.get(name, CLEAN) for name in asked]
        start = template.partition("{")[0] if template is not None else None
        rest = template[len(start) :] if template is not None and start is not None else None
        parts: list[tuple[str | None, Value]] = [(start, receiver)] if start != "" else []
        return self._joined([*parts, (None, join(*every)), (rest, CLEAN)])

    def _template(self, node: ast.expr) -> str | None:
        text = self._text_of(node)
        exact = self._exact(node) if text is None else None
        return exact.value if exact is not None and isinstance(exact.value, str) else text

    def _pieces(self, node: ast.expr, whole: Value) -> list[tuple[str | None, Value]]:
        """What a list of texts holds, where its entries are known."""
        held = self._table(node)
        entries = held.entries if held is not None else None
        if not isinstance(entries, list):
            return [("", CLEAN), (None, whole)]
        texts = [one.known.value if isinstance(one.known, Exactly) else None for one in entries]
        pairs = zip(texts, entries, strict=True)
        return [(text if isinstance(text, str) else None, one.value) for text, one in pairs]

    def _substituted(self, node: ast.Call, func: ast.Attribute, whole: Value) -> Value:
        """``Template(text).substitute(...)``: only the keywords that the text asks for."""
        made = func.value
        text = self._template(made.args[0]) if isinstance(made, ast.Call) and made.args else None
        if text is None or node.args or any(k.arg is None for k in node.keywords):
            return whole
        asked = [k for k in node.keywords if f"${k.arg}" in text or f"${{{k.arg}}}" in text]
        start = text.partition("$")[0]
        return self._joined([(start, CLEAN), *((None, self._peek(k.value)) for k in asked), (text, CLEAN)])

    def _through(self, callee: ResolvedCallee, node: ast.Call, given: Sequence[Value], named: Named) -> Value:
        """Hand values to a function of the project, and answer what comes back."""
        summary = callee.flow.summary(callee.function)
        walked = self._walked(callee, node, given, named)
        if walked is not None:
            return walked
        if summary.known is not None:
            self._answers[node] = summary.known
        bound = self._enter(callee, summary, node, given, named)
        self._fresh[node] = None
        if summary.gives_self and callee.receiver is not None:
            self._fresh[node] = callee.receiver
            return callee.receiver.whole
        if summary.made is not None:
            fields = summary.made.fields
            made = {name: passed_on(value, bound) for name, value in fields.items()} if fields else {}
            self._fresh[node] = Instance(summary.made.cls, made, self._where)
        return passed_on(summary.returned, bound)

    def _note_sinks(
        self,
        node: ast.Call,
        receiver: Value,
        given: Sequence[Value],
        named: Sequence[tuple[ast.keyword, Value]],
    ) -> None:
        known: dict[ast.expr, Value] = dict(zip(node.args, given, strict=True))
        known.update({keyword.value: value for keyword, value in named})
        if isinstance(node.func, ast.Attribute):
            known[node.func.value] = receiver
        makers = self._makers(node.func.value if isinstance(node.func, ast.Attribute) else node.func)
        for danger, argument in reached(self._module, node, makers, self._owner.slow):
            self._reach(
                danger,
                argument,
                known[argument] if argument in known else self.value(argument),
            )
        self._note_command(node)
        for keyword, value in named:
            if keyword.arg is None and writes_fields(self._module, node):
                self._reach(SinkKind.FIELDS, keyword.value, value)
        if last_name(node.func) == "setattr" and len(node.args) == 3:
            self._reach(SinkKind.FIELDS, node.args[1], given[1])
            self._give_attribute(node, given[2])
        if _is_header_call(node, "access-control-allow-origin"):
            self._reach(SinkKind.ORIGIN, node.args[1], given[1])
        if _is_header_call(node, "location"):
            self._reach(SinkKind.REDIRECT, node.args[1], given[1])
        for key, argument in session_values(node):
            self._reach(SinkKind.TRUST, argument, self.value(argument))
            if not isinstance(key, ast.Constant):
                self._reach(SinkKind.TRUST, key, self.value(key))
        for danger, argument in said(node):
            self._reach(
                danger,
                argument,
                known[argument] if argument in known else self.value(argument),
            )
        if is_own_call(node, self._in_view):
            danger = SinkKind.REDIRECT if last_name(node.func) == "redirect" else SinkKind.PAGE
            for argument, value in list(zip(node.args, given, strict=True))[:1]:
                self._reach(danger, argument, value)

    def _lets_through(self, pattern: ast.expr) -> bool:
        """Whether what a pattern found may still hold anything."""
        text = self._template(pattern)
        return text is None or any(part in text for part in (".*", ".+", r"\S", "[^"))

    def _of_dataclass(self, node: ast.Call, name: str, every: Value) -> Value:
        """``replace(record, field=value)`` and ``asdict(record)``, where its class is known."""
        made = self._instance(node.args[0])
        if made is None or made.fields is None:
            return every
        if name == "asdict":
            entries: dict[object, KnownEntry] = {
                one: KnownEntry(value, made.held.get(one)) for one, value in made.fields.items()
            }
            table = self._answers[node] = self._as_mapping(entries)
            return table.whole
        fields, held = dict(made.fields), dict(made.held)
        for one in node.keywords:
            known = self._knowledge(one.value)
            if one.arg is not None:
                fields[one.arg] = self._peek(one.value)
                held.pop(one.arg, None)
                held.update({one.arg: known} if isinstance(known, Exactly) else {})
        self._fresh[node] = copied = Instance(made.cls, fields, self._where, held)
        return copied.whole

    def _note_command(self, node: ast.Call) -> None:
        """A command line that was put together before, or is handed over with flags that were."""
        if not node.args or last_name(node.func) not in RUNS:
            return
        if not (self._module.dotted(node.func) or "").startswith(PROCESSES):
            return
        command = node.args[0]
        flags = [self._table(k.value) for k in node.keywords if k.arg is None]
        shells = [one.at("shell") for one in flags if one is not None and isinstance(one.entries, dict)]
        if any(one is not None and isinstance(one.known, Exactly) and one.known.value for one in shells):
            self._reach(SinkKind.SHELL, command, self._peek(command))
        held = self._held(command) if isinstance(command, (ast.Name, ast.Attribute)) else None
        if held is None:
            return
        if isinstance(held.entries, list):
            for value in read_by_shell(held.entries):
                self._reach(SinkKind.SHELL, command, value)
        elif not held.texts.isdisjoint(COMMAND_FLAGS):
            self._reach(SinkKind.SHELL, command, held.whole)


def _is_number(node: ast.expr) -> bool:
    """Whether a kind that werkzeug converts a field to leaves no text."""
    return isinstance(node, ast.Name) and node.id in {"int", "float", "bool", "UUID"}


def _is_header_call(node: ast.Call, header: str) -> bool:
    return (
        len(node.args) == 2
        and isinstance(node.args[0], ast.Constant)
        and str(node.args[0].value).lower() == header
    )


def _recoded(name: str, last: str, every: Value) -> Value | None:
    """What is left of values that are encoded, made harmless or decoded."""
    if name in sanitizers.ENCODING:
        return encoded(every)
    if (last in sanitizers.CLEANSING and name not in {"json.dumps"}) or last == "basename":
        kept = sanitizers.undone_later(name, every)
        return join(without(every, sanitizers.CLEANSING[last]), kept)
    return decoded(every) if name in sanitizers.DECODING else None


def _of_library(node: ast.Call, name: str, every: Value) -> Value:
    """What is left of values that a function of a library is given."""
    if name in _PARTS_OF_ADDRESSES:
        return without(every, SinkKind.URL | SinkKind.REDIRECT | SinkKind.HOST)
    if name == "json.dumps":
        return without(every, sanitizers.CLEANSING["dumps"])
    if name in {"flask.url_for", "quart.url_for"}:
        return FROM_HOST if any(k.arg == "_external" for k in node.keywords) else CLEAN
    if name.startswith("urllib.parse.urljoin"):
        return every
    if name in {"os.path.join", "pathlib.Path", "pathlib.PurePath"}:
        return without(every, SinkKind.FIELDS)
    if name in sanitizers.ONE_LINE:
        return without(every, SinkKind.LOG | sanitizers.gone_by_pattern(node, name))
    return every if name in sanitizers.KEEPING else CLEAN
