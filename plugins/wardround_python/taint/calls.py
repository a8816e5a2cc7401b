"""What a call gives, and which sinks it reaches: of libraries, and inside functions of the project."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround_python.module import last_name
from wardround_python.taint import cleansing, sources
from wardround_python.taint.classes import Instance
from wardround_python.taint.dangers import (
    ARCHIVE,
    CLEAN,
    Danger,
    Value,
    decoded,
    encoded,
    united,
    without,
)
from wardround_python.taint.hearers import (
    is_own_call,
    relayed_call,
    said,
    session_call,
    writes_fields,
)
from wardround_python.taint.known import Held
from wardround_python.taint.objects import Callee, Named
from wardround_python.taint.scope import FROM_HOST, FROM_REQUEST
from wardround_python.taint.shapes import key_of, passed_on
from wardround_python.taint.sinks import reached
from wardround_python.taint.walks import Walks

_LOOKING = frozenset(
    {
        "len", "str", "repr", "sorted", "sum", "any", "all", "min", "max", "print", "bool", "isinstance",
        "list", "tuple", "set", "frozenset", "dict", "enumerate", "zip", "reversed", "iter", "next",
        "jsonify", "map", "filter", "type", "id",
    }
)  # fmt: skip
"""Functions that change nothing of what they are given."""


_PARTS_OF_ADDRESSES = frozenset({"urllib.parse.urlparse", "urllib.parse.urlsplit"})


class Calls(Walks):
    """Follows values into calls and out of them."""

    def _call(self, node: ast.Call) -> Value:
        self._answers.pop(node, None)
        given = [self._peek(one) for one in node.args]
        named = [(keyword, self._peek(keyword.value)) for keyword in node.keywords]
        table = self._held(node.func.value) if isinstance(node.func, ast.Attribute) else None
        receiver = self._called_on(node) if table is None else table.every
        self._note_sinks(node, receiver, given, named)
        if table is not None:
            return self._on_table(node, table, given, united(*given, *(value for _, value in named)))
        answer = self._answer(node, receiver, given, named)
        if self._values.known or self._instances:
            self._hand_over(node)
        return answer

    def _on_table(self, node: ast.Call, table: Held, given: Sequence[Value], every: Value) -> Value:
        assert isinstance(node.func, ast.Attribute)
        key = key_of(node.func.value)
        if key is not None and every and node.func.attr in (cleansing.ADDING_METHODS | {"set", "read_dict"}):
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
        if relayed is not None and self._callee(relayed) is not None:
            return self._call(relayed)
        callee = self._callee(node)
        if callee is not None:
            return self._through(callee, node, given, named)
        cls = self._class_called(node)
        if cls is not None:
            self._fresh[node] = made = self._construct(cls, node, given, named)
            return made.whole
        self._fresh.pop(node, None)
        every = united(*given, *(value for _, value in named))
        if isinstance(node.func, ast.Attribute):
            answer = self._method(node, node.func, receiver, given, every)
            if answer is not None:
                return answer
        name = self._module.dotted(node.func) or ""
        last = last_name(node.func)
        if (last in cleansing.CLEANSING and name not in {"json.dumps"}) or last == "basename":
            kept = cleansing.undone_later(name, every)
            return united(without(every, cleansing.CLEANSING[last]), kept)
        if name in cleansing.ENCODING:
            return encoded(every)
        if name in cleansing.DECODING:
            return decoded(every)
        if name == "filter" and node.args and last_name(node.args[0]) in cleansing.TELLING:
            return CLEAN
        if name in {"map", "functools.reduce"} and len(node.args) > 1:
            return self._mapped(node)
        if name in _PARTS_OF_ADDRESSES:
            return without(every, Danger.URL | Danger.REDIRECT | Danger.HOST)
        if name == "json.dumps":
            return without(every, cleansing.CLEANSING["dumps"])
        if name in {"flask.url_for", "quart.url_for"}:
            return FROM_HOST if any(k.arg == "_external" for k in node.keywords) else CLEAN
        if name.startswith("urllib.parse.urljoin"):
            return every
        if name in {"os.path.join", "pathlib.Path", "pathlib.PurePath"}:
            return without(every, Danger.FIELDS)
        if name in cleansing.ONE_LINE:
            return without(every, Danger.LOG)
        return every if name in cleansing.KEEPING else CLEAN

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
            return united(*(self.value(one) for one in node.values if isinstance(one, ast.FormattedValue)))
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
        if func.attr in sources.REQUEST_CALLS and sources.is_request(
            self._module, func.value, self._function
        ):
            return FROM_REQUEST
        if func.attr in sources.HOST_CALLS and sources.is_request(self._module, func.value, self._function):
            return FROM_HOST
        if (
            func.attr in sources.HANDLER_CALLS
            and isinstance(func.value, ast.Name)
            and func.value.id == "self"
        ):
            return without(FROM_REQUEST, Danger.FIELDS)
        if func.attr in sources.ARCHIVE_CALLS and self._makers(func.value) & sources.ARCHIVES:
            return {ARCHIVE: Danger.PATH}
        kept = session_call(func, node)
        if kept is not None:
            if func.attr in {"get", "pop", "get_signed_cookie", "get_secure_cookie"}:
                return united(self._remembered(kept), *given[1:2])
            self._remember(kept, self._parts_of(node.args[1]) if len(node.args) > 1 else CLEAN)
            return CLEAN
        if self._module.imported_name(func) is not None and not receiver:
            return None
        key = key_of(func.value)
        if func.attr in cleansing.ADDING_METHODS and every and key is not None:
            self._add(key, every)
        if func.attr == "hex" and not node.args:
            return encoded(receiver)
        if func.attr in {"format", "format_map"} and last_name(getattr(func.value, "func", func)) == "Markup":
            return without(every, Danger.HTML | Danger.PAGE)
        if func.attr in {"format", "format_map"}:
            template = self._text_of(func.value)
            start = template.partition("{")[0] if template is not None else None
            rest = template[len(start) :] if template is not None and start is not None else None
            parts: list[tuple[str | None, Value]] = [(start, receiver)] if start != "" else []
            return self._joined([*parts, (None, every), (rest, CLEAN)])
        if func.attr not in cleansing.KEEPING_METHODS:
            return CLEAN
        receiver = without(receiver, cleansing.gone_by_method(node, func))
        added = every if func.attr in cleansing.FILLING_METHODS else CLEAN
        if func.attr == "get" and any(k.arg == "type" and _is_number(k.value) for k in node.keywords):
            return CLEAN
        if func.attr in {"get", "pop", "setdefault"}:
            added = united(*given[1:2])
            if node.args:
                receiver = self._of_entry(node.args[0], receiver)
        return united(receiver, added)

    def _through(self, callee: Callee, node: ast.Call, given: Sequence[Value], named: Named) -> Value:
        """Hand values to a function of the project, and answer what comes back."""
        summary = callee.flow.summary(callee.function)
        walked = self._walked(callee, node, given, named)
        if walked is not None:
            return walked
        if summary.known is not None:
            self._answers[node] = summary.known
        bound = self._enter(callee, summary, node, given, named)
        self._fresh.pop(node, None)
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
        makers = self._makers(node.func.value) if isinstance(node.func, ast.Attribute) else frozenset()
        for danger, argument in reached(self._module, node, makers, self._owner.slow):
            self._reach(
                danger,
                argument,
                known[argument] if argument in known else self.value(argument),
            )
        for keyword, value in named:
            if keyword.arg is None and writes_fields(self._module, node):
                self._reach(Danger.FIELDS, keyword.value, value)
        if last_name(node.func) == "setattr" and len(node.args) == 3:
            self._reach(Danger.FIELDS, node.args[1], given[1])
        if _is_header_call(node, "access-control-allow-origin"):
            self._reach(Danger.ORIGIN, node.args[1], given[1])
        if _is_header_call(node, "location"):
            self._reach(Danger.REDIRECT, node.args[1], given[1])
        for danger, argument in said(node):
            self._reach(
                danger,
                argument,
                known[argument] if argument in known else self.value(argument),
            )
        if is_own_call(node, self._in_view):
            danger = Danger.REDIRECT if last_name(node.func) == "redirect" else Danger.PAGE
            for argument, value in list(zip(node.args, given, strict=True))[:1]:
                self._reach(danger, argument, value)


def _is_number(node: ast.expr) -> bool:
    """Whether a kind that werkzeug converts a field to leaves no text."""
    return isinstance(node, ast.Name) and node.id in {"int", "float", "bool", "UUID"}


def _is_header_call(node: ast.Call, header: str) -> bool:
    return (
        len(node.args) == 2
        and isinstance(node.args[0], ast.Constant)
        and str(node.args[0].value).lower() == header
    )
