"""TS405."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.before_after_check import BeforeCheck, functions_of

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_SEALED = (
    "export async function open(seal: string) {\n  try {\n    await verifySeal(seal);\n  } catch (error) {\n"
    "    console.warn(error);\n    throw new Error('broken seal');\n  }\n  return read(seal);\n}\n"
)
_CAUGHT = (
    "export async function open(seal: string) {\n"
    "  await verifySeal(seal).catch((error) => console.warn(error));\n  return read(seal);\n}\n"
)
_ANSWERED = (
    "export function save(req, res, next) {\n"
    "  shelf.put(req.body).then((row) => res.json(row)).catch((error) => {\n"
    "    console.warn(error);\n    next(error);\n  });\n}\n"
)
_KEPT = (
    "export async function open(row: Row) {\n  const seal = await sealOf(row).catch((error) => {\n"
    "    console.warn(error);\n    throw new Error('no seal');\n  });\n  return read(row, seal);\n}\n"
)


class NewlySwallowedError(BeforeCheck):
    """A failure stopped the function before this change; now it is written down and all goes on.

    What comes next was only meant for the case that the step succeeded, and runs now on what is missing or
    was refused. Throw again behind the log, or return.
    """

    ID = "TS405"
    NAME = "newly-swallowed-error"
    DEFECT_CLASS = "swallowed-error"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    WORDS = ("catch",)
    GONE = LazyPattern(r"\bthrow\b|\breturn\b|\breject\(|\bnext\(|\bexit\(|\bcatch\b")
    TRIED_ON = (
        "11,400 newest commits with scripts of documenso, excalidraw, formbricks, hoppscotch, "
        "langfuse and redash: no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_SEALED, path="a.ts"),
        Valid(_SEALED.replace("throw new Error('broken seal')", "throw error"), path="a.ts", base=_SEALED),
        Valid(_SEALED.replace("throw new Error('broken seal')", "return null"), path="a.ts", base=_SEALED),
        Valid(
            _CAUGHT.replace("console.warn(error)", "{\n    throw new Error('no');\n  }"),
            path="a.ts",
            base=_SEALED,
        ),
        Valid(_CAUGHT.replace("\n  return read(seal);", ""), path="a.ts", base=_SEALED),
        Valid(
            _SEALED.replace("    throw new Error('broken seal');\n", "    seal = await newSeal();\n"),
            path="a.ts",
            base=_SEALED,
        ),
        Valid(
            _KEPT.replace("    throw new Error('no seal');\n", "").replace(
                "return", "if (!seal) return null;\n  return"
            ),
            path="a.ts",
            base=_KEPT,
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_CAUGHT, line=2, column=9, path="a.ts", base=_SEALED),
        Invalid(
            _SEALED.replace("    throw new Error('broken seal');\n", ""),
            line=4,
            column=5,
            path="a.ts",
            base=_SEALED,
        ),
        Invalid(
            _SEALED.replace("    console.warn(error);\n    throw new Error('broken seal');\n", ""),
            line=4,
            column=5,
            path="a.ts",
            base=_SEALED,
        ),
        Invalid(_ANSWERED.replace("    next(error);\n", ""), line=2, column=3, path="a.js", base=_ANSWERED),
        Invalid(
            _KEPT.replace("    throw new Error('no seal');\n", ""), line=2, column=22, path="a.ts", base=_KEPT
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
