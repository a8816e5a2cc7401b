"""TS401: removed effect cleanup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.before_after import base_code, name_around
from wardround_typescript.check import TreeCheck

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
    MATURITY = Maturity.PREVIEW
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
        before = [one for one in _effects(base) if one.has_cleanup and one.cleans]
        now = list(_effects(self.code))
        for one in now:
            if one.has_cleanup or not one.acts:
                continue
            lost = next((old for old in before if _is_same(old, one)), None)
            if lost is not None and self._is_lost(base, lost, now):
                before.remove(lost)
                self.report_node(
                    self._act(one, lost),
                    "cleanup of this effect is removed by this change; restore it",
                )

    def _is_lost(self, base: Code, lost: _Effect, now: Iterable[_Effect]) -> bool:
        if any(new.has_cleanup and _is_same(lost, new) for new in now):
            return False
        return not self._is_elsewhere(base, lost) and not _OTHERWISE.search(self.source.added_text)

    def _is_elsewhere(self, base: Code, lost: _Effect) -> bool:
        """Return True if the cleanup code is still in the file, in another effect or a helper."""
        return all(self._times(self.code, name) >= self._times(base, name) for name in lost.cleans)

    def _times(self, code: Code, name: str) -> int:
        return len(code.calls_named(name)) or code.module.text.count(f"{name} =")

    def _act(self, now: _Effect, lost: _Effect) -> Node:
        """Return the first operation whose cleanup is removed."""
        from wardround.languages.script.syntax import inside

        code = self.code
        deeds = [(one, _deed(code, one)) for one in inside(now.call) if one != now.call]
        near = [one for one, done in deeds if _owner(done) in lost.owners]
        same = [one for one, done in deeds if done in lost.acts and not _DULL.search(done)]
        return next(iter([*near, *same]), now.call)


def _owner(called: str) -> str:
    return called.rpartition(".")[0]


def _is_same(old: _Effect, new: _Effect) -> bool:
    """Return True if two effects perform the same operation, or one on an object that the other cleaned."""
    if old.function != new.function:
        return False
    touched = {_owner(name) for name in new.acts}
    shared = {name for name in old.acts if name in new.acts and not _DULL.search(name)}
    return bool(old.owners & touched) or bool(shared & _opening(old))


def _opening(effect: _Effect) -> set[str]:
    return {name for name in effect.acts if _OPENS.search(name)}


_OPENS = LazyPattern(
    r"(?:^|\.)(?:set(?:Interval|Timeout)|addEventListener|addListener|on|once|subscribe|listen|watch|observe|connect|open|start"
    r"|register\w*|add\w*|attach\w*|bind\w*|use\w*|join|enter|request\w+|create\w+|mount|show|lock|acquire|play|subscribe\w+)$"
)


def _owners(code: Code, effect: Node, cleans: Counter[str]) -> set[str]:
    """Return the objects that a cleanup works on: those of the page, and those the effect created."""
    found = set()
    for owner in {_owner(name) for name in cleans} - {""}:
        declared = code.declared.get(owner.partition(".")[0].rstrip("?!"), ())
        if not declared or any(effect.start_byte < one.start_byte < effect.end_byte for one in declared):
            found.add(owner)
    return found


def _effects(code: Code) -> Iterator[_Effect]:
    from wardround.languages.script.code import argument

    for called, call in code.calls:
        if not _EFFECTS.search(called):
            continue
        function = code.function_meant(argument(call, 0))
        if function is None:
            continue
        cleanups = list(_cleanups(code, function))
        cleans = Counter(name for one in cleanups for name in _calls(code, one))
        acts = Counter(_calls(code, function))
        acts.subtract(cleans)
        owners = _owners(code, call, cleans)
        yield _Effect(name_around(code, call), call, +acts, cleans, bool(cleanups), owners)


def _cleanups(code: Code, function: Node) -> Iterator[Node]:
    """Return the return value of an effect: a function, its name, or the result of a call."""
    from wardround.languages.script.code import bare, returned

    body = function.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return
    for result in returned(function):
        one = bare(result)
        if one is not None and one.type not in ("undefined", "null"):
            yield code.function_meant(one) or one


def _calls(code: Code, node: Node) -> Iterator[str]:
    """Yield the callees, and the assigned fields of other objects."""
    from wardround.languages.script.syntax import inside

    return (done for done in (_deed(code, one) for one in inside(node)) if done)


def _deed(code: Code, node: Node) -> str:
    if node.type == "call_expression":
        return code.called(node)
    if node.type != "assignment_expression":
        return ""
    left = node.child_by_field_name("left")
    field = code.text(left) if left is not None and left.type == "member_expression" else ""
    return "" if field.endswith(".current") else field
