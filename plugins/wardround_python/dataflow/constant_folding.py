"""What is certain of an expression, by what is known of the names in it."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property

from wardround_python.dataflow.domain import Value
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.known_value import (
    Exactly,
    Fields,
    Held,
    Known,
    KnownEntry,
    Plain,
    Prepared,
    Runs,
    answered,
    answered_on,
    is_same,
    part_of,
    worked_out,
)
from wardround_python.dataflow.scope import Scope

_DEEPEST = 60
_LONGEST_TABLE = 30
_MAKING = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.Call, ast.BinOp)


class Folding(Scope):
    """Works constants out, decides tests, and finds the tables names stand for."""

    # Constants.

    def _exact(self, node: ast.expr | None) -> Exactly | None:
        """The constant an expression always is here; None where that can't be told."""
        if isinstance(node, ast.Constant):
            value = node.value
            is_plain = value is None or isinstance(value, (str, bytes, int, float))
            return Exactly(value) if is_plain else None  # type: ignore[arg-type]
        handler = _FOLDS.get(type(node))
        if handler is None or self._depth > _DEEPEST:
            return None
        self._depth += 1
        try:
            return handler(self, node)
        finally:
            self._depth -= 1

    def _exacts(self, nodes: Sequence[ast.expr]) -> list[Plain] | None:
        found = []
        for one in nodes:
            exact = self._exact(one)
            if exact is None:
                return None
            found.append(exact.value)
        return found

    def _fold_name(self, node: ast.Name) -> Exactly | None:
        known = self._values.known.get(node.id)
        if known is not None or node.id in self._values:
            return known if isinstance(known, Exactly) else None
        number = self._owner.numbers.get(node.id)
        return Exactly(number) if number is not None else None

    def _fold_place(self, node: ast.Attribute) -> Exactly | None:
        known = self._known_place(node)
        return known if isinstance(known, Exactly) else None

    def _known_place(self, node: ast.Attribute) -> Known | None:
        """What is known of an attribute: of the object the method is called on, or of one made here."""
        entry = self._attribute_entry(node)
        if entry is not None:
            return entry.known
        key = key_of(node)
        known = self._values.known.get(key) if key is not None else None
        known = self._answers.get(node) if known is None else known
        if known is None and isinstance(node.value, (ast.Name, ast.Call)):
            made = self._instances.get(node.value.id) if isinstance(node.value, ast.Name) else None
            made = self._fresh.get(node.value) if isinstance(node.value, ast.Call) else made
            known = made.held.get(node.attr) if made is not None else None
        return known

    def _attribute_entry(self, node: ast.Attribute) -> KnownEntry | None:
        """What an attribute of a namespace or of a named tuple holds."""
        if not self._values.known and not self._answers:
            return None
        if not isinstance(node.value, (ast.Name, ast.Call)):
            return None
        held = self._held(node.value)
        return held.attribute(node.attr) if held is not None and (held.kind or held.names) else None

    def _fold_binary(self, node: ast.BinOp) -> Exactly | None:
        left = self._exact(node.left)
        if left is None:
            return None
        if isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Tuple):
            parts = self._exacts(node.right.elts)
            return worked_out(ast.Mod, left.value, tuple(parts)) if parts is not None else None  # type: ignore[arg-type]
        right = self._exact(node.right)
        return worked_out(type(node.op), left.value, right.value) if right is not None else None

    def _fold_text(self, node: ast.JoinedStr) -> Exactly | None:
        found = ""
        for one in node.values:
            part = one.value if isinstance(one, ast.FormattedValue) else one
            is_plain = not isinstance(one, ast.FormattedValue) or (
                one.conversion == -1 and one.format_spec is None
            )
            exact = self._exact(part) if is_plain else None
            if exact is None:
                return None
            found += str(exact.value)
        return Exactly(found)

    def _fold_compare(self, node: ast.Compare) -> Exactly | None:
        left = self._exact(node.left)
        for op, right in zip(node.ops, node.comparators, strict=True):
            if left is None:
                return None
            if isinstance(op, (ast.In, ast.NotIn)):
                members = self._members(right)
                answer = worked_out(type(op), left.value, members) if members is not None else None  # type: ignore[arg-type]
                after = None
            else:
                after = self._exact(right)
                answer = worked_out(type(op), left.value, after.value) if after is not None else None
            if answer is None or not answer.value:
                return answer
            left = after
        return Exactly(True)

    def _members(self, node: ast.expr) -> list[Plain] | str | None:
        """What stands in a table whose members are all constants."""
        held = self._held(node)
        if held is not None and isinstance(held.entries, dict) and not held.is_parser:
            return list(held.entries)  # type: ignore[arg-type]
        if held is not None and held.entries is not None:
            known = [one.known for one in held.entries if isinstance(one, KnownEntry)]
            values = [one.value for one in known if isinstance(one, Exactly)]
            return values if len(values) == len(held.entries) else None
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return self._exacts(node.elts)
        exact = self._exact(node)
        return exact.value if exact is not None and isinstance(exact.value, str) else None

    def _fold_bool(self, node: ast.BoolOp) -> Exactly | None:
        last = None
        for one in node.values:
            last = self._exact(one)
            if last is None or bool(last.value) is isinstance(node.op, ast.Or):
                return last
        return last

    def _fold_unary(self, node: ast.UnaryOp) -> Exactly | None:
        if isinstance(node.op, ast.Not):
            decided = self._decided(node.operand)
            return Exactly(not decided) if decided is not None else None
        exact = self._exact(node.operand)
        return worked_out(type(node.op), exact.value) if exact is not None else None

    def _fold_choice(self, node: ast.IfExp) -> Exactly | None:
        decided = self._decided(node.test)
        if decided is not None:
            return self._exact(node.body if decided else node.orelse)
        first = self._exact(node.body)
        return first if first is not None and is_same(first, self._exact(node.orelse)) else None

    def _fold_part(self, node: ast.Subscript) -> Exactly | None:
        held = self._table(node.value)
        outer = self._held(node.value.value) if isinstance(node.value, ast.Subscript) else None
        if outer is not None and outer.is_parser and isinstance(node.value, ast.Subscript):
            entry = self._section_entry(outer, node.value.slice, node.slice)
            return entry.known if entry is not None and isinstance(entry.known, Exactly) else None
        if held is not None:
            entry = self._entry(held, node.slice)
            return entry.known if entry is not None and isinstance(entry.known, Exactly) else None
        text = self._exact(node.value)
        if text is None:
            return None
        if isinstance(node.slice, ast.Slice):
            ends = [node.slice.lower, node.slice.upper, node.slice.step]
            known = [Exactly(None) if one is None else self._exact(one) for one in ends]
            cut = slice(*(one.value for one in known if one is not None)) if all(known) else None
            return part_of(text.value, cut) if cut is not None else None  # type: ignore[arg-type]
        key = self._exact(node.slice)
        return part_of(text.value, key.value) if key is not None else None

    def _fold_call(self, node: ast.Call) -> Exactly | None:
        answer = self._answers.get(node)
        if answer is not None:
            return answer if isinstance(answer, Exactly) else None
        if node.keywords or len(node.args) > 3:
            return None
        if isinstance(node.func, ast.Name) and node.func.id not in self._values:
            held = self._held(node.args[0]) if node.func.id == "len" and len(node.args) == 1 else None
            if held is not None:
                return Exactly(len(held.entries)) if held.entries is not None else None
            is_own = self._owner.functions.get(node.func.id) or node.func.id in self._module.imported
            given = self._exacts(node.args) if not is_own else None
            return answered(node.func.id, *given) if given is not None else None
        if isinstance(node.func, ast.Attribute):
            on = self._exact(node.func.value)
            given = self._exacts(node.args) if on is not None and isinstance(on.value, str) else None
            return answered_on(on.value, node.func.attr, *given) if on and given is not None else None
        return None

    # Tests.

    def _decided(self, test: ast.expr) -> bool | None:
        """Whether a test is always true or always false here; None where that can't be told."""
        if isinstance(test, ast.BoolOp):
            decided = [self._decided(one) for one in test.values]
            is_or = isinstance(test.op, ast.Or)
            if is_or in decided:
                return is_or
            return None if None in decided else not is_or
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._decided(test.operand)
            return not inner if inner is not None else None
        if isinstance(test, ast.NamedExpr):
            return self._decided(test.value)
        if isinstance(test, ast.Name) and test.id not in self._values:
            return None  # a switch at the top of the module, which somebody may turn
        held = self._held(test) if isinstance(test, (ast.Name, ast.Attribute)) else None
        if held is not None:
            return bool(held.entries) if held.entries is not None and not held.is_parser else None
        exact = self._exact(test)
        return bool(exact.value) if exact is not None else None

    # Tables and functions.

    def _held(self, node: ast.expr) -> Held | None:
        """The table an expression stands for, without letting go of it."""
        known: Known | None = None
        if isinstance(node, ast.Name):
            known = self._values.known.get(node.id)
        elif isinstance(node, ast.Attribute):
            known = self._known_place(node) if self._values.known or self._instances else None
        elif isinstance(node, ast.Call):
            known = self._answers.get(node)
        elif isinstance(node, ast.Subscript):
            outer = self._held(node.value)
            entry = self._entry(outer, node.slice) if outer is not None else None
            known = entry.known if entry is not None else None
        return known if isinstance(known, Held) else None

    def _table(self, node: ast.expr) -> Held | None:
        """The table an expression stands for, or is."""
        held = self._held(node)
        if held is None and isinstance(node, _MAKING):
            known = self._knowledge(node)
            return known if isinstance(known, Held) else None
        return held

    def _entry(self, held: Held, key: ast.expr) -> KnownEntry | None:
        """The entry of a table a key stands for; None where it may be any."""
        if held.is_parser or held.entries is None:
            return None
        exact = self._exact(key)
        if exact is None and isinstance(key, ast.Name):
            text = self._text_of(key) if key.id not in self._values else None
            exact = Exactly(text) if text is not None else None
        return held.at(exact.value) if exact is not None else None

    def _let_go(self, held: Held) -> None:
        """Know no longer what a table holds, nor the tables in it."""
        entries, held.entries = held.entries, None
        inside = entries.values() if isinstance(entries, dict) else entries or ()
        for one in inside:
            if isinstance(one.known, Held):
                self._let_go(one.known)

    def _peek(self, node: ast.expr) -> Value:
        """What an expression carries that is only looked at: a table in it stays known."""
        held = self._held(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if held is None:
            return self.value(node)
        for one in self._tables_in(held):
            self._let_go(one)
        return held.every

    @staticmethod
    def _tables_in(held: Held) -> list[Held]:
        entries = held.entries.values() if isinstance(held.entries, dict) else held.entries or ()
        return [one.known for one in entries if isinstance(one.known, Held)]

    def _knowledge(self, node: ast.expr) -> Known | None:
        """What is certain of the value an expression gives, to whatever it is given."""
        if self._function is None:
            return None
        if isinstance(node, ast.Lambda):
            return Runs(self._owner.nested.of_lambda(node))
        if isinstance(node, (ast.List, ast.Tuple)):
            return self._sequence(node.elts)
        if isinstance(node, ast.Dict):
            return self._mapping(node)
        if isinstance(node, ast.DictComp):
            return self._comprehended_mapping(node)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            found = self._elements(node)
            return self._as_table(found) if found is not None else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitOr, ast.Add)):
            joined = self._joined_tables(self._table(node.left), self._table(node.right))
            if joined is not None:
                return joined
        if isinstance(node, ast.IfExp):
            decided = self._decided(node.test)
            if decided is not None:
                return self._knowledge(node.body if decided else node.orelse)
        if isinstance(node, ast.Call) and node not in self._answers:
            made = self._made_table(node)
            if made is not None:
                return made
        held = self._held(node)
        if held is not None:
            return held
        answer = self._answers.get(node)
        if isinstance(answer, (Runs, Fields, Prepared)):
            return answer
        if isinstance(node, ast.Name):
            known = self._values.known.get(node.id)
            if isinstance(known, (Runs, Fields, Prepared)):
                return known
            function = self._named_function(node.id)
            if function is not None:
                return Runs(function)
        return self._exact(node)

    def _named_function(self, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function of this module that a name stands for here."""
        if name in self._values or name in self._module.imported:
            return None
        inner = self._owner.nested.named(self._function, name)
        return inner if inner is not None else self._owner.functions.get(name)

    def _sequence(self, nodes: Sequence[ast.expr]) -> Held | None:
        if len(nodes) > _LONGEST_TABLE:
            return None
        if any(isinstance(one, ast.Starred) for one in nodes):
            found = self._elements(ast.List(list(nodes), ast.Load()))
            return self._as_table(found) if found is not None else None
        return self._as_table([self._as_entry(one) for one in nodes])

    def _as_table(self, entries: list[KnownEntry]) -> Held:
        made = Held(entries, self._where)
        made.whole = made.every
        return made

    def _mapping(self, node: ast.Dict) -> Held | None:
        if None in node.keys:
            return self._spread_mapping(node)
        keys = [self._exact(key) if key is not None else None for key in node.keys[: _LONGEST_TABLE + 1]]
        if len(keys) > _LONGEST_TABLE or None in keys:
            return None
        entries: dict[object, KnownEntry] = {
            key.value: self._as_entry(value)
            for key, value in zip(keys, node.values, strict=True)
            if key is not None
        }
        made = Held(entries, self._where)
        made.whole = made.every
        return made

    def _spread_mapping(self, node: ast.Dict) -> Held | None:
        """``{**first, "key": value}``."""
        made: Held | None = Held({}, self._where)
        for key, value in zip(node.keys, node.values, strict=True):
            more = self._table(value) if key is None else self._mapping(ast.Dict([key], [value]))
            made = self._joined_tables(made, more)
        return made

    def _as_entry(self, node: ast.expr) -> KnownEntry:
        known = self._knowledge(node)
        return KnownEntry(known.whole if isinstance(known, Held) else self.value(node), known)

    @abstractmethod
    def _table_of(self, node: ast.Call, name: str) -> Held | None:
        """The table that a call makes of elements, or fills later."""

    @abstractmethod
    def _made_table(self, node: ast.Call) -> Held | None:
        """The table a constructor makes."""

    @abstractmethod
    def _section_entry(self, held: Held, section: ast.expr, option: ast.expr) -> KnownEntry | None:
        """``parser[section][option]``."""

    @abstractmethod
    def _elements(self, node: ast.expr) -> list[KnownEntry] | None:
        """What a loop over an expression comes by; None where that can't be told."""

    @abstractmethod
    def _comprehended_mapping(self, node: ast.DictComp) -> Held | None:
        """The mapping that a comprehension makes."""

    @abstractmethod
    def _joined_tables(self, first: Held | None, second: Held | None) -> Held | None:
        """``first | second`` of mappings, ``first + second`` of lists."""

    @cached_property
    def _mentioned(self) -> frozenset[str]:
        """The names of this function that functions inside it may change the content of."""
        return self._owner.nested.captured(self._function) if self._function is not None else frozenset()

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        """The names whose values are given elsewhere too."""
        if self._function is None:
            return frozenset()
        return self._owner.nested.declared_outside

    def _learn(self, key: str, known: Known | None) -> None:
        """Know something of a name from here on."""
        if known is None:
            return
        root = key.partition(".")[0].partition("[")[0]
        if isinstance(known, Held) and root in self._mentioned:
            self._let_go(known)
        elif root not in self._elsewhere:
            self._values.known[key] = known


_FOLDS: dict[type[ast.expr] | type[None], Callable[..., Exactly | None]] = {
    ast.Name: Folding._fold_name,
    ast.Attribute: Folding._fold_place,
    ast.BinOp: Folding._fold_binary,
    ast.JoinedStr: Folding._fold_text,
    ast.Compare: Folding._fold_compare,
    ast.BoolOp: Folding._fold_bool,
    ast.UnaryOp: Folding._fold_unary,
    ast.IfExp: Folding._fold_choice,
    ast.Subscript: Folding._fold_part,
    ast.Call: Folding._fold_call,
}
