"""Follows what a request brought through the functions of one module.

Each function is walked once, statement by statement, branches apart and then together. What it does with its
parameters becomes a summary, so data is followed into helper functions of the same module and out again.
Functions from elsewhere are taken to give something of their own: what can't be seen is not reported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from weakref import WeakKeyDictionary

from wardround_python.module import FunctionNode, PythonModule, statements_in
from wardround_python.taint import cleansing, sources
from wardround_python.taint.dangers import (
    ALL,
    ARCHIVE,
    CLEAN,
    EVERYTHING,
    NOTHING,
    PARAMETER,
    REQUEST,
    UPLOAD,
    Danger,
    Hit,
    Value,
    only,
    united,
    without,
)
from wardround_python.taint.patterns import slow_names
from wardround_python.taint.sinks import reached

_DEEPEST = 120
"""Expressions nested deeper are not looked into; people don't write them."""
_MOST_ROUNDS = 2
"""How often a loop's body is walked, so that what its end assigns is seen at its start."""
_DEEPEST_LOOP = 3
_DEEPEST_CALL = 12
"""How many functions deep data is followed from one call."""
_FROM_REQUEST: Value = {REQUEST: ALL}
_FROM_UPLOAD: Value = {UPLOAD: Danger.OBJECTS | Danger.CODE | Danger.TEMPLATE | Danger.SQL | Danger.SHELL}
_IN_FORM = Danger.SQL | Danger.SHELL | Danger.CODE | Danger.LDAP | Danger.XPATH | Danger.TEMPLATE
_ENDING_CALLS = frozenset({"abort", "exit", "_exit", "fail", "halt"})

_FLOWS: WeakKeyDictionary[PythonModule, Sequence[Hit]] = WeakKeyDictionary()

Clears = Mapping[str, Danger]


def hits(module: PythonModule) -> Sequence[Hit]:
    """Every place of the module that data from outside reaches, in source order; walked once for all."""
    found = _FLOWS.get(module)
    if found is None:
        found = _FLOWS[module] = ModuleFlow(module).run()
    return found


@lru_cache(maxsize=1024)
def _expression(key: str) -> ast.expr | None:
    """The expression behind the text of a key."""
    try:
        return ast.parse(key, mode="eval").body
    except SyntaxError:
        return None


@dataclass(slots=True)
class Summary:
    """What a function gives, and which sinks its parameters reach inside."""

    returned: Value = field(default_factory=dict)
    reaches: dict[str, dict[tuple[Danger, ast.expr], None]] = field(default_factory=dict)


class ModuleFlow:
    """The functions of one module, and what was found in them."""

    def __init__(self, module: PythonModule) -> None:
        self.module = module
        self._summaries: dict[FunctionNode, Summary] = {}
        self._hits: dict[tuple[Danger, ast.expr], Hit] = {}
        self._depth = 0

    def run(self) -> Sequence[Hit]:
        for statement in statements_in(self.module.tree):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                with suppress(RecursionError):  # nested past what the interpreter itself can walk
                    self.summary(statement)
            self._depth = 0
        with suppress(RecursionError):
            FunctionFlow(self, None).walk(self.module.tree.body)
        return sorted(self._hits.values(), key=lambda hit: (hit.node.lineno, hit.node.col_offset, hit.danger))

    def summary(self, function: FunctionNode) -> Summary:
        """What a function does; of one that is being walked just now, nothing."""
        known = self._summaries.get(function)
        if known is None:
            if self._depth > _DEEPEST_CALL:
                return Summary()
            self._depth += 1
            self._summaries[function] = Summary()
            known = self._summaries[function] = FunctionFlow(self, function).run()
            self._depth -= 1
        return known

    def hit(self, danger: Danger, node: ast.expr, origin: str) -> None:
        self._hits.setdefault((danger, node), Hit(danger, node, origin))

    @cached_property
    def functions(self) -> Mapping[str, FunctionNode]:
        """The functions of the module itself by name; of two with one name neither."""
        return _by_name(self.module.tree.body)

    @cached_property
    def slow(self) -> Mapping[str, str]:
        return slow_names(self.module)

    @cached_property
    def methods(self) -> Mapping[ast.ClassDef, Mapping[str, FunctionNode]]:
        return {
            node: _by_name(node.body)
            for node in statements_in(self.module.tree)
            if isinstance(node, ast.ClassDef)
        }

    @cached_property
    def makers(self) -> Mapping[str, frozenset[str]]:
        """Text of a name or attribute -> the functions whose answers it is ever given, imports resolved."""
        found: dict[str, set[str]] = {}
        for node in statements_in(self.module.tree):
            for target, value in _bindings(node):
                call = value.value if isinstance(value, ast.Await) else value
                key = key_of(target)
                if key is not None and isinstance(call, ast.Call):
                    found.setdefault(key, set()).add(self.module.dotted(call.func) or "")
        return {key: frozenset(names) for key, names in found.items()}


def _by_name(body: Iterable[ast.stmt]) -> Mapping[str, FunctionNode]:
    named: dict[str, FunctionNode] = {}
    twice: set[str] = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name in named:
                twice.add(node.name)
            named[node.name] = node
    return {name: node for name, node in named.items() if name not in twice}


def _bindings(node: ast.stmt) -> Iterable[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        yield from ((item.optional_vars, item.context_expr) for item in node.items if item.optional_vars)


def key_of(node: ast.expr) -> str | None:
    """What a place for a value is called: a name, attributes of one, a constant subscript of these."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        stem = key_of(node.value)
        return f"{stem}.{node.attr}" if stem else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        stem = key_of(node.value)
        return f"{stem}[{node.slice.value!r}]" if stem else None
    return None


class FunctionFlow:
    """One walk through one function, or through the statements of the module itself."""

    def __init__(self, owner: ModuleFlow, function: FunctionNode | None) -> None:
        self._owner = owner
        self._module = owner.module
        self._function = function
        self._values: dict[str, Value] = {}
        self._made_of: dict[str, frozenset[str]] = {}
        self._summary = Summary()
        self._depth = 0
        self._loops = 0
        self._jumped: list[dict[str, Value]] = []
        self._is_page_route = function is not None and sources.is_route(function) and self._answers_pages()

    def run(self) -> Summary:
        function = self._function
        assert function is not None
        sent = sources.request_parameters(self._module, function)
        for one in sources.parameters(function):
            self._bind_parameter(one, sent.get(one.arg))
        for extra in (function.args.vararg, function.args.kwarg):
            if extra is not None:
                self._values[extra.arg] = {PARAMETER + extra.arg: ALL}
        self.walk(function.body)
        return self._summary

    def _bind_parameter(self, one: ast.arg, is_sent: bool | None) -> None:
        is_own = one.arg in {"self", "cls"}
        if is_sent is False or is_own or not sources.is_text(one.annotation):
            self._values[one.arg] = CLEAN
            return
        value: Value = {PARAMETER + one.arg: ALL}
        if is_sent:
            value = {**value, **(_FROM_UPLOAD if sources.is_upload(one.annotation) else _FROM_REQUEST)}
        self._values[one.arg] = value
        for name, is_text in (sources.model_fields(self._module, one.annotation) or {}).items():
            if not is_text:
                self._values[f"{one.arg}.{name}"] = CLEAN

    def _answers_pages(self) -> bool:
        roots = {name.partition(".")[0] for name in self._module.imported.values()}
        return bool(roots & {"flask", "quart", "bottle"})

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
        last = _last_name(call.func)
        if last in cleansing.CONVERTING or cleansing.CHECKING.search(last):
            self._clear({key: EVERYTHING for one in call.args for key in self._keys(one)})
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
            parts = [(None, before), (_constant_text(node.value), added)]
            grown = (
                united(before, self._joined(parts)) if before else self._joined([("x", before), *parts[1:]])
            )
            self._values[key] = grown
            self._made_of[key] = self._made_of.get(key, frozenset()) | self._names(node.value)
        return False

    def _return(self, node: ast.Return) -> bool:
        if node.value is not None:
            value = self.value(node.value)
            self._summary.returned = united(self._summary.returned, value)
            if self._is_page_route and not isinstance(node.value, (ast.Dict, ast.List)):
                text = (
                    node.value.elts[0]
                    if isinstance(node.value, ast.Tuple) and node.value.elts
                    else node.value
                )
                self._reach(Danger.PAGE, text, value)
        return True

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
                self._values = _merged(self._values, other)

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
                before = _merged(before, one)
            self._values = before
            self._jumped = []
        self._loops -= 1
        self._jumped = outer
        self.walk(after)

    def _bind_each(self, target: ast.expr, iterated: ast.expr) -> None:
        """Bind a loop's variable to the elements of what it runs over."""
        value = self.value(iterated)
        if self._makers(iterated) & sources.ARCHIVES and isinstance(iterated, (ast.Name, ast.Attribute)):
            value = united(value, {ARCHIVE: Danger.PATH})
        is_pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
        if is_pair and isinstance(iterated, ast.Call) and _last_name(iterated.func) == "enumerate":
            assert isinstance(target, ast.Tuple)
            self._bind(target.elts[0], CLEAN, iterated)
            self._bind(target.elts[1], value, iterated)
        elif is_pair and isinstance(iterated, ast.Call) and _last_name(iterated.func) == "items":
            assert isinstance(target, ast.Tuple)
            is_keyed = any(left & Danger.FIELDS for left in value.values())
            self._bind(target.elts[0], value if is_keyed else CLEAN, iterated)
            self._bind(target.elts[1], without(value, Danger.FIELDS), iterated)
        else:
            self._bind(target, value, iterated)

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
            self._values = _merged(before, after) if ends else dict(after)
            if not self.walk(handler.body):
                left.append(self._values)
        self._values = left[0] if left else before
        for other in left[1:]:
            self._values = _merged(self._values, other)
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
                self._values[name] = subject
            if not self.walk(case.body):
                left.append(self._values)
        self._values = left[0]
        for other in left[1:]:
            self._values = _merged(self._values, other)
        return False

    def _assert(self, node: ast.Assert) -> bool:
        self.value(node.test)
        self._clear(self._clears(node.test)[0])
        return False

    def _bind(self, target: ast.expr, value: Value, source: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            self._bind_parts(target, value, source)
            return
        if isinstance(target, ast.Starred):
            target = target.value
        if isinstance(target, ast.Subscript):
            self._store(target, value, source)
        key = key_of(target)
        if key is None:
            return
        for old in [one for one in self._values if one.startswith((key + ".", key + "["))]:
            del self._values[old]
        self._values[key] = value
        self._made_of[key] = self._names(source) - {key}

    def _bind_parts(self, target: ast.Tuple | ast.List, value: Value, source: ast.expr) -> None:
        if isinstance(source, (ast.Tuple, ast.List)) and len(source.elts) == len(target.elts):
            for one, part in zip(target.elts, source.elts, strict=True):
                self._bind(one, self.value(part), part)
        else:
            for one in target.elts:
                self._bind(one, value, source)

    def _store(self, target: ast.Subscript, value: Value, source: ast.expr) -> None:
        """Put a value into a container: its own danger is known there too, and some containers are sinks."""
        key = target.slice.value if isinstance(target.slice, ast.Constant) else None
        stem = key_of(target.value)
        named = ast.unparse(target.value)
        if isinstance(key, str) and key.lower() == "access-control-allow-origin":
            self._reach(Danger.ORIGIN, source, value)
        if isinstance(key, str) and (named == "session" or named.endswith(".session")):
            self._reach(Danger.TRUST, source, value)
        if stem is not None:
            self._values[stem] = united(self._values.get(stem, CLEAN), without(value, Danger.FIELDS))

    # Expressions.

    def value(self, node: ast.expr) -> Value:
        """What an expression carries; calls in it that reach a sink are noted on the way."""
        handler = _EXPRESSIONS.get(type(node))
        if handler is None or self._depth > _DEEPEST:
            return CLEAN
        self._depth += 1
        try:
            return handler(self, node)
        finally:
            self._depth -= 1

    def _name(self, node: ast.Name) -> Value:
        return self._values.get(node.id, CLEAN)

    def _attribute(self, node: ast.Attribute) -> Value:
        key = key_of(node)
        if key is not None and key in self._values:
            return self._values[key]
        if node.attr in sources.REQUEST_PARTS and sources.is_request(
            self._module, node.value, self._function
        ):
            return _FROM_UPLOAD if node.attr in {"files", "FILES"} else _FROM_REQUEST
        if node.attr in sources.VALIDATED:
            return {REQUEST: _IN_FORM}
        value = self.value(node.value)
        if UPLOAD in value and node.attr == "filename":
            return without(_FROM_REQUEST, Danger.FIELDS)
        if node.attr in cleansing.CLEAN_ATTRIBUTES:
            return CLEAN
        if node.attr in {"name", "stem", "suffix"} and (
            isinstance(node.value, ast.Call) or ARCHIVE not in value
        ):
            return without(value, Danger.PATH)
        return value

    def _subscript(self, node: ast.Subscript) -> Value:
        key = key_of(node)
        self.value(node.slice) if isinstance(node.slice, ast.expr) else None
        if key is not None and key in self._values:
            return self._values[key]
        return self.value(node.value)

    def _joined(self, parts: Sequence[tuple[str | None, Value]]) -> Value:
        """Text put together of parts: (the constant, nothing) or (None, what it carries)."""
        value = united(*(carried for _, carried in parts))
        if not value:
            return CLEAN
        text, carried = parts[0]
        start = "".join(text or "" for text, _ in _leading(parts))
        if (text is None and not carried) or cleansing.SHAPES.search(start):
            value = without(value, Danger.REDIRECT | Danger.URL)
        value = without(value, Danger.FIELDS)
        if any(text and cleansing.TAG.search(text) for text, _ in parts):
            return {
                origin: left | Danger.PAGE if left & Danger.HTML else left for origin, left in value.items()
            }
        return value

    def _binary(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Mod):
            return self._percent(node)
        if not isinstance(node.op, (ast.Add, ast.Div, ast.BitOr, ast.Mult)):
            return CLEAN
        operands = _operands(node)
        parts = [(_constant_text(one), self.value(one)) for one in operands]
        if isinstance(node.op, ast.Add):
            return self._joined(parts)
        return united(*(carried for _, carried in parts))

    def _percent(self, node: ast.BinOp) -> Value:
        template = self._text_of(node.left)
        left = self.value(node.left)
        if isinstance(node.right, ast.Tuple):
            holes = _holes(template) if template is not None else []
            given = [
                self.value(one)
                for at, one in enumerate(node.right.elts)
                if len(holes) != len(node.right.elts) or holes[at] not in "difouxXeEgG"
            ]
        else:
            holes = _holes(template) if template is not None else []
            are_numbers = bool(holes) and set(holes) <= set("difouxX")
            given = [] if are_numbers else [self.value(node.right)]
        start = template.partition("%")[0] if template is not None else None
        rest = template[len(start) :] if template is not None and start is not None else None
        parts: list[tuple[str | None, Value]] = [(start, left)] if start != "" else []
        return self._joined([*parts, *((None, one) for one in given), (rest, CLEAN)])

    def _text_of(self, node: ast.expr) -> str | None:
        """The text of a constant, or of a name that stands for one in this module."""
        if isinstance(node, ast.Name):
            return self._owner_constants.get(node.id)
        return _constant_text(node)

    @cached_property
    def _owner_constants(self) -> Mapping[str, str]:
        return {
            target.id: node.value.value
            for node in self._module.tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def _f_string(self, node: ast.JoinedStr) -> Value:
        parts: list[tuple[str | None, Value]] = []
        for one in node.values:
            if isinstance(one, ast.Constant):
                parts.append((str(one.value), CLEAN))
            elif isinstance(one, ast.FormattedValue):
                spec = ast.unparse(one.format_spec) if one.format_spec else ""
                is_number = spec.rstrip("'\"")[-1:] in set("dfxeg%b") and bool(spec)
                text = self._text_of(one.value)
                parts.append((text, CLEAN if is_number else self.value(one.value)))
        return self._joined(parts) if parts else CLEAN

    def _choice(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        when_true, when_false = self._clears(node.test)
        before = dict(self._values)
        self._clear(when_true)
        first = self.value(node.body)
        self._values = dict(before)
        self._clear(when_false)
        second = self.value(node.orelse)
        self._values = before
        return united(first, second)

    def _either(self, node: ast.BoolOp) -> Value:
        before = dict(self._values)
        found = []
        for one in node.values:
            found.append(self.value(one))
            when_true, when_false = self._clears(one)
            self._clear(when_true if isinstance(node.op, ast.And) else when_false)
        self._values = before
        return united(*found)

    def _collection(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        return without(united(*(self.value(one) for one in node.elts)), Danger.FIELDS)

    def _dict(self, node: ast.Dict) -> Value:
        found = []
        for key, one in zip(node.keys, node.values, strict=True):
            value = self.value(one)
            if key is None:
                found.append(value)
                continue
            if isinstance(key, ast.Constant) and str(key.value).lower() == "access-control-allow-origin":
                self._reach(Danger.ORIGIN, one, value)
            chosen = {o: left & Danger.FIELDS for o, left in self.value(key).items()}
            found.append(united(without(value, Danger.FIELDS), chosen))
        return united(*found)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        before = dict(self._values)
        for part in node.generators:
            self._bind_each(part.target, part.iter)
            for test in part.ifs:
                self.value(test)
                self._clear(self._clears(test)[0])
        if isinstance(node, ast.DictComp):
            key = self.value(node.key)
            value = united(without(self.value(node.value), Danger.FIELDS), only(key, Danger.FIELDS))
        else:
            value = self.value(node.elt)
        self._values = before
        return value

    def _inner(self, node: ast.Await | ast.Starred | ast.YieldFrom | ast.FormattedValue) -> Value:
        return self.value(node.value)

    def _yield(self, node: ast.Yield) -> Value:
        if node.value is not None:
            self._summary.returned = united(self._summary.returned, self.value(node.value))
        return CLEAN

    def _walrus(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self._bind(node.target, value, node.value)
        return value

    def _compare(self, node: ast.Compare) -> Value:
        for one in (node.left, *node.comparators):
            self.value(one)
        return CLEAN

    def _negation(self, node: ast.UnaryOp) -> Value:
        self.value(node.operand)
        return CLEAN

    # Calls.

    def _call(self, node: ast.Call) -> Value:
        given = [self.value(one) for one in node.args]
        named = [(keyword, self.value(keyword.value)) for keyword in node.keywords]
        receiver = self._called_on(node)
        self._note_sinks(node, receiver, given, named)
        local = self._local(node)
        if local is not None:
            return self._through(local, node, given, named)
        every = united(*given, *(value for _, value in named))
        if isinstance(node.func, ast.Attribute):
            answer = self._method(node, node.func, receiver, given, every)
            if answer is not None:
                return answer
        name = self._module.dotted(node.func) or ""
        last = _last_name(node.func)
        if (last in cleansing.CLEANSING and name not in {"json.dumps"}) or last == "basename":
            return without(every, cleansing.CLEANSING[last])
        if name == "json.dumps":
            return without(every, cleansing.CLEANSING["dumps"])
        if name.startswith("urllib.parse.urljoin"):
            return every
        if name in {"os.path.join", "pathlib.Path", "pathlib.PurePath"}:
            return without(every, Danger.FIELDS)
        return every if name in cleansing.KEEPING else CLEAN

    def _called_on(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute):
            return self.value(node.func.value)
        if not isinstance(node.func, ast.Name):
            self.value(node.func)
        return CLEAN

    def _method(
        self, node: ast.Call, func: ast.Attribute, receiver: Value, given: Sequence[Value], every: Value
    ) -> Value | None:
        """What a method gives; None where it is no method of a value but a function of a module."""
        if func.attr in sources.REQUEST_CALLS and sources.is_request(
            self._module, func.value, self._function
        ):
            return _FROM_REQUEST
        if (
            func.attr in sources.HANDLER_CALLS
            and isinstance(func.value, ast.Name)
            and func.value.id == "self"
        ):
            return without(_FROM_REQUEST, Danger.FIELDS)
        if func.attr in sources.ARCHIVE_CALLS and self._makers(func.value) & sources.ARCHIVES:
            return {ARCHIVE: Danger.PATH}
        if self._module.imported_name(func) is not None and not receiver:
            return None
        key = key_of(func.value)
        if func.attr in cleansing.ADDING_METHODS and every and key is not None:
            self._values[key] = united(self._values.get(key, CLEAN), every)
        if func.attr in {"format", "format_map"}:
            template = self._text_of(func.value)
            start = template.partition("{")[0] if template is not None else None
            rest = template[len(start) :] if template is not None and start is not None else None
            parts: list[tuple[str | None, Value]] = [(start, receiver)] if start != "" else []
            return self._joined([*parts, (None, every), (rest, CLEAN)])
        if func.attr not in cleansing.KEEPING_METHODS:
            return CLEAN
        added = every if func.attr in cleansing.FILLING_METHODS else CLEAN
        if func.attr in {"get", "pop", "setdefault"}:
            added = united(*given[1:2])
        return united(receiver, added)

    def _local(self, node: ast.Call) -> FunctionNode | None:
        """The function of this module that is called, if it is one."""
        func = node.func
        if (
            isinstance(func, ast.Name)
            and func.id not in self._values
            and func.id not in self._module.imported
        ):
            return self._owner.functions.get(func.id)
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            if func.value.id in {"self", "cls"} and self._function is not None:
                owner = self._module.class_of(self._function)
                return self._owner.methods[owner].get(func.attr) if owner is not None else None
            for cls, methods in self._owner.methods.items():
                if cls.name == func.value.id:
                    return methods.get(func.attr)
        return None

    def _through(
        self,
        function: FunctionNode,
        node: ast.Call,
        given: Sequence[Value],
        named: Sequence[tuple[ast.keyword, Value]],
    ) -> Value:
        """Hand values to a function of this module: note what they reach inside, answer what comes back."""
        summary = self._owner.summary(function)
        bound = _bound(function, node, given, named)
        for name, value in bound.items():
            for danger, place in summary.reaches.get(name, {}):
                self._reach(danger, place, value)
        back = [only(summary.returned, EVERYTHING)] if summary.returned else []
        answer: list[Value] = []
        for returned in back:
            answer.append({o: left for o, left in returned.items() if not o.startswith(PARAMETER)})
            for origin, left in returned.items():
                if origin.startswith(PARAMETER):
                    passed = bound.get(origin.removeprefix(PARAMETER), CLEAN)
                    answer.append(
                        {
                            o: (mask & left) | (left & Danger.PAGE if mask & Danger.HTML else NOTHING)
                            for o, mask in passed.items()
                            if mask & left
                        }
                    )
        return united(*answer)

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
            self._reach(danger, argument, known[argument] if argument in known else self.value(argument))
        for keyword, value in named:
            if keyword.arg is None and _is_writing(node):
                self._reach(Danger.FIELDS, keyword.value, value)
        if _last_name(node.func) == "setattr" and len(node.args) == 3:
            self._reach(Danger.FIELDS, node.args[1], given[1])
        if _is_header_call(node):
            self._reach(Danger.ORIGIN, node.args[1], given[1])

    def _reach(self, danger: Danger, node: ast.expr, value: Value) -> None:
        for origin, left in value.items():
            if not left & danger:
                continue
            if origin.startswith(PARAMETER):
                name = origin.removeprefix(PARAMETER)
                self._summary.reaches.setdefault(name, {})[danger, node] = None
            else:
                self._owner.hit(danger, node, origin)

    def _makers(self, node: ast.expr) -> frozenset[str]:
        if isinstance(node, ast.Call):
            return frozenset({self._module.dotted(node.func) or ""})
        key = key_of(node)
        return self._owner.makers.get(key, frozenset()) if key is not None else frozenset()

    # What a test tells.

    def _clear(self, cleared: Clears) -> None:
        parts = [key for key in self._values if not key.isidentifier()] if cleared else []
        for key, gone in cleared.items():
            for one in (key, *(part for part in parts if part.startswith((key + ".", key + "[")))):
                self._values[one] = without(self._known(one), gone)

    def _known(self, key: str) -> Value:
        if key in self._values:
            return self._values[key]
        expression = _expression(key)
        return self.value(expression) if expression is not None else CLEAN

    def _clears(self, test: ast.expr) -> tuple[Clears, Clears]:
        """What is known to be harmless where a test is true, and where it is false."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            when_true, when_false = self._clears(test.operand)
            return when_false, when_true
        if isinstance(test, ast.BoolOp):
            both = [self._clears(one) for one in test.values]
            every, some = (0, 1) if isinstance(test.op, ast.And) else (1, 0)
            union = _either_clears([one[every] for one in both])
            common = _common_clears([one[some] for one in both])
            return (union, common) if every == 0 else (common, union)
        if isinstance(test, ast.NamedExpr):
            return self._clears(test.value)
        if isinstance(test, ast.Compare):
            return self._comparison(test)
        if isinstance(test, ast.Call):
            return self._look(test)
        if isinstance(test, ast.BinOp):
            looked = {
                k: EVERYTHING for one in ast.walk(test) if isinstance(one, ast.Name) for k in self._keys(one)
            }
            return looked, looked
        return self._found(test)

    def _found(self, node: ast.expr) -> tuple[Clears, Clears]:
        """What was looked up with a value is there: the value names something that exists."""
        known = {name: Danger.TRUST for name in self._keys(node) if name != key_of(node)}
        return known, known

    def _comparison(self, test: ast.Compare) -> tuple[Clears, Clears]:
        left, op, right = test.left, test.ops[0], test.comparators[0]
        if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            lengths = [one for one in (left, *test.comparators) if _is_length(one)]
            cut = {key: Danger.BACKTRACK for one in lengths for key in self._keys(one.args[0])}  # type: ignore[attr-defined]
            return cut, cut
        if isinstance(left, ast.Constant) and isinstance(op, (ast.In, ast.NotIn)):
            gone = _excluded(left.value)
            found = dict.fromkeys(self._keys(right), gone) if gone else {}
            return (found, {}) if isinstance(op, ast.NotIn) else ({}, found)
        sides = [left, right] if not isinstance(op, (ast.Is, ast.IsNot)) else []
        if any(isinstance(one, ast.Constant) and one.value in ("", None, 0, False, True) for one in sides):
            return self._found(left)
        if not sides:
            return self._found(left)
        looked = {key: EVERYTHING for one in sides for key in self._looked_at(one)}
        if any(isinstance(one, ast.Call) for one in sides):
            return looked, looked
        return (looked, {}) if isinstance(op, (ast.In, ast.Eq)) else ({}, looked)

    def _looked_at(self, node: ast.expr) -> set[str]:
        """What a comparison looks at: the value itself, what it was made of, and what a call was given."""
        found = set(self._keys(node))
        if isinstance(node, ast.Call) and _last_name(node.func) not in cleansing.UNTELLING:
            for one in (*node.args, *(keyword.value for keyword in node.keywords)):
                found |= set(self._keys(one)) | {
                    k for part in ast.walk(one) if isinstance(part, ast.Name) for k in self._keys(part)
                }
        if isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call)
        ):
            found |= self._looked_at(node.value)
        return found

    def _look(self, test: ast.Call) -> tuple[Clears, Clears]:
        last = _last_name(test.func)
        looked: dict[str, Danger] = {}
        if isinstance(test.func, ast.Attribute) and last in cleansing.TELLING:
            gone = EVERYTHING
            if last == "startswith" and _is_slash(test):
                gone = Danger.URL
            looked = dict.fromkeys(self._keys(test.func.value), gone)
            return looked, {}
        if last == "isinstance" and len(test.args) == 2 and not _names_text(test.args[1]):
            return dict.fromkeys(self._keys(test.args[0]), EVERYTHING), {}
        if last in cleansing.UNTELLING:
            return {}, {}
        given = [one for call in _chain(test) for one in (*call.args, *(k.value for k in call.keywords))]
        for one in given:
            looked.update(dict.fromkeys(self._looked_at(one), EVERYTHING))
        if isinstance(test.func, ast.Attribute) and cleansing.CHECKING.search(last) and not given:
            looked.update(dict.fromkeys(self._keys(test.func.value), EVERYTHING))
        return looked, looked

    def _keys(self, node: ast.expr) -> Iterable[str]:
        """The names by which the value of an expression is known, and those it was made of."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            if node.func.attr not in cleansing.KEEPING_METHODS:
                return ()
            node = node.func.value
        if isinstance(node, ast.Call) and _last_name(node.func) in {
            "str",
            "repr",
            "Path",
            "realpath",
            "abspath",
        }:
            return self._keys(node.args[0]) if node.args else ()
        if isinstance(node, ast.NamedExpr):
            node = node.target
        if isinstance(node, ast.Await):
            return self._keys(node.value)
        key = key_of(node)
        if key is None:
            return ()
        found = [key]
        for one in found:
            found += sorted(self._made_of.get(one, frozenset()).difference(found))
            if len(found) > 20:
                break
        return [one for one in found if one not in {"request", "req", "self", "self.request"}]

    def _names(self, node: ast.expr) -> frozenset[str]:
        return frozenset(
            part.id for part in ast.walk(node) if isinstance(part, ast.Name) and self._values.get(part.id)
        )


def _merged(first: Mapping[str, Value], second: Mapping[str, Value]) -> dict[str, Value]:
    """What each name carries after one of two ways was taken."""
    merged = dict(first)
    for key, value in second.items():
        merged[key] = value if key not in first else united(first[key], value)
    return merged


def _either_clears(found: Sequence[Clears]) -> Clears:
    merged: dict[str, Danger] = {}
    for one in found:
        for key, gone in one.items():
            merged[key] = merged.get(key, NOTHING) | gone
    return merged


def _common_clears(found: Sequence[Clears]) -> Clears:
    first, *rest = found
    return {
        key: gone
        for key, gone in first.items()
        if all(key in other and other[key] & gone == gone for other in rest)
    }


def _leading(parts: Sequence[tuple[str | None, Value]]) -> Iterable[tuple[str | None, Value]]:
    for text, carried in parts:
        if text is None or carried:
            return
        yield text, carried


def _operands(node: ast.BinOp) -> list[ast.expr]:
    """``a + b + c`` as [a, b, c], however long."""
    found: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and type(left.op) is type(node.op):
        found.append(left.right)
        left = left.left
    return [left, *reversed(found)]


def _constant_text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _holes(template: str) -> list[str]:
    """The conversion letters of a ``%`` template, in order."""
    found = []
    pieces = template.replace("%%", "").split("%")[1:]
    for piece in pieces:
        rest = piece.partition(")")[2] if piece.startswith("(") else piece
        found.append(rest.lstrip("#0- +123456789.*")[:1] or "s")
    return found


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _chain(call: ast.Call) -> Iterable[ast.Call]:
    """A call, the call it is made on the answer of, and so on: ``a(x).b(y).c()``."""
    node: ast.expr = call
    while True:
        if isinstance(node, ast.Call):
            yield node
            node = node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        else:
            return


def _is_length(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) == "len" and len(node.args) == 1


def _excluded(text: object) -> Danger:
    """What a value can't be when it doesn't hold a text."""
    if not isinstance(text, str):
        return NOTHING
    if ".." in text or text in {"/", "\\"}:
        return Danger.PATH
    return Danger.REDIRECT | Danger.URL if text in {"://", "//", ":"} else NOTHING


def _is_slash(test: ast.Call) -> bool:
    return (
        bool(test.args)
        and isinstance(test.args[0], ast.Constant)
        and test.args[0].value in {"/", "http", "https://", "http://"}
    )


def _names_text(node: ast.expr) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id in {"str", "bytes", "list", "dict", "Mapping"}
        for one in ast.walk(node)
    )


def _names_values(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchValue) or (
        isinstance(pattern, ast.MatchOr) and all(isinstance(one, ast.MatchValue) for one in pattern.patterns)
    )


def _captured(pattern: ast.pattern) -> list[str]:
    return [
        one.name for one in ast.walk(pattern) if isinstance(one, (ast.MatchAs, ast.MatchStar)) and one.name
    ]


def _is_writing(node: ast.Call) -> bool:
    """Whether a call with ``**values`` makes or changes a record: a class called, or a model's manager."""
    last = _last_name(node.func)
    if isinstance(node.func, ast.Attribute):
        if last in {"create", "update", "get_or_create", "update_or_create", "values", "acreate", "aupdate"}:
            text = ast.unparse(node.func.value)
            return ".objects" in text or "query" in text.lower() or "filter(" in text or last == "values"
        return False
    return False


def _is_header_call(node: ast.Call) -> bool:
    return (
        len(node.args) == 2
        and isinstance(node.args[0], ast.Constant)
        and str(node.args[0].value).lower() == "access-control-allow-origin"
    )


def _bound(
    function: FunctionNode,
    node: ast.Call,
    given: Sequence[Value],
    named: Sequence[tuple[ast.keyword, Value]],
) -> dict[str, Value]:
    """Which parameter gets which value."""
    arguments = function.args
    positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    if isinstance(node.func, ast.Attribute) and positional[:1] in (["self"], ["cls"]):
        positional = positional[1:]
    bound: dict[str, Value] = {}
    for at, (argument, value) in enumerate(zip(node.args, given, strict=True)):
        if isinstance(argument, ast.Starred):
            bound.update({name: united(bound.get(name, CLEAN), value) for name in positional[at:]})
        elif at < len(positional):
            bound[positional[at]] = value
        elif arguments.vararg is not None:
            name = arguments.vararg.arg
            bound[name] = united(bound.get(name, CLEAN), value)
    known = {one.arg for one in (*arguments.args, *arguments.kwonlyargs)}
    for keyword, value in named:
        if keyword.arg is None or keyword.arg not in known:
            if arguments.kwarg is not None:
                bound[arguments.kwarg.arg] = united(bound.get(arguments.kwarg.arg, CLEAN), value)
        else:
            bound[keyword.arg] = value
    return bound


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
_EXPRESSIONS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Name: FunctionFlow._name,
    ast.Attribute: FunctionFlow._attribute,
    ast.Subscript: FunctionFlow._subscript,
    ast.BinOp: FunctionFlow._binary,
    ast.JoinedStr: FunctionFlow._f_string,
    ast.IfExp: FunctionFlow._choice,
    ast.BoolOp: FunctionFlow._either,
    ast.Tuple: FunctionFlow._collection,
    ast.List: FunctionFlow._collection,
    ast.Set: FunctionFlow._collection,
    ast.Dict: FunctionFlow._dict,
    ast.ListComp: FunctionFlow._comprehension,
    ast.SetComp: FunctionFlow._comprehension,
    ast.GeneratorExp: FunctionFlow._comprehension,
    ast.DictComp: FunctionFlow._comprehension,
    ast.Await: FunctionFlow._inner,
    ast.Starred: FunctionFlow._inner,
    ast.YieldFrom: FunctionFlow._inner,
    ast.FormattedValue: FunctionFlow._inner,
    ast.Yield: FunctionFlow._yield,
    ast.NamedExpr: FunctionFlow._walrus,
    ast.Compare: FunctionFlow._compare,
    ast.UnaryOp: FunctionFlow._negation,
    ast.Call: FunctionFlow._call,
}
