"""Guards of the operations of a function of a script: locks, transactions, permissions, limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from wardround.languages.script.code import Code
from wardround.languages.script.syntax import inside
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.guards import CLEANS, GUARDS_NOTHING, KINDS, Guard
from wardround_typescript.syntax.nodes import child, first_part, has_kind, is_kind, last_part, parent

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
_LOCKED = LazyPattern(r"(?i)runExclusive|withLock|\.lock$|locks\.request|synchroni[sz]ed|acquire")
_TRANSACTED = LazyPattern(r"(?i)\$?transaction$|withTransaction|inTransaction")
_NAME = LazyPattern(r"[A-Za-z_$][\w$]*")
_GUARD_NAME = LazyPattern(r"Guard$|^Requires?[A-Z]")
_WHO = LazyPattern(r"\bauth\.getUser$|getServerSession$|^auth$|^getSession$|^currentUser$|^getUser$")
_TIMER = LazyPattern(r"(?:^|\.|_)(?:set|clear|get|reset|cancel|start|stop|on|handle|refresh)_?Timeout\w*$")
_LOGS = LazyPattern(r"^(?:console|log|logger)\.\w+$")
_OWNER_QUERIES = (".eq", ".filter", ".where")
_ACCESS = ("permission", "check", "limit")
_CONDITIONS = ("permission", "owner", "check", "limit")
_WITH_SUBJECT = ("check", "limit")
_MAY_THROW = ("throw_statement", "await_expression", "call_expression")
_OF_OPTIONS = ("object", "pair")
Operations = dict[str, list[tuple[int, int]]]
"""The calls of a function by their last names, and the values it uses (``~name``), with their positions."""


def operations_in(code: Code, node: Node) -> Operations:
    """Return the operations of a node."""
    found: Operations = {}
    for part in inside(node):
        name = _operation(code, part)
        if name:
            found.setdefault(name, []).append(code.module.place(part))
    return found


def _operation(code: Code, node: Node) -> str:
    match node.type:
        case "call_expression":
            called = _last_name(code.callee(node))
            return called if called.isidentifier() and not _NO_ACT.search(called) else ""
        case "identifier" | "member_expression" | "shorthand_property_identifier":
            return f"~{code.text(node)}"
    return ""


def is_early_exit(conditional: Node) -> bool:
    """Return True if the branch of a condition ends by leaving the function or the iteration."""
    branch = conditional.child_by_field_name("consequence")
    if is_kind(branch, "statement_block"):
        branch = last_part(branch)
    return has_kind(branch, _LEAVES)


class GuardFinder:
    """Finds the guards of one function.

    Args:
        operations: those of the function; a guard protects some of them.
    """

    def __init__(self, code: Code, operations: Operations) -> None:
        self._code = code
        self._operations = operations

    def above(self, function: Node) -> Iterator[Guard]:
        """Yield the guards in the decorators of a method, and in the other arguments of a route."""
        yield from self._guards_in_decorators(function)
        yield from self._guards_in_route(function)

    def at(self, node: Node) -> Iterator[Guard]:
        """Yield the guards of a node, without those of its children."""
        match node.type:
            case "if_statement" if is_early_exit(node):
                yield from self._condition_guards(node)
            case "expression_statement":
                yield from self._statement_guards(node)
            case "finally_clause":
                yield from self._cleanup_guards(node, child(node.parent, "body"))
            case "call_expression":
                yield from self._guards_of_call(node)
            case "pair":
                yield from self._option_guards(node)

    def _guards_in_decorators(self, method: Node) -> Iterator[Guard]:
        sibling = method.prev_named_sibling
        while is_kind(sibling, "decorator", "comment"):
            if sibling.type == "decorator":
                yield from self._decorator_guards(sibling)
            sibling = sibling.prev_named_sibling

    def _decorator_guards(self, decorator: Node) -> Iterator[Guard]:
        for guard in _guards_in_text(self._code.text(decorator), _ACCESS, self._operations):
            names = frozenset(f"@{name}" for name in guard.names)
            yield msgspec.structs.replace(guard, names=names)

    def _guards_in_route(self, handler: Node) -> Iterator[Guard]:
        arguments = handler.parent
        if not is_kind(arguments, "arguments"):
            return
        for argument in arguments.named_children:
            if argument.id != handler.id and argument.type != "string":
                yield from _guards_in_text(self._code.text(argument), _ACCESS, self._operations)

    def _condition_guards(self, conditional: Node) -> Iterator[Guard]:
        """Yield the guards in a condition whose branch leaves the function."""
        tested = self._code.field(conditional, "condition")
        _, throw, thrown = self._code.field(conditional, "consequence").partition("throw")
        subjects = self._subjects(child(conditional, "condition"))
        text = f"{tested} {(throw + thrown)[:80]}"
        for guard in _guards_in_text(text, _CONDITIONS, self._operations_after(conditional)):
            about = subjects if guard.kind in _WITH_SUBJECT else frozenset[str]()
            yield msgspec.structs.replace(guard, leaves=True, about=about)

    def _subjects(self, condition: Node | None) -> frozenset[str]:
        if condition is None:
            return frozenset()
        names = [part for part in inside(condition) if part.type == "identifier"]
        return frozenset(f"~{self._code.text(name)}" for name in names)

    def _cleanup_guards(self, clause: Node, body: Node | None) -> Iterator[Guard]:
        if body is None:
            return
        cleanups = frozenset(call for call in self._calls_in(clause) if CLEANS.search(call))
        if cleanups:
            yield Guard("finally", "finally", self._calls_in(body), about=cleanups)

    def _statement_guards(self, statement: Node) -> Iterator[Guard]:
        """Yield the guards of a call whose result is unused: ``await checkAccess(user)``."""
        value = first_part(statement)
        if is_kind(value, "await_expression"):
            value = value.named_children[0]
        if is_kind(value, "call_expression") and self._may_refuse(value):
            yield from _guards_in_text(self._code.callee(value), _ACCESS, self._operations_after(statement))

    def _may_refuse(self, call: Node) -> bool:
        """Return False if the name, or the called function of the file, shows that it accepts everything."""
        called = self._code.callee(call)
        if GUARDS_NOTHING.search(called):
            return False
        function = self._code.function_of(called, call) if "." not in called else None
        return function is None or any(self._may_throw(part) for part in inside(function))

    def _may_throw(self, node: Node) -> bool:
        """Return True for code that throws or may throw, not for a logged line."""
        if node.type not in _MAY_THROW:
            return False
        return node.type != "call_expression" or not _LOGS.search(self._code.callee(node))

    def _guards_of_call(self, call: Node) -> Iterator[Guard]:
        called = self._code.callee(call)
        last = _last_name(called)
        arguments = call.child_by_field_name("arguments") or call
        if _WHO.search(called):
            yield Guard("permission", called, frozenset(), names=frozenset({last}))
        elif _LOCKED.search(called):
            yield Guard("lock", called, self._calls_in(arguments))
        elif _TRANSACTED.search(called):
            yield Guard("transaction", called, self._writes_in(arguments), 2)
        elif _limits_time(called):
            yield Guard("timeout", called, _calls_among(self._operations))
        elif called.endswith(_OWNER_QUERIES) and KINDS["owner"].search(self._code.text(arguments)):
            yield Guard("owner", last, self._calls_in(call))

    def _option_guards(self, pair: Node) -> Iterator[Guard]:
        """Yield ``{ timeout: 5 }``, ``{ isPublic: true }`` and similar arguments of a call."""
        call = _call_with_option(pair)
        if call is None:
            return
        key, value = self._code.field(pair, "key"), self._code.field(pair, "value")
        own = frozenset({_last_name(self._code.callee(call))})
        if KINDS["timeout"].search(f"{key}:") and value not in ("undefined", "null"):
            yield Guard("timeout", key, own)
        elif value == "true" and KINDS["permission"].search(key):
            yield Guard("permission", key, _calls_among(self._operations) - own)
        elif KINDS["owner"].search(key) and self._is_in_filter(pair):
            yield Guard("owner", key, own)

    def _is_in_filter(self, pair: Node) -> bool:
        outer = parent(pair.parent)
        return is_kind(outer, "pair") and self._code.field(outer, "key") == "where"

    def _calls_in(self, node: Node) -> frozenset[str]:
        return _calls_among(operations_in(self._code, node))

    def _writes_in(self, node: Node) -> frozenset[str]:
        return frozenset(name for name in operations_in(self._code, node) if _WRITES.search(name))

    def _operations_after(self, node: Node) -> Operations:
        end = node.end_point[0] + 1
        return {
            name: locations
            for name, locations in self._operations.items()
            if any(line > end for line, _ in locations)
        }


def _limits_time(called: str) -> bool:
    if called == "Promise.race":
        return True
    is_timeout = KINDS["timeout"].search(_last_name(called)) is not None
    return is_timeout and not _TIMER.search(called)


def _call_with_option(pair: Node) -> Node | None:
    """Return the call to which the object literal of an entry is passed."""
    around = pair.parent
    while has_kind(around, _OF_OPTIONS):
        around = around.parent
    return around.parent if is_kind(around, "arguments") else None


def _guards_in_text(text: str, kinds: tuple[str, ...], protected: Operations) -> Iterator[Guard]:
    """Yield the guard of the first kind whose words the source contains."""
    kind = next((kind for kind in kinds if KINDS[kind].search(text)), None)
    if kind is None:
        return
    names = frozenset(name for name in _NAME.findall(text) if _is_guard_name(name, kind))
    yield Guard(kind, text.partition("\n")[0][:60], _calls_among(protected), names=names)


def _is_guard_name(name: str, kind: str) -> bool:
    return (KINDS[kind].search(name) or _GUARD_NAME.search(name)) is not None


def _calls_among(operations: Operations) -> frozenset[str]:
    return frozenset(name for name in operations if not name.startswith("~"))


def _last_name(called: str) -> str:
    return called.rpartition(".")[2]
