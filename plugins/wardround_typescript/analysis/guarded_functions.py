"""Operations of each function of a script, and their guards: locks, transactions, permissions, limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.code import FUNCTIONS, Code, argument, code_of
from wardround.languages.script.syntax import inside
from wardround.semantics.semdiff.guards import CLEANS, GUARDS_NOTHING, KINDS, Guard, GuardedFunction
from wardround_typescript.analysis.tested_values import tested_values

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_WRITES = LazyPattern(
    r"(?i)^(?:create|delete|update|insert|remove|add|set|upsert|save|destroy|write|push|execute|query|increment|decrement)"
    r"(?:[A-Z_]\w*)?$"
)
_NO_ACT = LazyPattern(
    r"^(?:map|filter|forEach|find|some|every|includes|push|join|split|trim|slice|toString|String|Number|Boolean|parseInt"
    r"|keys|values|entries|log|warn|error|info|debug|then|catch|finally|has|get|resolve|reject|t|require|toLowerCase"
    r"|stringify|now|Error|all|race|setTimeout|clearTimeout|startsWith|endsWith|replace|isArray|reduce|sort|concat)$"
)
_LEAVES = frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"})
_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "all", "use", "on", "handle", "route"})
_LOCKED = LazyPattern(r"(?i)runExclusive|withLock|\.lock$|locks\.request|synchroni[sz]ed|acquire")
_TRANSACTED = LazyPattern(r"(?i)\$?transaction$|withTransaction|inTransaction")
_NAME = LazyPattern(r"[A-Za-z_$][\w$]*")
_GUARD_NAME = LazyPattern(r"Guard$|^Requires?[A-Z]")
_SERVER = LazyPattern(r"\s*[\"']use server[\"']")
_WHO = LazyPattern(r"\bauth\.getUser$|getServerSession$|^auth$|^getSession$|^currentUser$|^getUser$")
_TIMER = LazyPattern(r"(?:^|\.|_)(?:set|clear|get|reset|cancel|start|stop|on|handle|refresh)_?Timeout\w*$")
_LOGS = LazyPattern(r"^(?:console|log|logger)\.\w+$")
_Acts = dict[str, list[tuple[int, int]]]


def bodies(path: str, text: str) -> list[GuardedFunction]:
    """Return the named functions of a script, and route handlers by verb and path."""
    code = code_of(path, text)
    found = []
    for node in code.kinds(*sorted(FUNCTIONS)):
        name = _name(code, node)
        if name:
            found.append(_body(code, name, node))
    return found


def _name(code: Code, node: Node) -> str:
    own = code.name_of(node)
    parent = node.parent
    if own:
        around = parent.parent if parent is not None and node.type == "method_definition" else None
        return f"{code.field(around, 'name')}.{own}" if around is not None and "class" in around.type else own
    if parent is not None and parent.type == "assignment_expression":
        return code.field(parent, "left")
    call = parent.parent if parent is not None and parent.type == "arguments" else None
    return _name_by_call(code, call) if call is not None and call.type == "call_expression" else ""


def _name_by_call(code: Code, call: Node) -> str:
    """Return the verb and path of a route, or the variable that holds the result of a wrapper."""
    called, first = code.called(call), argument(call, 0)
    if called.rpartition(".")[2] in _ROUTES and first is not None and first.type == "string":
        return f"{called}({code.text(first)})"
    holder = call.parent
    is_variable = holder is not None and holder.type == "variable_declarator"
    return code.field(holder, "name") if is_variable else ""


def _body(code: Code, name: str, node: Node) -> GuardedFunction:
    inner = node.child_by_field_name("body") or node
    complete = _acts_in(code, inner)
    every = list(inside(inner))
    exits = sum(one.type == "if_statement" and _is_left(one) for one in every)
    calls = {called for called, _ in _calls(code, every)}
    names = {code.text(one) for one in every if one.type == "identifier"}
    guards = (
        *_around(code, node, complete),
        *(one for part in every for one in _guards(code, part, complete)),
    )
    return GuardedFunction(
        name,
        guards,
        complete,
        frozenset(calls | names),
        exits,
        _given(code, node),
        _named_at(code, node),
        _group(code, node),
        partial(tested_values, code, node),
    )


def _group(code: Code, node: Node) -> str:
    """Return the functions that browsers can call: the exports of a module of server actions."""
    is_exported = any(one is not None and one.type == "export_statement" for one in _above(node))
    return "use server" if is_exported and _SERVER.match(code.module.text) else ""


def _above(node: Node) -> Iterator[Node | None]:
    """Return the declaration of a function: ``export const f = () => 1`` is two nodes above."""
    above: Node | None = node
    for _ in range(3):
        above = above.parent if above is not None else None
        yield above


def _given(code: Code, node: Node) -> tuple[str, ...]:
    given = node.child_by_field_name("parameters")
    lone = node.child_by_field_name("parameter")
    if given is None:
        return (code.text(lone),) if lone is not None else ()
    patterns = (one.child_by_field_name("pattern") or one for one in given.named_children)
    return tuple(name for one in patterns for name in code.names_in(one))


def _named_at(code: Code, node: Node) -> tuple[int, int]:
    own = node.child_by_field_name("name")
    if own is None and node.parent is not None:
        own = node.parent.child_by_field_name("name") or node.parent.child_by_field_name("left")
    return code.module.place(own or node)


def _calls(code: Code, nodes: Sequence[Node]) -> Iterator[tuple[str, Node]]:
    for one in nodes:
        if one.type == "call_expression":
            yield code.called(one), one


def _acts_in(code: Code, node: Node) -> _Acts:
    """Return the operations: calls by their last names, values used (``~name``)."""
    found: _Acts = {}
    for one in inside(node):
        act = ""
        if one.type == "call_expression":
            last = code.called(one).rpartition(".")[2]
            act = "" if _NO_ACT.search(last) or not last.isidentifier() else last
        elif one.type in ("identifier", "member_expression", "shorthand_property_identifier"):
            act = f"~{code.text(one)}"
        if act:
            found.setdefault(act, []).append(code.module.place(one))
    return found


def _around(code: Code, node: Node, whole: _Acts) -> Iterator[Guard]:
    """Yield the decorators of a method, and the arguments of a route before its handler."""
    before = node.prev_named_sibling
    while before is not None and before.type in ("decorator", "comment"):
        if before.type == "decorator":
            for guard in _named(code.text(before), ("permission", "check", "limit"), whole):
                yield msgspec.structs.replace(guard, names=frozenset(f"@{name}" for name in guard.names))
        before = before.prev_named_sibling
    if node.parent is not None and node.parent.type == "arguments":
        for one in node.parent.named_children:
            if one.id != node.id and one.type != "string":
                yield from _named(code.text(one), ("permission", "check", "limit"), whole)


def _guards(code: Code, node: Node, whole: _Acts) -> Iterator[Guard]:
    if node.type == "if_statement" and _is_left(node):
        yield from _conditional(code, node, whole)
    elif node.type == "expression_statement":
        yield from _standing(code, node, whole)
    elif node.type == "finally_clause" and node.parent is not None:
        yield from _finally(code, node, node.parent.child_by_field_name("body"))
    elif node.type == "call_expression":
        yield from _wrapping(code, node, whole)
    elif node.type == "pair":
        yield from _option(code, node, whole)


def _conditional(code: Code, node: Node, whole: _Acts) -> Iterator[Guard]:
    """Yield the guards in a condition whose branch leaves the function."""
    condition = code.field(node, "condition")
    body = code.field(node, "consequence")
    thrown = body[body.find("throw") :][:80] if "throw" in body else ""
    kinds = ("permission", "owner", "check", "limit")
    about = frozenset(f"~{code.text(one)}" for one in _names(node.child_by_field_name("condition")))
    for guard in _named(f"{condition} {thrown}", kinds, _after(node, whole)):
        subject = about if guard.kind in ("check", "limit") else frozenset[str]()
        yield msgspec.structs.replace(guard, leaves=True, about=subject)


def _finally(code: Code, node: Node, body: Node | None) -> Iterator[Guard]:
    if body is None:
        return
    cleanups = frozenset(act for act in _calls_among(_acts_in(code, node)) if CLEANS.search(act))
    if cleanups:
        yield Guard("finally", "finally", _calls_among(_acts_in(code, body)), about=cleanups)


def _standing(code: Code, node: Node, whole: _Acts) -> Iterator[Guard]:
    """Return True for a call whose result is unused: ``await checkAccess(user)``."""
    value = node.named_children[0] if node.named_children else None
    if value is not None and value.type == "await_expression":
        value = value.named_children[0]
    if value is not None and value.type == "call_expression" and _may_refuse(code, value):
        yield from _named(code.called(value), ("permission", "check", "limit"), _after(node, whole))


def _may_refuse(code: Code, call: Node) -> bool:
    """Return True unless the name, or the called function of the file, shows that it accepts everything."""
    called = code.called(call)
    if GUARDS_NOTHING.search(called):
        return False
    function = code.function_of(called, call) if "." not in called else None
    return function is None or any(
        one.type in ("throw_statement", "await_expression", "call_expression") and _may_throw(code, one)
        for one in inside(function)
    )


def _may_throw(code: Code, node: Node) -> bool:
    """Return True for code that throws or may throw, not for a logged line."""
    return node.type != "call_expression" or not _LOGS.search(code.called(node))


def _wrapping(code: Code, node: Node, whole: _Acts) -> Iterator[Guard]:
    called = code.called(node)
    arguments = node.child_by_field_name("arguments")
    if _WHO.search(called):
        yield Guard("permission", called, frozenset(), names=frozenset({called.rpartition(".")[2]}))
    elif _LOCKED.search(called) and arguments is not None:
        yield Guard("lock", called, _calls_among(_acts_in(code, arguments)))
    elif _TRANSACTED.search(called) and arguments is not None:
        acts = frozenset(act for act in _acts_in(code, arguments) if _WRITES.search(act))
        yield Guard("transaction", called, acts, 2)
    elif called == "Promise.race" or (
        KINDS["timeout"].search(called.rpartition(".")[2]) and not _TIMER.search(called)
    ):
        yield Guard("timeout", called, _calls_among(whole))
    elif called.endswith((".eq", ".filter", ".where")) and KINDS["owner"].search(code.text(arguments)):
        yield Guard("owner", called.rpartition(".")[2], _calls_among(_acts_in(code, node)))


def _option(code: Code, node: Node, whole: _Acts) -> Iterator[Guard]:
    """Yield ``{ timeout: 5 }``, ``{ isPublic: true }`` and similar arguments of a call."""
    key = code.field(node, "key")
    value = code.field(node, "value")
    call = _call_around(node)
    if call is None:
        return
    own = frozenset({code.called(call).rpartition(".")[2]})
    if KINDS["timeout"].search(f"{key}:") and value not in ("undefined", "null"):
        yield Guard("timeout", key, own)
    elif value == "true" and KINDS["permission"].search(key):
        yield Guard("permission", key, _calls_among(whole) - own)
    elif KINDS["owner"].search(key) and _stands_under(code, node, "where"):
        yield Guard("owner", key, own)


def _names(node: Node | None) -> Iterator[Node]:
    if node is not None:
        yield from (one for one in inside(node) if one.type == "identifier")


def _stands_under(code: Code, node: Node, key: str) -> bool:
    above = node.parent.parent if node.parent is not None else None
    return above is not None and above.type == "pair" and code.field(above, "key") == key


def _call_around(node: Node) -> Node | None:
    above = node.parent
    while above is not None and above.type in ("object", "arguments", "pair"):
        if above.type == "arguments":
            return above.parent
        above = above.parent
    return None


def _named(text: str, kinds: Sequence[str], acts: _Acts) -> Iterator[Guard]:
    for kind in kinds:
        if KINDS[kind].search(text):
            names = frozenset(
                n for n in _NAME.findall(text) if KINDS[kind].search(n) or _GUARD_NAME.search(n)
            )
            yield Guard(kind, text.partition("\n")[0][:60], _calls_among(acts), names=names)
            return


def _calls_among(acts: _Acts) -> frozenset[str]:
    return frozenset(act for act in acts if not act.startswith("~"))


def _after(node: Node, whole: _Acts) -> _Acts:
    end = node.end_point[0] + 1
    return {act: places for act, places in whole.items() if any(line > end for line, _ in places)}


def _is_left(node: Node) -> bool:
    """Return True if the branch of a condition ends by leaving the function or the iteration."""
    branch = node.child_by_field_name("consequence")
    if branch is not None and branch.type == "statement_block":
        branch = branch.named_children[-1] if branch.named_children else None
    return branch is not None and branch.type in _LEAVES
