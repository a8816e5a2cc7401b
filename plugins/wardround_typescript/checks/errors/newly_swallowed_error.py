"""TS405."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.before_after_check import BeforeCheck, functions_of

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node


class NewlySwallowedError(BeforeCheck):
    """A failure stopped the function before this change; now it is written down and all goes on.

    What comes next was only meant for the case that the step succeeded, and runs now on what is missing or
    was refused. Throw again behind the log, or return.
    """

    ID = "TS405"
    NAME = "newly-swallowed-error"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "swallowed-error"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    WORDS = ("catch",)
    GONE = LazyPattern(r"\bthrow\b|\breturn\b|\breject\(|\bnext\(|\bexit\(|\bcatch\b")
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

    def compare(self, was: Code) -> None:
        from wardround_typescript.analysis.exception_handling import caught

        before = functions_of(was)
        for name, function in functions_of(self.code).items():
            old = before.get(name)
            if old is None or not self.is_new(function, was):
                continue
            left = {one.called for one in caught(was, old) if one.leaves}
            now = list(caught(self.code, function)) if left else []
            left -= {one.called for one in now if one.leaves}
            for one in now:
                if one.called in left and not one.leaves and self.is_new(one.place, was):
                    said = f"a failure of {one.called}() ended this before, and now all goes on"
                    self.say(one.place, said)
                    break
            else:
                self._compare_answers(was, old, function)

    def _compare_answers(self, was: Code, old: Node, function: Node) -> None:
        """Whether a handler told who waits for an answer, and only writes it down now."""
        from wardround_typescript.analysis.exception_handling import answered

        told = {called for called, _, tells in answered(was, old) if tells}
        now = list(answered(self.code, function)) if told else []
        told -= {called for called, _, tells in now if tells}
        for called, place, _ in now:
            if called in told and self.is_new(place, was):
                self.say(
                    place, f"who waits was told of a failure of {called}() before, and waits for ever now"
                )
                break
