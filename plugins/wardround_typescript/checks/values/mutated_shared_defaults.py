"""TS078: mutated shared defaults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_SHARED = LazyPattern(
    r"(?i)^(default\w*|\w*defaults?|initial\w*|base\w*|empty\w*|template\w*)$"
    r"|(?-i:^[A-Z][A-Z0-9_]+$)"
)
_CHANGING = frozenset({"push", "splice", "unshift", "pop", "shift", "sort", "reverse"})
_KEPT = LazyPattern(
    r"(?i)cache|registry|store|queue|pool|listeners|subscribers|handlers|pending"
    r"|seen"
)
_MERGES = frozenset({"Object.assign", "_.merge", "_.extend", "merge", "extend", "deepmerge.all", "$.extend"})


class MutatedSharedDefaults(TreeCheck):
    """Shared defaults are mutated.

    The object is created once, when the module is loaded, so every later caller sees the change. Create a new
    object first, as in ``{ ...DEFAULTS, ...options }``, or copy the list.
    """

    ID = "TS078"
    NAME = "mutated-shared-defaults"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "shared-object"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (
        "Object.assign(",
        "merge(",
        "extend(",
        ".push(",
        ".sort(",
        ".reverse(",
        ".splice(",
        "] = ",
        "defaults",
        "DEFAULT",
        "Default",
    )
    ALSO = (("efault", "DEFAULT", "nitial", "INITIAL", "BASE", "EMPTY", "base", "empty", "template", "_"),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const DEFAULTS = { size: 1 };
            export const options = (own) => Object.assign({}, DEFAULTS, own);
        """),
        code("""
            const DEFAULTS = { size: 1 };
            Object.assign(DEFAULTS, fromFile());
            function f() {
              const DEFAULTS = {};
              Object.assign(DEFAULTS, x);
            }
        """),
    ]
    INVALID = [
        code("""
            const DEFAULTS = { size: 1 };
            export const options = (own) => «Object.assign(DEFAULTS, own)»;
        """),
        code(
            """
            const defaultColumns = ['a'];
            export function columns(own) {
              «defaultColumns.push(...own)»;
              return defaultColumns;
            }
            """,
            path="a.js",
        ),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import function_around

        for node in [*self._mutating_calls(), *self._assignments()]:
            if function_around(node) is not None:
                self.report_node(node, "shared defaults are mutated for every later caller; copy them first")

    def _mutating_calls(self) -> Iterator[Node]:
        from wardround.languages.script.code import argument

        for called, call in self.code.calls:
            target: Node | None = None
            if called in _MERGES:
                target = argument(call, 0) if argument(call, 1) is not None else None
            elif called.rpartition(".")[2] in _CHANGING:
                owner = call.child_by_field_name("function")
                target = owner.child_by_field_name("object") if owner is not None else None
            if target is not None and self._is_shared(target):
                yield call

    def _assignments(self) -> Iterator[Node]:
        for node in self.code.kinds("assignment_expression"):
            left = node.child_by_field_name("left")
            if left is None or left.type not in ("member_expression", "subscript_expression"):
                continue
            target = left.child_by_field_name("object")
            if target is not None and self._is_shared(target) and self._is_returned(node):
                yield node

    def _is_shared(self, held: Node) -> bool:
        """Return True if a name refers to an object or a list of the module with the name of a default."""
        from wardround.languages.script.code import function_around

        code = self.code
        if held.type != "identifier":
            return False
        name = code.text(held)
        declaration, value = code.declaration(name, held), code.value_of(name, held)
        if (
            value is not None
            and value.type == "identifier"
            and declaration is not None
            and function_around(declaration) is not None
        ):
            return self._is_shared(value)
        if declaration is None or value is None or function_around(declaration) is not None:
            return False
        if (
            not _SHARED.search(name)
            or _KEPT.search(name)
            or (value.type == "array" and not value.named_children)
        ):
            return False
        return value.type in ("object", "array") and bool(value.named_children)

    def _is_returned(self, node: Node) -> bool:
        """Return True if the function also returns the object: an intentional setter of module state."""
        from wardround.languages.script.code import function_around, returned

        code = self.code
        function = function_around(node)
        left = node.child_by_field_name("left")
        name = code.field(left, "object")
        return function is not None and any(code.text(one) == name for one in returned(function))
