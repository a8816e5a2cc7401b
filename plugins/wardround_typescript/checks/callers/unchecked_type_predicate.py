"""TS045."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_STOPS = LazyPattern(r"^(?:assert[A-Z]\w*|\w+OrThrow|\w+OrFail|throwIf[A-Z]\w*|throwUnless[A-Z]\w*)$")
_STOPPING = LazyPattern(
    r"(?i)\b(?:throw|assert\w*|invariant|reject|fail|panic|exit|expect|redirect|notFound|abort|never)\b|OrThrow|throwIf"
    r"|\.must\b|\berror\("
)
_TRUTH = LazyPattern(r"^(?:true|false|!|await )|(?:===?|!==?|<=?|>=?|&&|\|\|)")
_ANSWERS = ("binary_expression", "unary_expression", "true", "false")


class UncheckedTypePredicate(TreeCheck):
    """A function that is named like an assertion only answers yes or no.

    Whoever calls ``assertOwner(row)`` as a statement, as the name asks for, goes on whatever the answer
    is. Throw in it, or name it for the question it answers: ``isOwner``.
    """

    ID = "TS045"
    NAME = "unchecked-type-predicate"
    DEFECT_CLASS = "misleading-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("assert", "OrThrow", "OrFail", "throwIf", "throwUnless")
    TRIED_ON = (
        "the trees of hoppscotch, langfuse, formbricks, documenso (in part), redash, NodeBB, chatbot- "
        "ui, redux-toolkit, react-hook-form, TanStack/query, supabase/storage, lerna, chainlit and "
        "four Supabase starters (15,632 scripts): 4 hits, all read, all right"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "function assertOwner(row) {\n  if (row.owner !== me) throw new Error('not yours');\n"
            "  return true;\n}\n",
            path="a.ts",
        ),
        Valid(
            "const assertOpen = (row) => {\n  invariant(row.open);\n};\n"
            "function isOpen(row) { return row.open; }\n",
            path="a.ts",
        ),
        Valid("const userOrThrow = async (id) => orThrow(await find(id));\n", path="a.ts"),
        Valid(
            "function assertOk(answer) { return expect(answer.ok); }\n"
            "function assertive() { return true; }\n",
            path="a.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "async function assertOkResponse(response) {\n"
            "  return response.ok || response.status === 404;\n}\n",
            path="a.ts",
            line=1,
            column=16,
        ),
        Invalid("export const assertOwner = (row) => row.owner === me;\n", path="a.ts", line=1, column=14),
        Invalid(
            "class Rows {\n  assertOpen(row) {\n    if (!row.open) {\n      return false;\n    }\n"
            "    return true;\n  }\n}\n",
            path="a.js",
            line=2,
            column=3,
        ),
    ]

    def look(self) -> None:
        from wardround.languages.script.code import FUNCTIONS

        code = self.code
        for function in code.kinds(*sorted(FUNCTIONS)):
            if _STOPS.search(code.name_of(function)) and self._only_answers(function):
                self.say(
                    self._named(function),
                    "the name says that this stops what is wrong, and it only answers yes or no",
                )

    def _only_answers(self, function: Node) -> bool:
        from wardround.languages.script.code import bare, returned

        code = self.code
        body = function.child_by_field_name("body")
        if body is None or _STOPPING.search(code.text(body)):
            return False
        answers = [one for one in map(bare, returned(function)) if one is not None]
        return bool(answers) and all(
            one.type in _ANSWERS and _TRUTH.search(code.text(one)) is not None for one in answers
        )

    def _named(self, function: Node) -> Node:
        own = function.child_by_field_name("name")
        holder = function.parent
        given = (
            holder.child_by_field_name("name") or holder.child_by_field_name("key")
            if holder is not None
            else None
        )
        return own or given or function
