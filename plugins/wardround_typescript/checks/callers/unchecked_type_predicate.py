from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
    """A function with the name of an assertion only returns a boolean.

    A caller that writes ``assertOwner(row)`` as a statement, as the name suggests, continues whatever the
    result is. Throw in the function, or name it as a predicate: ``isOwner``.
    """

    ID = "TS045"
    NAME = "unchecked-type-predicate"
    DEFECT_CLASS = "misleading-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("assert", "OrThrow", "OrFail", "throwIf", "throwUnless")
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            function assertOwner(row) {
              if (row.owner !== me) throw new Error('not yours');
              return true;
            }
        """),
        code("""
            const assertOpen = (row) => {
              invariant(row.open);
            };
            function isOpen(row) { return row.open; }
        """),
    ]
    INVALID = [
        code("""
            async function «assertOkResponse»(response) {
              return response.ok || response.status === 404;
            }
        """),
        code("""
            export const «assertOwner» = (row) => row.owner === me;
        """),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import FUNCTIONS

        code = self.code
        for function in code.kinds(*sorted(FUNCTIONS)):
            if _STOPS.search(code.name_of(function)) and self._only_returns_boolean(function):
                self.report_node(
                    self._name_node(function),
                    "function is named like an assertion but only returns a boolean; throw, or name "
                    "it as a predicate",
                )

    def _only_returns_boolean(self, function: Node) -> bool:
        from wardround.languages.script.code import bare, returned_expressions

        code = self.code
        body = function.child_by_field_name("body")
        if body is None or _STOPPING.search(code.text(body)):
            return False
        results = [value for value in map(bare, returned_expressions(function)) if value is not None]
        return bool(results) and all(
            result.type in _ANSWERS and _TRUTH.search(code.text(result)) is not None for result in results
        )

    def _name_node(self, function: Node) -> Node:
        own = function.child_by_field_name("name")
        holder = function.parent
        given = (
            holder.child_by_field_name("name") or holder.child_by_field_name("key")
            if holder is not None
            else None
        )
        return own or given or function
