"""TS087: overwritten entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_KEYED = LazyPattern(r"^new (Map|WeakMap|Headers|URLSearchParams|FormData)\b")
_SET = LazyPattern(r"^new (Set|WeakSet)\b")
_KEYED_TYPE = LazyPattern(r"^:\s*(Map<|Headers\b|URLSearchParams\b|FormData\b)")
_SET_TYPE = LazyPattern(r"^:\s*Set<")
_WRITES = ("] = ", ".set(", ".add(")
_KEYS = frozenset({"string", "number", "identifier", "member_expression", "template_string"})


class OverwrittenEntry(TreeCheck):
    """Two consecutive assignments write the same entry, so the first value is lost.

    One of them was intended for another key: such lines are often copied.
    """

    ID = "TS087"
    NAME = "overwritten-entry"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "entry-overwritten"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = _WRITES
    CASE_PATH = "a.js"
    VALID = [
        code("""
            table['a'] = one;
            table['b'] = one;
        """),
        code("""
            table['a'] = one;
            table['a'] = wrap(table['a']);
        """),
    ]
    INVALID = [
        code("""
            table['a'] = one;
            table['b'] = one;
            «table['a'] = two;»
        """),
        code("""
            const colours = new Map();
            colours.set('in', green);
            «colours.set('in', red);»
        """),
    ]

    def _may_match(self, text: str) -> bool:
        return super()._may_match(text) and self._has_run()

    def _has_run(self) -> bool:
        """Return True if two writes are close enough to one another."""
        last = -3
        for number, line in enumerate(self.source.lines):
            if any(word in line for word in _WRITES) and not line.lstrip().startswith(
                ("const ", "let ", "var ")
            ):
                if number - last <= 2:
                    return True
                last = number
        return False

    def check(self) -> None:
        held = ""
        seen: set[str] = set()
        end: Node | None = None
        for statement in sorted(self.code.kinds("expression_statement"), key=lambda one: one.start_byte):
            written = self._written(statement)
            if written is None or not written[1]:
                held, seen = "", set()
                continue
            container, key, value = written
            if container != held or end is None or statement.prev_named_sibling != end:
                held, seen = container, set()
            end = statement
            if container in value or f"({container}" in value:
                seen = set()
            elif key in seen:
                self.report_node(
                    statement,
                    "entry is already assigned on the line above and overwritten here; correct the key",
                )
            seen.add(key)

    def _written(self, statement: Node) -> tuple[str, str, str] | None:
        """Return the target of a statement, the key, and the text of the value."""
        code = self.code
        node = statement.named_children[0] if statement.named_children else None
        if node is None:
            return None
        if node.type == "assignment_expression":
            left = node.child_by_field_name("left")
            key = left.child_by_field_name("index") if left is not None else None
            if left is None or left.type != "subscript_expression" or key is None or key.type not in _KEYS:
                return None
            return code.field(left, "object"), code.text(key), code.field(node, "right")
        return self._put(node) if node.type == "call_expression" else None

    def _put(self, call: Node) -> tuple[str, str, str] | None:
        code = self.code
        owner, _, method = code.called(call).rpartition(".")
        listed = call.child_by_field_name("arguments")
        given = listed.named_children if listed is not None else []
        if not given or given[0].type not in _KEYS or not owner:
            return None
        if method == "set" and len(given) == 2 and self._is(owner, call, _KEYED, _KEYED_TYPE):
            return owner, code.text(given[0]), code.text(given[1])
        if method == "add" and len(given) == 1 and self._is(owner, call, _SET, _SET_TYPE):
            return owner, code.text(given[0]), ""
        return None

    def _is(self, owner: str, at: Node, made: LazyPattern, kind: LazyPattern) -> bool:
        code = self.code
        declared = code.declaration(owner, at)
        if declared is None:
            return False
        value = declared.child_by_field_name("value")
        return (
            made.search(code.text(value)) is not None or kind.search(code.field(declared, "type")) is not None
        )
