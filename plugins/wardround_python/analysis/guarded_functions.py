"""The effects of each function of a module, and their guards: locks, transactions, permissions, limits."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from wardround.languages.python.cache import cached_module
from wardround.languages.python.literals import is_none
from wardround.languages.python.module import FunctionNode, is_test_path, last_name, named_functions
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.guard_checks import GuardCheck
from wardround.semantics.semdiff.guards import (
    CLEANS,
    GUARDS_NOTHING,
    KINDS,
    Guard,
    GuardedFunction,
    TestedValues,
)
from wardround_python.analysis.null_guards import SURE, assigned_values, compared_names, required_names

_WRITES = LazyPattern(
    r"(?i)^(?:bulk_)?(?:save|create|delete|update|insert|remove|add|set|clear|execute|executemany|upsert|merge|flush"
    r"|write|pop|append|extend|discard|setdefault|popitem|appendleft|popleft)(?:_\w+)?$"
)
_NO_ACT = LazyPattern(
    r"^(?:len|str|int|float|bool|list|dict|tuple|set|sorted|isinstance|getattr|hasattr|repr|format|join|strip|lower|upper"
    r"|startswith|endswith|split|get|keys|values|items|debug|info|warning|error|exception|print|append|super|_|gettext"
    r"|range|enumerate|zip|min|max|any|all|sum|type|cast|copy)$"
)
_NAME = LazyPattern(r"[A-Za-z_]\w*")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_REFUSES = frozenset({"abort", "exit", "fail", "error", "send_error"})


def bodies(tree: ast.Module) -> list[GuardedFunction]:
    """Return the functions of a module, qualified by their classes, with their nested functions."""
    shared = frozenset(_shared_variables(tree))
    return [_body(name, node, shared) for name, node in named_functions(tree.body)]


def _shared_variables(tree: ast.Module) -> Iterator[str]:
    """Return the variables of a module, which all its threads share."""
    for statement in tree.body:
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [statement.target]
            if isinstance(statement, ast.AnnAssign)
            else []
        )
        yield from (f"={target.id}" for target in targets if isinstance(target, ast.Name))


def _body(name: str, node: FunctionNode, shared: frozenset[str]) -> GuardedFunction:
    return GuardedFunction(
        name,
        tuple(_reach(guard, shared) for guard in _guards(node)),
        acts_in(node.body),
        frozenset(_called_names(node.body)),
        _exits(node),
        _argument_texts(node),
        (node.lineno, node.col_offset + len("def ") + 1),
        read_values=partial(_values, node),
    )


def _values(node: FunctionNode) -> TestedValues:
    required = frozenset(name for name, _ in required_names(node))
    return TestedValues(required, compared_names(node), dict(_sources(node)), dict(_passed_names(node)))


def _sources(node: FunctionNode) -> Iterator[tuple[str, str]]:
    """Yield the names that may be None: of parameters declared so, and of what calls and entries assign."""
    assigned = _assigned_names(node)
    for name in sorted(assigned):
        values = assigned_values(name, node)
        if values and not isinstance(values[-1], SURE):
            yield name, " ".join(map(unparse, values))
    for argument in _arguments(node):
        if _is_optional(argument) and argument.arg not in assigned:
            yield argument.arg, unparse(argument.annotation) if argument.annotation else ""


def _assigned_names(node: FunctionNode) -> set[str]:
    names = (inner for inner in walk(node) if isinstance(inner, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _arguments(node: FunctionNode) -> Sequence[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _is_optional(argument: ast.arg) -> bool:
    declared = "" if argument.annotation is None else unparse(argument.annotation)
    return "None" in declared or "Optional[" in declared


def _passed_names(node: FunctionNode) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the names that are arguments of calls, the first place of each last."""
    calls = [inner for inner in walk(node) if isinstance(inner, ast.Call) and not _has_no_side_effect(inner)]
    for call in sorted(calls, key=lambda inner: (inner.lineno, inner.col_offset), reverse=True):
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(value, ast.Name):
                yield value.id, (value.lineno, value.col_offset + 1)


def _has_no_side_effect(call: ast.Call) -> bool:
    return _NO_ACT.search(last_name(call.func)) is not None


def _argument_texts(node: FunctionNode) -> tuple[str, ...]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return tuple(item.arg for item in every if item.arg not in ("self", "cls"))


def _reach(guard: Guard, shared: frozenset[str]) -> Guard:
    """Return the fields and module variables, which other threads share and a lock guards."""
    if guard.kind != "lock":
        return guard
    holders = ("=self.", f"={guard.word.rpartition('.')[0] or 'self'}.")
    acts = frozenset(act for act in guard.acts if act.startswith(holders) or act in shared)
    return Guard(guard.kind, guard.word, acts)


def _exits(node: FunctionNode) -> int:
    return sum(isinstance(inner, ast.If) and _leaves_block(inner.body) for inner in walk(node))


_Acts = Mapping[str, Sequence[tuple[int, int]]]


def acts_in(statements: Sequence[ast.stmt]) -> _Acts:
    """Yield the effects: calls by last name, stores (``=self.x``), and values that are used (``~x``)."""
    result: dict[str, list[tuple[int, int]]] = {}
    for statement in statements:
        for node in walk(statement):
            for act in _acts(node):
                result.setdefault(act, []).append((node.lineno, node.col_offset + 1))  # type: ignore[attr-defined]
    return {act: sorted(locations) for act, locations in result.items()}


def _acts(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=func):
            yield from _acts_of_call(func)
        case ast.Subscript(value=target, ctx=ast.Store() | ast.Del()):
            yield f"={unparse(target)}"
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            yield f"={unparse(node)}"
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
            yield f"~{unparse(node)}"


def _acts_of_call(func: ast.expr) -> Iterator[str]:
    name = last_name(func)
    if name and not _NO_ACT.search(name):
        yield name
    if isinstance(func, ast.Attribute) and _WRITES.search(name):
        yield f"={unparse(func.value)}"


def _called_names(statements: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.Call):
                yield unparse(node.func)
                yield from (argument.id for argument in node.args if isinstance(argument, ast.Name))


def _guards(node: FunctionNode) -> Iterator[Guard]:
    complete = acts_in(node.body)
    for decorator in node.decorator_list:
        for guard in _guards_in_text(
            _head(decorator), ("permission", "transaction", "lock", "limit", "check"), complete
        ):
            yield msgspec.structs.replace(guard, names=frozenset(f"@{name}" for name in guard.names))
    for inner in walk(node):
        if isinstance(inner, (ast.With, ast.AsyncWith)):
            for item in inner.items:
                kinds = ("lock", "transaction", "timeout")
                yield from _guards_in_text(_head(item.context_expr), kinds, acts_in(inner.body))
        elif isinstance(inner, ast.If) and _leaves_block(inner.body):
            after = _acts_after(inner, complete)
            about = frozenset(
                f"~{unparse(child)}" for child in walk(inner.test) if isinstance(child, ast.Name)
            )
            for guard in _guards_in_text(
                _render_condition(inner), ("permission", "owner", "check", "limit"), after
            ):
                requested = about if guard.kind in ("check", "limit") else frozenset[str]()
                yield msgspec.structs.replace(guard, leaves=True, about=requested)
        elif isinstance(inner, ast.Expr):
            yield from _unused_call(inner, complete)
        elif isinstance(inner, ast.Try) and inner.finalbody:
            still = _clean_up_calls(inner.finalbody)
            if still:
                yield Guard("finally", "finally", _calls_among(acts_in(inner.body)), about=still)
        elif isinstance(inner, ast.Call):
            yield from _wrapping_guards(inner)


def _unused_call(node: ast.Expr, whole: _Acts) -> Iterator[Guard]:
    """Return a call whose result is unused: ``check_permission(user)``."""
    value = node.value.value if isinstance(node.value, ast.Await) else node.value
    if isinstance(value, ast.Call) and not GUARDS_NOTHING.search(_head(value).partition("(")[0]):
        yield from _guards_in_text(_head(value), ("permission", "check", "limit"), _acts_after(node, whole))


def _wrapping_guards(node: ast.Call) -> Iterator[Guard]:
    """Return wrapping calls: ``wait_for(load(), 5)``, ``get(url, timeout=5)``, ``get(id=id, owner=user)``."""
    name = last_name(node.func)
    if name == "wait_for" and node.args:
        called = {last_name(inner.func) for inner in walk(node.args[0]) if isinstance(inner, ast.Call)}
        yield Guard("timeout", "wait_for", frozenset(called))
    for keyword in node.keywords if name else ():
        if keyword.arg is not None and "timeout" in keyword.arg and not is_none(keyword.value):
            yield Guard("timeout", keyword.arg, frozenset({name}))
    yield from _owner_filter(node, name)


def _owner_filter(node: ast.Call, name: str) -> Iterator[Guard]:
    if KINDS["owner"].search(name):
        yield Guard("owner", name, frozenset({name}), names=frozenset({name}))
    elif isinstance(node.func, ast.Attribute) and KINDS["owner"].search(_arguments_of(node)):
        yield Guard("owner", name, frozenset({name}), names=frozenset[str]())


def _arguments_of(node: ast.Call) -> str:
    return unparse(node).replace(" ", "")


def _clean_up_calls(cleaning: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the clean-up calls: with none of them left, other code performs it now."""
    return frozenset(act for act in _calls_among(acts_in(cleaning)) if CLEANS.search(act))


def _guards_in_text(text: str, kinds: Sequence[str], acts: _Acts) -> Iterator[Guard]:
    kind = next((kind for kind in kinds if KINDS[kind].search(text)), None)
    if kind is None:
        return
    match kind:
        case "lock":
            chosen, least = frozenset(act for act in acts if act.startswith("=")), 1
        case "transaction":
            chosen, least = frozenset(filter(_WRITES.search, acts)), 2
        case _:
            chosen, least = _calls_among(acts), 1
    word = text.rpartition("\n")[2][:60]
    names = frozenset(filter(KINDS[kind].search, _NAME.findall(text)))
    yield Guard(kind, word, chosen, least, names=names)


def _calls_among(acts: _Acts) -> frozenset[str]:
    return frozenset(act for act in acts if act[0] not in "=~")


def _render_condition(node: ast.If) -> str:
    """Return the source of a condition and of the exception that is raised if it is true."""
    last = node.body[-1]
    return f"{unparse(node.test)} {unparse(last) if isinstance(last, ast.Raise) else ''}"


def _head(node: ast.expr) -> str:
    """Return the name of a decorator, a context manager or a call, without its arguments."""
    return unparse(node.func if isinstance(node, ast.Call) else node)


def _acts_after(node: ast.stmt, whole: _Acts) -> _Acts:
    end = node.end_lineno or node.lineno
    return {act: locations for act, locations in whole.items() if any(line > end for line, _ in locations)}


def _leaves_block(body: Sequence[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_name(last.value.func) in _REFUSES
    return isinstance(last, _LEAVES)


class PythonGuards(GuardCheck):
    """The adapter of Python for the checks on guards."""

    PATHS = ENDINGS = (".py",)

    def is_test(self, path: str) -> bool:
        return is_test_path(path)

    def bodies(self, path: str, text: str) -> Sequence[GuardedFunction]:
        try:
            return bodies(cached_module(path, text).tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ()
