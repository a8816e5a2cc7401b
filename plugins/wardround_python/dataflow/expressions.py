"""What an expression carries."""

from __future__ import annotations

import ast
from collections.abc import Callable

from wardround.languages.python.module import last_name
from wardround.languages.python.tree import walk
from wardround.semantics.dataflow.domain import ARCHIVE, REQUEST, join, only, without
from wardround_python.dataflow import sanitizers, sources
from wardround_python.dataflow.calls import Calls
from wardround_python.dataflow.domain import CLEAN, STORED, UPLOAD, SinkKind, Value
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.known_value import Held, KnownEntry
from wardround_python.dataflow.request_objects import is_request
from wardround_python.dataflow.scope import (
    FROM_HOST,
    FROM_MODEL,
    FROM_PATH,
    FROM_REQUEST,
    FROM_SENDER,
    FROM_UPLOAD,
)

_DEEPEST = 120
"""Expressions nested deeper are taken to carry whatever they name; people don't write them."""
_IN_FORM = SinkKind.SQL | SinkKind.SHELL | SinkKind.CODE | SinkKind.LDAP | SinkKind.XPATH | SinkKind.TEMPLATE


class Expressions(Calls):
    """The value of each kind of expression."""

    def value(self, node: ast.expr) -> Value:
        """What an expression carries; calls in it that reach a sink are noted on the way."""
        handler = _EXPRESSIONS.get(type(node))
        if handler is None:
            return CLEAN
        if self._depth > _DEEPEST:
            return self._at_a_glance(node)
        self._depth += 1
        try:
            return handler(self, node)
        finally:
            self._depth -= 1

    def _at_a_glance(self, node: ast.expr) -> Value:
        """All that stands in an expression too deep to be looked into."""
        parts = list(walk(node))
        names = [self._values.get(one.id, CLEAN) for one in parts if isinstance(one, ast.Name)]
        reads = [one for one in parts if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)]
        return join(*names, *(self._attribute(one) for one in reads))

    def _name(self, node: ast.Name) -> Value:
        value = self._values.get(node.id, CLEAN)
        held = self._values.known.get(node.id)
        if isinstance(held, Held):  # whoever gets it may change it
            self._let_go(held)
            return join(value, held.whole)
        return value

    def _attribute(self, node: ast.Attribute) -> Value:
        key = key_of(node)
        whole = self.value(node.value) if isinstance(node.value, ast.Call) else None
        entry = self._attribute_entry(node)
        if entry is not None:
            return entry.value
        table = self._held(node)
        if table is not None:
            self._let_go(table)
            return join(self._values.get(key, CLEAN) if key is not None else CLEAN, table.whole)
        if key is not None and key in self._values:
            return self._values[key]
        if key is not None and key.startswith("self.") and key.count(".") == 1:
            held = self._attribute_of_self(key)
            if held:
                return held
        if node.attr in sources.REQUEST_PARTS and is_request(self._module, node.value, self._function):
            return FROM_UPLOAD if node.attr in {"files", "FILES"} else FROM_REQUEST
        if node.attr in sources.PATH_PARTS and is_request(self._module, node.value, self._function):
            return FROM_PATH
        if node.attr in sources.SENDER_PARTS and is_request(self._module, node.value, self._function):
            return FROM_SENDER
        if node.attr in sources.HOST_PARTS and is_request(self._module, node.value, self._function):
            return FROM_HOST
        if sources.is_raw_request(self._module, key, self._function):
            return FROM_REQUEST
        if key == "self.kwargs" and self._function is not None:
            return FROM_REQUEST if sources.is_view_method(self._module, self._function) else CLEAN
        if sources.is_model_text(self._module, node):
            return FROM_MODEL
        if node.attr in sources.VALIDATED:
            return {REQUEST: _IN_FORM}
        answer = self._of_object(node)
        if answer is not None:
            return answer
        if sources.STORED_ADDRESS.search(node.attr) and self._is_record(node.value):
            return {STORED: SinkKind.URL}
        value = self.value(node.value) if whole is None else whole
        if UPLOAD in value and node.attr == "filename":
            return without(FROM_REQUEST, SinkKind.FIELDS)
        if node.attr in sanitizers.CLEAN_ATTRIBUTES:
            return CLEAN
        if node.attr in {"name", "stem", "suffix"} and (
            isinstance(node.value, ast.Call) or ARCHIVE not in value
        ):
            return without(value, SinkKind.PATH)
        return value

    def _is_record(self, node: ast.expr) -> bool:
        """Whether a name stands for a record that was looked up here."""
        return isinstance(node, ast.Name) and bool(self._makers(node) & self._owner.lookups)

    def _of_object(self, node: ast.Attribute) -> Value | None:
        """What an attribute of an object of the project carries; None where that is not known."""
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            made = None
            is_property = self._class is not None and self._class.is_property(node.attr)
        else:
            made = self._made_here(node.value)
            is_property = made is not None and made.cls.is_property(node.attr)
        if is_property:
            call = ast.copy_location(ast.Call(node, [], []), node)
            value = self._call(call)
            self._answers.pop(node, None)
            if call in self._answers:
                self._answers[node] = self._answers[call]
            return value
        return made.fields.get(node.attr, CLEAN) if made is not None and made.fields is not None else None

    def _subscript(self, node: ast.Subscript) -> Value:
        key = key_of(node)
        self.value(node.slice) if isinstance(node.slice, ast.expr) else None
        if sources.is_sent_key(self._module, node.value, node.slice, self._function):
            return FROM_REQUEST
        if sources.is_model_text(self._module, node):
            return FROM_MODEL
        whole = self.value(node.value) if isinstance(node.value, ast.Call) else None
        known = self._looked_up(node)
        if known is not None and (key is None or key not in self._values):
            return self._of_entry(node.slice, known)
        if key is not None and key in self._values:
            return self._values[key]
        if key is not None and isinstance(node.slice, ast.Constant) and last_name(node.value) == "session":
            return self._remembered(str(node.slice.value))
        value = self.value(node.value) if whole is None else whole
        return self._of_entry(node.slice, value)

    def _choice(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        decided = self._decided(node.test)
        if decided is not None:
            return self.value(node.body if decided else node.orelse)
        when_true, when_false = self._clears(node.test)
        before = self._values.copied()
        where = self._stretch()
        self._clear(when_true)
        first = self.value(node.body)
        self._values = before.copied()
        self._clear(when_false)
        second = self.value(node.orelse)
        self._values, self._where = before, where
        return join(first, second)

    def _either(self, node: ast.BoolOp) -> Value:
        before, where = self._values.copied(), self._where
        found = []
        for one in node.values:
            value = self._peek(one)
            decided = self._decided(one)
            if decided is isinstance(node.op, ast.Or) or one is node.values[-1]:
                found.append(value)
                break
            if decided is None:
                found += [value] if isinstance(node.op, ast.Or) else []  # of an ``and`` only what is false
                self._stretch()
            when_true, when_false = self._clears(one)
            self._clear(when_true if isinstance(node.op, ast.And) else when_false)
        self._values, self._where = before, where
        return join(*found)

    def _collection(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        return without(join(*(self.value(one) for one in node.elts)), SinkKind.FIELDS)

    def _dict(self, node: ast.Dict) -> Value:
        found = []
        for key, one in zip(node.keys, node.values, strict=True):
            value = self.value(one)
            if key is None:
                found.append(value)
                continue
            if isinstance(key, ast.Constant) and str(key.value).lower() == "access-control-allow-origin":
                self._reach(SinkKind.ORIGIN, one, value)
            chosen = {o: left & SinkKind.FIELDS for o, left in self.value(key).items()}
            found.append(join(without(value, SinkKind.FIELDS), chosen))
        return join(*found)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        before, where = self._values.copied(), self._stretch()
        for part in node.generators:
            self._bind_each(part.target, part.iter)
            for test in part.ifs:
                self.value(test)
                self._clear(self._clears(test)[0])
        if isinstance(node, ast.DictComp):
            key = self.value(node.key)
            value = join(without(self.value(node.value), SinkKind.FIELDS), only(key, SinkKind.FIELDS))
        else:
            value = self.value(node.elt)
        self._values, self._where = before, where
        return value

    def _inner(self, node: ast.Await | ast.Starred | ast.YieldFrom | ast.FormattedValue) -> Value:
        return self.value(node.value)

    def _yield(self, node: ast.Yield) -> Value:
        if node.value is not None:
            value, known = self.value(node.value), self._knowledge(node.value)
            self._summary.returned = join(self._summary.returned, value)
            self._pieces_given.append(KnownEntry(value, known))
        return CLEAN

    def _walrus(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self._bind(node.target, value, node.value, self._knowledge(node.value))
        return value

    def _compare(self, node: ast.Compare) -> Value:
        for one in (node.left, *node.comparators):
            self._peek(one)
        return CLEAN

    def _negation(self, node: ast.UnaryOp) -> Value:
        self._peek(node.operand)
        return CLEAN


_EXPRESSIONS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.BinOp: Expressions._binary,
    ast.JoinedStr: Expressions._f_string,
    ast.IfExp: Expressions._choice,
    ast.BoolOp: Expressions._either,
    ast.Tuple: Expressions._collection,
    ast.List: Expressions._collection,
    ast.Set: Expressions._collection,
    ast.Dict: Expressions._dict,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.Await: Expressions._inner,
    ast.Starred: Expressions._inner,
    ast.YieldFrom: Expressions._inner,
    ast.FormattedValue: Expressions._inner,
    ast.Yield: Expressions._yield,
    ast.NamedExpr: Expressions._walrus,
    ast.Compare: Expressions._compare,
    ast.UnaryOp: Expressions._negation,
    ast.Call: Expressions._call,
}
