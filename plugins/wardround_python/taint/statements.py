"""Walks the statements of a function: branches apart and then together, loops twice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from wardround_python.module import last_name
from wardround_python.taint import cleansing, sources
from wardround_python.taint.classes import Instance
from wardround_python.taint.dangers import (
    CLEAN,
    EVERYTHING,
    PARAMETER,
    PASSED,
    Danger,
    Summary,
    Value,
    united,
)
from wardround_python.taint.expressions import Expressions
from wardround_python.taint.known import (
    Entry,
    Exactly,
    Held,
    Known,
    is_same,
    worked_out,
)
from wardround_python.taint.scope import FROM_REQUEST, FROM_UPLOAD
from wardround_python.taint.shapes import constant_text, key_of
from wardround_python.taint.sinks import page_danger
from wardround_python.taint.state import State, merged

_MOST_ROUNDS = 2
"""How often a loop's body is walked, so that what its end assigns is seen at its start."""
_DEEPEST_LOOP = 3
_ADDRESS_METHODS = frozenset({"get_success_url", "get_redirect_url", "get_next_page"})
"""Methods of Django's views that say where the visitor is sent."""
_SWALLOWING = frozenset({"suppress", "raises", "assertRaises"})
_ENDING_CALLS = frozenset({"abort", "exit", "_exit", "fail", "halt"})


class FunctionFlow(Expressions):
    """One walk through one function, or through the statements of the module itself."""

    def run(self) -> Summary:
        function = self._function
        assert function is not None
        sent = sources.request_parameters(self._module, function)
        for one in sources.parameters(function):
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
        if last in cleansing.CONVERTING or cleansing.CHECKING.search(last):
            self._clear({key: EVERYTHING for one in call.args for key in self._keys(one)})
        if last == "relative_to" and isinstance(call.func, ast.Attribute):
            self._clear(dict.fromkeys(self._keys(call.func.value), Danger.PATH))
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
                return united(held.every, held.whole), held
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
            grown = (
                united(before, self._joined(parts)) if before else self._joined([("x", before), *parts[1:]])
            )
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
            self._let_go(held)
            return None
        if isinstance(node.target, ast.Subscript):
            self._put_into(
                node.target,
                Entry(united(self.value(node.target), self.value(node.value))),
            )
            return None
        before = self._exact(node.target)
        added = self._exact(node.value)
        return worked_out(type(node.op), before.value, added.value) if before and added else None

    def _return(self, node: ast.Return) -> bool:
        self._left += 1
        if node.value is not None:
            value, known = self._value_and_known(node.value)
            self._summary.returned = united(self._summary.returned, value)
            self._note_known(known)
            self._give_object(node.value)
            if self._in_view and getattr(self._function, "name", "") in _ADDRESS_METHODS:
                self._reach(Danger.REDIRECT, node.value, value)
            if self._is_page_route and not isinstance(node.value, (ast.Dict, ast.List)):
                text = (
                    node.value.elts[0]
                    if isinstance(node.value, ast.Tuple) and node.value.elts
                    else node.value
                )
                self._reach(page_danger(text), text, value)
        else:
            self._note_known(Exactly(None))
        return True

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
        self._left += 1
        return True

    def _jump(self, node: ast.stmt) -> bool:
        self._left += 1
        self._jumped.append(self._values.copied())
        return True

    def _if(self, node: ast.If) -> bool:
        """Walk every branch of an ``if`` that can be taken; what goes on after it is put together."""
        left: list[State] = []
        ways, where, leaves = 0, self._where, self._left
        while True:
            self._peek(node.test)
            decided = self._decided(node.test)
            when_true, when_false = self._clears(node.test)
            before = self._values.copied()
            if decided is not False:
                self._where = where if decided and not ways else self._owner.modules.stretch()
                self._clear(when_true)
                ways += 1
                if not self.walk(node.body):
                    left.append(self._values)
            self._values = before
            self._clear(when_false)
            if decided or len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        if not decided:
            self._where = self._owner.modules.stretch() if ways else where
            ways += 1
            if not self.walk(node.orelse):
                left.append(self._values)
        self._go_on(left)
        self._come_back(where, leaves)
        return not left

    def _go_on(self, left: Sequence[State]) -> None:
        """Go on with what any of the ways that lead here may have left."""
        if left:
            self._values = left[0]
            for other in left[1:]:
                self._values = merged(self._values, other)

    def _come_back(self, where: int, leaves: int) -> None:
        """Go on behind a statement; what it may have left by is not always gone on from."""
        self._where = where
        if self._left != leaves and (self._loops or self._tries or self._entered is not None):
            self._stretch()

    def _while(self, node: ast.While) -> bool:
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
                self._bind(item.optional_vars, value, item.context_expr)
        calls = [one.context_expr for one in node.items if isinstance(one.context_expr, ast.Call)]
        if any(last_name(one.func) in _SWALLOWING for one in calls):
            self._forget_changed(node.body)
        return self.walk(node.body)

    def _try(self, node: ast.Try) -> bool:
        before, where, leaves = self._values.copied(), self._where, self._left
        self._tries += 1
        if any(not isinstance(one.body[-1], (ast.Return, ast.Raise)) for one in node.handlers):
            self._stretch()
        ends = self.walk(node.body) or self.walk(node.orelse)
        after = self._values
        left = [] if ends else [after]
        changed = self._owner.nested.changed_in(node.body) if node.handlers and before.known else frozenset()
        for handler in node.handlers:
            self._values = merged(before, after)
            self._values.forget(changed | {handler.name or ""})
            self._stretch()
            if not self.walk(handler.body):
                left.append(self._values)
        self._tries -= 1
        self._values = left[0] if left else before
        self._go_on(left)
        self._come_back(where, leaves)
        return self.walk(node.finalbody) or not left

    def _match(self, node: ast.Match) -> bool:
        subject = self._peek(node.subject)
        exact = self._exact(node.subject)
        before, where, leaves = self._values.copied(), self._where, self._left
        left: list[State] = []
        ways = 0
        is_taken = False
        for case in node.cases:
            decided = self._is_case(case, exact)
            if decided is False:
                continue
            is_sure = bool(decided) and not ways
            self._where = where if is_sure else self._owner.modules.stretch()
            ways += 1
            self._values = before.copied()
            if _names_values(case.pattern):
                self._clear(dict.fromkeys(self._keys(node.subject), EVERYTHING))
            for name in _captured(case.pattern):
                self._set(name, subject)
            if not self.walk(case.body):
                left.append(self._values)
            if decided:
                is_taken = True
                break
        if not is_taken:
            left.append(before)
        self._go_on(left)
        self._come_back(where, leaves)
        return not left

    def _is_case(self, case: ast.match_case, subject: Exactly | None) -> bool | None:
        """Whether a case is taken if those before it are not; None where that can't be told."""
        fits = self._fits(case.pattern, subject)
        if fits is None or not fits or case.guard is None:
            return fits
        self.value(case.guard)
        return self._decided(case.guard)

    def _fits(self, pattern: ast.pattern, subject: Exactly | None) -> bool | None:
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            return True
        if isinstance(pattern, ast.MatchOr):
            each = [self._fits(one, subject) for one in pattern.patterns]
            return True if True in each else None if None in each else False
        if subject is None:
            return None
        if isinstance(pattern, ast.MatchSingleton):
            return subject.value is pattern.value
        wanted = self._exact(pattern.value) if isinstance(pattern, ast.MatchValue) else None
        return subject.value == wanted.value if wanted is not None else None

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


def _names_values(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchValue) or (
        isinstance(pattern, ast.MatchOr) and all(isinstance(one, ast.MatchValue) for one in pattern.patterns)
    )


def _captured(pattern: ast.pattern) -> list[str]:
    return [
        one.name for one in ast.walk(pattern) if isinstance(one, (ast.MatchAs, ast.MatchStar)) and one.name
    ]


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
