from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.before_after import base_code, name_around
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_EFFECTS = LazyPattern(
    r"^(?:React\.)?use\w*Effect\w*$|^onMount$|^\$effect$|^watchEffect$|^createEffect$|^useMount$"
)
_DULL = LazyPattern(
    r"^(?:set(?!Interval|Timeout)[A-Z]\w*|console\.\w+|\w*[lL]og(?:ger)?\.\w+|Promise|JSON\.\w+|Math\.\w+|Object\.\w+)$"
)
_OTHERWISE = LazyPattern(
    r"(?i)\babort|\bsignal\b|\bonce\b|onCleanup|onUnmount|onDestroy|onScopeDispose|useUnmount"
)
_REMOVED = LazyPattern(r"\breturn\b|=>|\bstop|\bclear|\boff|\bun\w|\bremove|\bdis|\bclose|\bdestroy|\bcancel")


class _Effect(NamedTuple):
    """An effect: its owner, its call, its operations, and the cleanup of each object."""

    function: str
    call: Node
    acts: Counter[str]
    cleans: Counter[str]
    has_cleanup: bool
    owners: set[str]


class RemovedEffectCleanup(TreeCheck):
    """The cleanup of an effect is removed by this change.

    The setup still runs, again with every change of a dependency, and outlives the component: listeners,
    timers and marks on the page accumulate. Return the function that undoes it.
    """

    ID = "TS401"
    NAME = "removed-effect-cleanup"
    DEFECT_CLASS = "missing-effect-cleanup"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    WORDS = ("Effect", "onMount", "useMount")
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            export function Page({ mode, bus }) {
              useEffect(() => {
                document.body.classList.add(mode);
                return () => document.body.classList.remove(mode);
              }, [mode]);
              return <p>{mode}</p>;
            }
        """),
        code(
            """
            export function Page({ mode, bus }) {
              useEffect(() => {
                show(mode);
              }, [mode]);
              return <p>{mode}</p>;
            }
            """,
            base="""
            export function Page({ mode, bus }) {
              useEffect(() => {
                document.body.classList.add(mode);
                return () => document.body.classList.remove(mode);
              }, [mode]);
              return <p>{mode}</p>;
            }
            """,
        ),
    ]
    INVALID = [
        code(
            """
            export function Page({ mode, bus }) {
              useEffect(() => {
                «document.body.classList.add(mode, 'page')»;
              }, [mode]);
              return <p>{mode}</p>;
            }
            """,
            base="""
            export function Page({ mode, bus }) {
              useEffect(() => {
                document.body.classList.add(mode);
                return () => document.body.classList.remove(mode);
              }, [mode]);
              return <p>{mode}</p>;
            }
            """,
        ),
        code(
            """
            export function Page({ mode, bus }) {
              useEffect(() => {
                «bus.on(mode, show)»;
              }, [mode]);
              return <p>{mode}</p>;
            }
            """,
            base="""
            export function Page({ mode, bus }) {
              useEffect(() => {
                const off = bus.on(mode, show);
                return () => {
                  off();
                };
              }, [mode]);
              return <p>{mode}</p>;
            }
            """,
        ),
    ]

    def check(self) -> None:
        base = base_code(self.source, _REMOVED)
        if base is not None:
            self._compare(base)

    def _compare(self, base: Code) -> None:
        cleaned = [effect for effect in _effects(base) if effect.cleans]
        current = list(_effects(self.code))
        for effect in current:
            if effect.has_cleanup:
                continue
            lost = next((old for old in cleaned if _is_same(old, effect)), None)
            if lost is None or not self._is_lost(base, lost, current):
                continue
            cleaned.remove(lost)
            self.report_node(
                self._act(effect, lost), "cleanup of this effect is removed by this change; restore it"
            )

    def _is_lost(self, base: Code, lost: _Effect, current: Iterable[_Effect]) -> bool:
        if any(new.has_cleanup and _is_same(lost, new) for new in current):
            return False
        return not self._is_elsewhere(base, lost) and not _OTHERWISE.search(self.source.added_text)

    def _is_elsewhere(self, base: Code, lost: _Effect) -> bool:
        """Return True if the cleanup code is still in the file, in another effect or a helper."""
        return all(self._times(self.code, name) >= self._times(base, name) for name in lost.cleans)

    def _times(self, code: Code, name: str) -> int:
        return len(code.calls_named(name)) or code.module.text.count(f"{name} =")

    def _act(self, current: _Effect, lost: _Effect) -> Node:
        """Return the first operation whose cleanup is removed."""
        from wardround.languages.script.syntax import inside

        deeds = [
            (node, _cleanup_operation(self.code, node))
            for node in inside(current.call)
            if node != current.call
        ]
        for node, deed in deeds:
            if _owner(deed) in lost.owners:
                return node
        for node, deed in deeds:
            if deed in lost.acts and not _DULL.search(deed):
                return node
        return current.call


def _owner(called: str) -> str:
    return called.rpartition(".")[0]


def _is_same(old: _Effect, new: _Effect) -> bool:
    """Return True if two effects perform the same operation, or one on an object that the other cleaned
    up.
    """
    if old.function != new.function:
        return False
    if any(_owner(name) in old.owners for name in new.acts):
        return True
    return any(_has_to_be_closed(name) for name in old.acts if name in new.acts)


def _has_to_be_closed(name: str) -> bool:
    return _OPENS.search(name) is not None and not _DULL.search(name)


_OPENS = LazyPattern(
    r"(?:^|\.)(?:set(?:Interval|Timeout)|addEventListener|addListener|on|once|subscribe|listen|watch|observe|connect|open|start"
    r"|register\w*|add\w*|attach\w*|bind\w*|use\w*|join|enter|request\w+|create\w+|mount|show|lock|acquire|play|subscribe\w+)$"
)


def _owners(code: Code, effect: Node, cleans: Counter[str]) -> set[str]:
    """Return the objects that a cleanup works on: those of the page, and those the effect created."""
    owners = {_owner(name) for name in cleans} - {""}
    return {owner for owner in owners if _is_of_page_or(effect, code, owner)}


def _is_of_page_or(effect: Node, code: Code, owner: str) -> bool:
    """Return True if the file does not declare an object, or an effect does."""
    declarations = code.declared.get(owner.partition(".")[0].rstrip("?!"))
    if not declarations:
        return True
    return any(effect.start_byte < node.start_byte < effect.end_byte for node in declarations)


def _effects(code: Code) -> Iterator[_Effect]:
    from wardround.languages.script.code import argument

    for called, call in code.calls:
        function = code.referenced_function(argument(call, 0)) if _EFFECTS.search(called) else None
        if function is None:
            continue
        cleanups = list(_cleanups(code, function))
        cleans = Counter(name for cleanup in cleanups for name in _calls(code, cleanup))
        acts = Counter(_calls(code, function))
        acts.subtract(cleans)
        owners = _owners(code, call, cleans)
        yield _Effect(name_around(code, call), call, +acts, cleans, bool(cleanups), owners)


def _cleanups(code: Code, function: Node) -> Iterator[Node]:
    """Yield the return value of an effect: a function, its name, or the result of a call."""
    from wardround.languages.script.code import bare, returned_expressions

    if not is_kind(child(function, "body"), "statement_block"):
        return
    for result in map(bare, returned_expressions(function)):
        if result is not None and result.type not in ("undefined", "null"):
            yield code.referenced_function(result) or result


def _calls(code: Code, node: Node) -> Iterator[str]:
    """Yield the callees, and the assigned fields of other objects."""
    from wardround.languages.script.syntax import inside

    return filter(None, (_cleanup_operation(code, part) for part in inside(node)))


def _cleanup_operation(code: Code, node: Node) -> str:
    if node.type == "call_expression":
        return code.callee(node)
    target = child(node, "left") if node.type == "assignment_expression" else None
    if not is_kind(target, "member_expression"):
        return ""
    field = code.text(target)
    return "" if field.endswith(".current") else field
