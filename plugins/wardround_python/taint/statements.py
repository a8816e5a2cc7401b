"""Walks the statements of a function: branches apart and then together, loops twice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

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
from wardround_python.taint.scope import FROM_REQUEST, FROM_UPLOAD, merged
from wardround_python.taint.shapes import constant_text, key_of, last_name

_MOST_ROUNDS = 2
"""How often a loop's body is walked, so that what its end assigns is seen at its start."""
_DEEPEST_LOOP = 3
_ADDRESS_METHODS = frozenset({"get_success_url", "get_redirect_url", "get_next_page"})
"""Methods of Django's views that say where the visitor is sent."""
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
        self.walk(function.body)
        return self._summary

    def _bind_parameter(self, one: ast.arg, is_sent: bool | None) -> None:
        is_own = one.arg in {"self", "cls"}
        if is_sent is False or is_own or not sources.is_text(one.annotation):
            self._values[one.arg] = CLEAN
            return
        value: Value = {PARAMETER + one.arg: PASSED}
        if is_sent:
            value = {**value, **(FROM_UPLOAD if sources.is_upload(one.annotation) else FROM_REQUEST)}
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
        return last in _ENDING_CALLS

    def _assign(self, node: ast.Assign) -> bool:
        value = self.value(node.value)
        for target in node.targets:
            self._bind(target, value, node.value)
        return False

    def _annotated(self, node: ast.AnnAssign) -> bool:
        if node.value is not None:
            self._bind(node.target, self.value(node.value), node.value)
        return False

    def _augmented(self, node: ast.AugAssign) -> bool:
        before = self.value(node.target)
        added = self.value(node.value)
        key = key_of(node.target)
        if key is not None and isinstance(node.op, (ast.Add, ast.Mod, ast.Div, ast.BitOr)):
            parts = [(None, before), (constant_text(node.value), added)]
            grown = (
                united(before, self._joined(parts)) if before else self._joined([("x", before), *parts[1:]])
            )
            self._set(key, grown)
            self._made_of[key] = self._made_of.get(key, frozenset()) | self._names(node.value)
        return False

    def _return(self, node: ast.Return) -> bool:
        if node.value is not None:
            value = self.value(node.value)
            self._summary.returned = united(self._summary.returned, value)
            self._give_object(node.value)
            if self._in_view and getattr(self._function, "name", "") in _ADDRESS_METHODS:
                self._reach(Danger.REDIRECT, node.value, value)
            if self._is_page_route and not isinstance(node.value, (ast.Dict, ast.List)):
                text = (
                    node.value.elts[0]
                    if isinstance(node.value, ast.Tuple) and node.value.elts
                    else node.value
                )
                self._reach(Danger.PAGE, text, value)
        return True

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
        return True

    def _jump(self, node: ast.stmt) -> bool:
        self._jumped.append(dict(self._values))
        return True

    def _if(self, node: ast.If) -> bool:
        """Walk every branch of an ``if``; what goes on after it is put together."""
        left: list[dict[str, Value]] = []
        while True:
            self.value(node.test)
            when_true, when_false = self._clears(node.test)
            before = dict(self._values)
            self._clear(when_true)
            if not self.walk(node.body):
                left.append(self._values)
            self._values = before
            self._clear(when_false)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        if not self.walk(node.orelse):
            left.append(self._values)
        self._go_on(left)
        return not left

    def _go_on(self, left: Sequence[dict[str, Value]]) -> None:
        """Go on with what any of the ways that lead here may have left."""
        if left:
            self._values = left[0]
            for other in left[1:]:
                self._values = merged(self._values, other)

    def _while(self, node: ast.While) -> bool:
        self.value(node.test)
        when_true, _ = self._clears(node.test)
        self._loop(lambda: self._clear(when_true), node.body, node.orelse)
        return False

    def _for(self, node: ast.For | ast.AsyncFor) -> bool:
        self._loop(lambda: self._bind_each(node.target, node.iter), node.body, node.orelse)
        return False

    def _loop(self, start: Callable[[], None], body: list[ast.stmt], after: list[ast.stmt]) -> None:
        outer, self._jumped = self._jumped, []
        self._loops += 1
        for _ in range(_MOST_ROUNDS if self._loops <= _DEEPEST_LOOP else 1):
            before = dict(self._values)
            start()
            ends = self.walk(body)
            for one in [*([] if ends else [self._values]), *self._jumped]:
                before = merged(before, one)
            self._values = before
            self._jumped = []
        self._loops -= 1
        self._jumped = outer
        self.walk(after)

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, value, item.context_expr)
        return self.walk(node.body)

    def _try(self, node: ast.Try) -> bool:
        before = dict(self._values)
        ends = self.walk(node.body) or self.walk(node.orelse)
        after = self._values
        left = [] if ends else [after]
        for handler in node.handlers:
            self._values = merged(before, after)
            if not self.walk(handler.body):
                left.append(self._values)
        self._values = left[0] if left else before
        for other in left[1:]:
            self._values = merged(self._values, other)
        return self.walk(node.finalbody) or not left

    def _match(self, node: ast.Match) -> bool:
        subject = self.value(node.subject)
        before = dict(self._values)
        left: list[dict[str, Value]] = [before]
        for case in node.cases:
            self._values = dict(before)
            if _names_values(case.pattern):
                self._clear(dict.fromkeys(self._keys(node.subject), EVERYTHING))
            for name in _captured(case.pattern):
                self._set(name, subject)
            if not self.walk(case.body):
                left.append(self._values)
        self._values = left[0]
        for other in left[1:]:
            self._values = merged(self._values, other)
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
}
