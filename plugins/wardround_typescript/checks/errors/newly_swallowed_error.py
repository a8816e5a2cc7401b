"""TS405: newly swallowed error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.before_after import base_code, functions_of, is_new
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.exception_handling import Caught
_REMOVED = LazyPattern(r"\bthrow\b|\breturn\b|\breject\(|\bnext\(|\bexit\(|\bcatch\b")


class NewlySwallowedError(TreeCheck):
    """An error that stopped the function before this change is now only logged.

    The following code assumes that the step succeeded, and now runs with missing or rejected data. Rethrow
    the error after logging it, or return.
    """

    ID = "TS405"
    NAME = "newly-swallowed-error"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "swallowed-error"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    WORDS = ("catch",)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            export async function open(seal: string) {
              try {
                await verifySeal(seal);
              } catch (error) {
                console.warn(error);
                throw new Error('broken seal');
              }
              return read(seal);
            }
        """),
        code(
            """
            export async function open(seal: string) {
              await verifySeal(seal).catch((error) => console.warn(error));
            }
            """,
            base="""
            export async function open(seal: string) {
              try {
                await verifySeal(seal);
              } catch (error) {
                console.warn(error);
                throw new Error('broken seal');
              }
              return read(seal);
            }
            """,
        ),
    ]
    INVALID = [
        code(
            """
            export async function open(seal: string) {
              await «verifySeal(seal).catch((error) => console.warn(error))»;
              return read(seal);
            }
            """,
            base="""
            export async function open(seal: string) {
              try {
                await verifySeal(seal);
              } catch (error) {
                console.warn(error);
                throw new Error('broken seal');
              }
              return read(seal);
            }
            """,
        ),
        code(
            """
            export function save(req, res, next) {
              «shelf.put(req.body).then((row) => res.json(row)).catch((error) => {
                console.warn(error);
              })»;
            }
            """,
            path="a.js",
            base="""
            export function save(req, res, next) {
              shelf.put(req.body).then((row) => res.json(row)).catch((error) => {
                console.warn(error);
                next(error);
              });
            }
            """,
        ),
    ]

    def check(self) -> None:
        base = base_code(self.source, _REMOVED)
        if base is not None:
            self._compare(base)

    def _compare(self, base: Code) -> None:
        before = functions_of(base)
        for name, function in functions_of(self.code).items():
            old = before.get(name)
            if old is None or not is_new(self.source, self.code, function, base):
                continue
            swallowed = self._newly_swallowed(base, old, function)
            if swallowed is None:
                self._compare_responses(base, old, function)
                continue
            self.report_node(
                swallowed.place,
                f"a failure of {swallowed.called}() no longer stops the function; "
                "rethrow the error or return",
            )

    def _newly_swallowed(self, base: Code, old: Node, function: Node) -> Caught | None:
        """Return the first handler that stopped the function before and now only logs."""
        from wardround_typescript.analysis.exception_handling import caught

        left = {call.called for call in caught(base, old) if call.leaves}
        now = list(caught(self.code, function)) if left else []
        left -= {call.called for call in now if call.leaves}
        swallowed = (call for call in now if call.called in left and not call.leaves)
        return next((c for c in swallowed if is_new(self.source, self.code, c.place, base)), None)

    def _compare_responses(self, base: Code, old: Node, function: Node) -> None:
        """Report a handler that passed an error to its caller and now only logs it."""
        from wardround_typescript.analysis.exception_handling import answered

        text = {called for called, _, tells in answered(base, old) if tells}
        now = list(answered(self.code, function)) if text else []
        text -= {called for called, _, tells in now if tells}
        for called, place, _ in now:
            if called in text and is_new(self.source, self.code, place, base):
                self.report_node(
                    place,
                    f"a failure of {called}() is no longer passed on, so the caller waits forever; report it",
                )
                break
