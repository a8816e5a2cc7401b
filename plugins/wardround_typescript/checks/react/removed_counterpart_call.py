from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.before_after import base_code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import is_kind

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_PAIRS: dict[str, tuple[str, ...]] = {
    "addEventListener": ("removeEventListener",),
    "addListener": ("removeListener", "removeEventListener", "off", "remove", "removeAllListeners"),
    "on": ("off", "removeListener", "removeAllListeners"),
    "setInterval": ("clearInterval",),
    "subscribe": ("unsubscribe",),
    "observe": ("disconnect", "unobserve"),
    "createObjectURL": ("revokeObjectURL",),
    "requestAnimationFrame": ("cancelAnimationFrame",),
    "startTransaction": ("commitTransaction", "abortTransaction", "release", "commit", "rollback"),
    "acquire": ("release",),
    "lock": ("unlock", "release"),
    "setPointerCapture": ("releasePointerCapture",),
    "showLoading": ("hideLoading",),
    "mount": ("unmount", "destroy"),
}
_HEARD = frozenset({"on", "subscribe", "addListener"})
_OTHERWISE = LazyPattern(
    r"(?i)\babort|\bsignal\b|\bonce\b|clean_?up|dispose|destroy|teardown|unmount|unsub|\busing\b|use\w*(?:Listener|Interval"
    r"|Observer)|finally|\bstop\w*\(|\bclear\w*\(|\bremove\w*\(|\boff\(|close\(|release\("
)
_SETTER = LazyPattern(r"^(?:this\.)?set(?:Is)?[A-Z]\w*$")
_BUSY = LazyPattern(
    r"(?i)(?:loading|busy|pending|saving|submitting|fetching|uploading|deleting|processing|running)$"
)
_REMOVED = LazyPattern(
    r"\.?\b(?:remove(?:Event)?Listener|off|clearInterval|unsubscribe|disconnect|unobserve|revokeObjectURL"
    r"|cancelAnimationFrame|release\w*|unlock|hideLoading|unmount|destroy|commit\w*|rollback|abortTransaction)\(|\(false\)"
)


class RemovedCounterpartCall(TreeCheck):
    """A resource is still acquired but no longer released in this file.

    The listener, timer, subscription, lock or object URL is never released, or a button stays busy forever.
    Restore the call that released it, or remove the acquisition as well.
    """

    ID = "TS402"
    NAME = "removed-counterpart-call"
    DEFECT_CLASS = "missing-effect-cleanup"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (
        "addEventListener(",
        "addListener(",
        ".on(",
        "setInterval(",
        "subscribe(",
        "observe(",
        "createObjectURL(",
        "requestAnimationFrame(",
        "startTransaction(",
        "acquire(",
        "lock(",
        "setPointerCapture(",
        "showLoading(",
        "mount(",
        "(true)",
    )
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            export class Panel {
              open(bus) {
                window.addEventListener('resize', this.fit);
                bus.draw();
              }
              shut(bus) {
                window.removeEventListener('resize', this.fit);
                bus.wipe();
              }
            }
        """),
        code("""
            export const tick = (show) => {
              timer = setInterval(show, 50);
            };
            export const rest = () => {
              timer.cancel();
              timer = null;
            };
        """),
    ]
    INVALID = [
        code(
            """
            export const tick = (show) => {
              timer = «setInterval(show, 50)»;
            };
            export const rest = () => {
              timer = null;
            };
            """,
            path="a.js",
            base="""
            export const tick = (show) => {
              timer = setInterval(show, 50);
            };
            export const rest = () => {
              clearInterval(timer);
              timer = null;
            };
            """,
        ),
        code(
            """
            const save = async (row) => {
              «setIsSaving(true)»;
              await put(row);
              notify(row);
            };
            """,
            base="""
            const save = async (row) => {
              setIsSaving(true);
              await put(row);
              setIsSaving(false);
              notify(row);
            };
            """,
        ),
    ]

    def check(self) -> None:
        base = base_code(self.source, _REMOVED)
        if base is not None:
            self._compare(base)

    def _compare(self, base: Code) -> None:
        if _OTHERWISE.search(self.source.added_text):
            return
        for call in self._calls_without_counterpart(base):
            self.report_node(
                call, "call that released this is removed by this change; restore it or remove this too"
            )
        for call in self._switches_without_reset(base):
            self.report_node(call, "call that reset this is removed by this change; restore it")

    def _calls_without_counterpart(self, base: Code) -> Iterator[Node]:
        """Yield the first call of each function whose counterpart the change removed."""
        for opener, closers in _PAIRS.items():
            call = self._unclosed_call(base, opener, closers)
            if call is not None and not self._is_in_effect(call):
                yield call

    def _unclosed_call(self, base: Code, opener: str, closers: tuple[str, ...]) -> Node | None:
        current, before = self.code.calls_by_last, base.calls_by_last
        opened = current.get(opener, [])
        if len(opened) < len(before.get(opener, ())):
            return None
        was_closed = any(closer in before for closer in closers)
        if not was_closed or any(closer in current for closer in closers):
            return None
        if opener in _HEARD:
            opened = list(filter(_is_statement, opened))
        return next(iter(opened), None)

    def _switches_without_reset(self, base: Code) -> Iterator[Node]:
        """Yield the calls ``setLoading(true)`` whose ``setLoading(false)`` the change removed."""
        before = _switches(base)
        for name, switches in _switches(self.code).items():
            old_values = [value for _, value in before.get(name, ())]
            values = [value for _, value in switches]
            was_reset = "false" in old_values and len(values) >= old_values.count("true")
            if was_reset and set(values) == {"true"}:
                yield switches[0][0]

    def _is_in_effect(self, call: Node) -> bool:
        """Another rule reports resources that an effect opens and does not close."""
        from wardround_typescript.analysis.react_components import is_in_effect

        return is_in_effect(self.code, call)


def _is_statement(call: Node) -> bool:
    """Return True if the result is unused, which is often needed to release the resource."""
    return is_kind(call.parent, "expression_statement")


def _switches(code: Code) -> dict[str, list[tuple[Node, str]]]:
    """Map the setters of progress flags to their calls, with the argument."""
    from wardround.languages.script.code import argument

    found: dict[str, list[tuple[Node, str]]] = {}
    for called, call in code.calls:
        if _SETTER.search(called) and _BUSY.search(called):
            found.setdefault(called, []).append((call, code.text(argument(call, 0))))
    return found
