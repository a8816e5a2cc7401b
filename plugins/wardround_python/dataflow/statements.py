"""Walks the statements of a function: branches apart and then together, loops twice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import PARAMETER, join
from wardround_python.dataflow import sanitizers, sources
from wardround_python.dataflow.branches import Branches
from wardround_python.dataflow.classes import Instance
from wardround_python.dataflow.domain import CLEAN, EVERYTHING, PASSED, SinkKind, Summary, Value
from wardround_python.dataflow.expression_shapes import constant_text, key_of
from wardround_python.dataflow.known_value import (
    Exactly,
    Held,
    Known,
    KnownEntry,
    is_same,
    worked_out,
)
from wardround_python.dataflow.request_objects import parameters
from wardround_python.dataflow.scope import FROM_REQUEST, FROM_UPLOAD
from wardround_python.dataflow.sinks import headers_in, page_danger, says_no_page
from wardround_python.dataflow.state import merged

_MOST_ROUNDS = 2
"""How often a loop's body is walked, so that what its end assigns is seen at its start."""
_DEEPEST_LOOP = 3
_ADDRESS_METHODS = frozenset({"get_success_url", "get_redirect_url", "get_next_page"})
"""Methods of Django's views that say where the visitor is sent."""
_SWALLOWING = frozenset({"suppress", "raises", "assertRaises"})
_ENDING_CALLS = frozenset({"abort", "exit", "_exit", "fail", "halt"})


class FunctionFlow(Branches):
    """One walk through one function, or through the statements of the module itself."""

    def run(self) -> Summary:
        function = self._function
        assert function is not None
        sent = sources.request_parameters(self._module, function)
        for one in parameters(function):
            self._bind_parameter(one, sent.get(one.arg))
        for extra in (function.args.vararg, function.args.kwarg):
            if extra is not None:
                self._values[extra.arg] = {PARAMETER + extra.arg: PASSED}
        for name in self._owner.nested.free(function):
            self._values.setdefault(name, {PARAMETER + name: PASSED})
        if not self.walk(function.body):
            self._note_known(Exactly(None))
        known = self._returned[0] if self._returned is not None else None
        if known is not None and function not in self._owner.nested.generators:
            self._summary.known = known
        return self._summary

    def _bind_parameter(self, one: ast.arg, is_sent: bool | None) -> None:
        is_own = one.arg in {"self", "cls"}
        if is_sent is False or is_own or not sources.is_text(one.annotation):
            self._values[one.arg] = CLEAN
            return
        value: Value = {PARAMETER + one.arg: PASSED}
        if is_sent:
            value = {
                **value,
                **(FROM_UPLOAD if sources.is_upload(one.annotation) else FROM_REQUEST),
            }
        self._values[one.arg] = value
        for name, is_text in (sources.model_fields(self._module, one.annotation) or {}).items():
            if not is_text:
                self._values[f"{one.arg}.{name}"] = CLEAN

    # Statements. Each answers whether control leaves the block there.

    def walk(self, body: Iterable[ast.stmt]) -> bool:
        return any(self._statement(one) for one in body)

    def _statement(self, node: ast.stmt) -> bool:
        handler = _STATEMENTS.get(type(node))
        return handler(self, node) if handler else False

    def _expression_statement(self, node: ast.Expr) -> bool:
        self.value(node.value)
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if not isinstance(call, ast.Call):
            return False
        last = last_name(call.func)
        if last in sanitizers.CONVERTING or sanitizers.CHECKING.search(last):
            self._clear({key: EVERYTHING for one in call.args for key in self._keys(one)})
        if last == "relative_to" and isinstance(call.func, ast.Attribute):
            self._clear(dict.fromkeys(self._keys(call.func.value), SinkKind.PATH))
        self._left += last in _ENDING_CALLS
        return last in _ENDING_CALLS

    def _assign(self, node: ast.Assign) -> bool:
        value, known = self._value_and_known(node.value)
        for target in node.targets:
            self._bind(target, value, node.value, known)
        return False

    def _annotated(self, node: ast.AnnAssign) -> bool:
        if node.value is not None:
            value, known = self._value_and_known(node.value)
            self._bind(node.target, value, node.value, known)
        return False

    def _value_and_known(self, node: ast.expr) -> tuple[Value, Known | None]:
        if isinstance(node, (ast.Name, ast.Attribute)):
            held = self._held(node)
            if held is not None:  # a second name for one table
                return join(held.every, held.whole), held
        if isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
            known = self._knowledge(node)
            if isinstance(known, Held) and self._tables_in(known):
                return known.whole, known
            return self.value(node), known
        value = self.value(node)
        return value, self._knowledge(node)

    def _augmented(self, node: ast.AugAssign) -> bool:
        before = self.value(node.target)
        added = self.value(node.value)
        key = key_of(node.target)
        known = self._grown(node)
        if key is not None and isinstance(node.op, (ast.Add, ast.Mod, ast.Div, ast.BitOr)):
            parts = [(None, before), (constant_text(node.value), added)]
            grown = join(before, self._joined(parts)) if before else self._joined([("x", before), *parts[1:]])
            self._set(key, grown)
            self._made_of[key] = self._made_of.get(key, frozenset()) | self._names(node.value)
        if key is not None:
            self._values.known.pop(key, None)
            self._learn(key, known)
        return False

    def _grown(self, node: ast.AugAssign) -> Known | None:
        """What is certain of a name after ``name += value``; its table is known no longer."""
        held = self._held(node.target)
        if held is not None:
            joined = self._joined_tables(held, self._table(node.value))
            is_kept = joined is not None and held.where == self._where
            if joined is None or not is_kept or not isinstance(node.op, (ast.Add, ast.BitOr)):
                self._let_go(held)
                return None
            held.entries, held.whole = joined.entries, join(held.whole, joined.whole)
            return held
        if isinstance(node.target, ast.Subscript):
            self._put_into(
                node.target,
                KnownEntry(join(self.value(node.target), self.value(node.value))),
            )
            return None
        before = self._exact(node.target)
        added = self._exact(node.value)
        return worked_out(type(node.op), before.value, added.value) if before and added else None

    def _return(self, node: ast.Return) -> bool:
        self._left += 1
        if node.value is not None:
            value, known = self._value_and_known(node.value)
            self._summary.returned = join(self._summary.returned, value)
            self._note_known(known)
            self._give_object(node.value)
            if self._in_view and getattr(self._function, "name", "") in _ADDRESS_METHODS:
                self._reach(SinkKind.REDIRECT, node.value, value)
            if self._is_page_route and not isinstance(node.value, (ast.Dict, ast.List)):
                self._answer_page(node.value, value)
        else:
            self._note_known(Exactly(None))
        return True

    def _answer_page(self, node: ast.expr, value: Value) -> None:
        """What a route gives, with the status and the headers behind it."""
        text, *others = node.elts if isinstance(node, ast.Tuple) and node.elts else [node]
        if others:
            value = self.value(text)
        for one in others:
            for header, address in headers_in(one):
                if header == "location":
                    self._reach(SinkKind.REDIRECT, address, self.value(address))
        if not any(says_no_page(one) for one in others):
            self._reach(page_danger(text), text, value)

    def _note_known(self, known: Known | None) -> None:
        """What is certain of the answer, as far as every ``return`` gives the same."""
        if isinstance(known, Held) and self._entered is None:
            known = None  # the next call makes another
        before = self._returned
        self._returned = (known if before is None or is_same(before[0], known) else None,)

    def _give_object(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name) and node.id == "self":
            self._summary.gives_self = True
            return
        made = self._instance(node)
        if made is not None and self._summary.made is None:
            fields = dict(made.fields) if made.fields is not None else None
            self._summary.made = Instance(made.cls, fields)

    def _leave(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Raise) and node.exc is not None:
            self.value(node.exc)
            given = node.exc.args if isinstance(node.exc, ast.Call) else []
            self._raised = join(self._raised, *(self._peek(one) for one in given))
        self._left += 1
        return True

    def _jump(self, node: ast.stmt) -> bool:
        self._left += 1
        self._jumped.append(self._values.copied())
        return True

    def _while(self, node: ast.While) -> bool:
        if self._decided(node.test) is False:
            return self.walk(node.orelse)
        self._forget_changed(node.body)
        self._peek(node.test)
        when_true, _ = self._clears(node.test)
        self._loop(lambda: self._clear(when_true), node.body, node.orelse)
        return False

    def _for(self, node: ast.For | ast.AsyncFor) -> bool:
        self._forget_changed([node.target, *node.body])
        self._loop(lambda: self._bind_each(node.target, node.iter), node.body, node.orelse)
        return False

    def _forget_changed(self, body: Sequence[ast.stmt | ast.expr]) -> None:
        """Know nothing of what statements change that may run often, or in part."""
        for made in self._instances.values():
            made.held.clear()
        changed = self._owner.nested.changed_in(body) if self._values.known else frozenset()
        for key in changed & self._values.known.keys():
            held = self._values.known.pop(key)
            if isinstance(held, Held):
                self._let_go(held)

    def _loop(self, start: Callable[[], None], body: list[ast.stmt], after: list[ast.stmt]) -> None:
        outer, self._jumped = self._jumped, []
        where, leaves = self._where, self._left
        self._loops += 1
        for _ in range(_MOST_ROUNDS if self._loops <= _DEEPEST_LOOP else 1):
            before = self._values.copied()
            self._stretch()
            start()
            ends = self.walk(body)
            for one in [*([] if ends else [self._values]), *self._jumped]:
                before = merged(before, one)
            self._values = before
            self._jumped = []
        self._loops -= 1
        self._jumped = outer
        self._come_back(where, leaves)
        self.walk(after)

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                known = self._knowledge(item.context_expr)
                known = known if isinstance(known, Held) and known.kind == "stream" else None
                self._bind(item.optional_vars, value, item.context_expr, known)
        calls = [one.context_expr for one in node.items if isinstance(one.context_expr, ast.Call)]
        if any(last_name(one.func) in _SWALLOWING for one in calls):
            self._forget_changed(node.body)
        return self.walk(node.body)

    def _try(self, node: ast.Try) -> bool:
        before, where, leaves = self._values.copied(), self._where, self._left
        self._tries += 1
        outside, self._raised = self._raised, CLEAN
        if any(not isinstance(one.body[-1], (ast.Return, ast.Raise)) for one in node.handlers):
            self._stretch()
        ends = self.walk(node.body) or self.walk(node.orelse)
        after = self._values
        left = [] if ends else [after]
        changed = self._owner.nested.changed_in(node.body) if node.handlers and before.known else frozenset()
        for handler in node.handlers:
            self._values = merged(before, after)
            self._values.forget(changed | {handler.name or ""})
            if handler.name is not None:
                self._set(handler.name, self._raised)
            self._stretch()
            if not self.walk(handler.body):
                left.append(self._values)
        self._tries -= 1
        self._raised = outside
        self._values = left[0] if left else before
        self._go_on(left)
        self._come_back(where, leaves)
        return self.walk(node.finalbody) or not left

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
        self._values.known.pop(node.name, None)
        return False

    def _import(self, node: ast.Import | ast.ImportFrom) -> bool:
        for alias in node.names:
            self._values.known.pop((alias.asname or alias.name).partition(".")[0], None)
        return False

    def _delete(self, node: ast.Delete) -> bool:
        for target in node.targets:
            held = self._held(target.value) if isinstance(target, ast.Subscript) else None
            if held is not None and isinstance(target, ast.Subscript):
                self._take_out(held, target.slice)
            elif isinstance(target, ast.Name):
                self._values.known.pop(target.id, None)
        return False

    def _assert(self, node: ast.Assert) -> bool:
        self.value(node.test)
        self._clear(self._clears(node.test)[0])
        return False


_STATEMENTS: dict[type[ast.stmt], Callable[..., bool]] = {
    ast.Expr: FunctionFlow._expression_statement,
    ast.Assign: FunctionFlow._assign,
    ast.AnnAssign: FunctionFlow._annotated,
    ast.AugAssign: FunctionFlow._augmented,
    ast.Return: FunctionFlow._return,
    ast.Raise: FunctionFlow._leave,
    ast.Continue: FunctionFlow._jump,
    ast.Break: FunctionFlow._jump,
    ast.If: FunctionFlow._if,
    ast.While: FunctionFlow._while,
    ast.For: FunctionFlow._for,
    ast.AsyncFor: FunctionFlow._for,
    ast.With: FunctionFlow._with,
    ast.AsyncWith: FunctionFlow._with,
    ast.Try: FunctionFlow._try,
    ast.Match: FunctionFlow._match,
    ast.Assert: FunctionFlow._assert,
    ast.FunctionDef: FunctionFlow._define,
    ast.AsyncFunctionDef: FunctionFlow._define,
    ast.ClassDef: FunctionFlow._define,
    ast.Import: FunctionFlow._import,
    ast.ImportFrom: FunctionFlow._import,
    ast.Delete: FunctionFlow._delete,
}
