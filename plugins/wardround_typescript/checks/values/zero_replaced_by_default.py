"""TS071: zero replaced by default."""

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

_CHOICE = LazyPattern(
    r"^(max|min)[A-Z]|(?i:(limit|threshold|delay|retr(y|ies)|discount|price|amount"
    r"|rate|percent(age)?|offset|quantity|score|weight"
    r"|opacity|volume|balance|tax|fee|margin|padding|gap|priority|ttl|stock|budget"
    r"|uses|attempts|credits|timeout|rounds|minutes"
    r"|seconds|hours|days|surcharge|tolerance|position)$)"
)
_CONSTANT = LazyPattern(
    r"^[A-Z][A-Z0-9_]*$|\.[A-Z][A-Z0-9_]+$|^(\w+\.)?(default|fallback)[A-Z]\w*$"
    r"|^(defaults?|fallbacks?)\.\w+$"
)
_NUMBER_TYPE = LazyPattern(
    r"^\??:\s*(number|number \| null|number \| undefined|null \| number|undefined \| number)"
    r"$"
)
_NO_ZERO = LazyPattern(r"^0(\.0+)?$")


class ZeroReplacedByDefault(TreeCheck):
    """``||`` replaces a zero that was set explicitly.

    ``||`` takes its right operand for every falsy value, 0 included. Use ``??``, which tests only for null
    and undefined.
    """

    ID = "TS071"
    NAME = "zero-replaced-by-default"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "falsy-default"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("||",)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            interface Rule { discount?: number; name?: string }
            const a = rule.discount ?? other.discount ?? 5;
            const b = rule.name || 'x';
        """),
        code("""
            interface Rule { discount?: number }
            const a = rule.discount || other.discount || 0;
        """),
    ]
    INVALID = [
        code("""
            interface Rule { discountPercent?: number }
            const percent = «shop.discountPercent || group.discountPercent || FIVE»;
        """),
        code("""
            function wait(delay: number | undefined) {
              return sleep(«delay || 500»);
            }
        """),
    ]

    def check(self) -> None:
        code = self.code
        for node in code.kinds("binary_expression"):
            if code.field(node, "operator") != "||" or (
                node.parent is not None and code.field(node.parent, "operator") == "||"
            ):
                continue
            terms = list(_terms(node))
            last = terms[-1]
            if not self._is_default(last):
                continue
            if any(self._is_number(term, node) for term in terms[:-1]):
                self.report_node(node, "a zero is replaced by the default; use ??")

    def _is_default(self, node: Node) -> bool:
        text = self.code.text(node)
        if node.type == "number":
            return not _NO_ZERO.search(text)
        return node.type in ("identifier", "member_expression") and _CONSTANT.search(text) is not None

    def _is_number(self, term: Node, whole: Node) -> bool:
        code = self.code
        if term.type == "identifier":
            declaration = code.declaration(code.text(term), term)
            typed = (
                code.field(declaration, "type")
                if declaration is not None and declaration.type.endswith("parameter")
                else ""
            )
            return _is_choice(code.text(term)) and _NUMBER_TYPE.search(typed) is not None
        if term.type != "member_expression" or not _is_choice(code.field(term, "property")):
            return False
        name = code.field(term, "property")
        declared = [one for one in code.kinds("property_signature") if code.field(one, "name") == name]
        if declared:
            return all(_NUMBER_TYPE.search(code.field(one, "type")) for one in declared)
        return self._has_careful_sibling(whole)

    def _has_careful_sibling(self, whole: Node) -> bool:
        """Return True if other fields of the same object use ``??``: the difference is intentional."""
        pair = whole.parent
        held = pair.parent if pair is not None and pair.type == "pair" else None
        if held is None:
            return False
        return any(
            self.code.field(one.child_by_field_name("value"), "operator") == "??"
            for one in held.named_children
            if one.type == "pair"
        )


def _is_choice(name: str) -> bool:
    return _CHOICE.search(name) is not None


def _terms(node: Node) -> Iterator[Node]:
    """Return the operands of a chain of ``||``, from left to right."""
    if node.type == "parenthesized_expression" and node.named_children:
        yield from _terms(node.named_children[0])
        return
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if (
        node.type == "binary_expression"
        and operator is not None
        and operator.type == "||"
        and left is not None
        and right is not None
    ):
        yield from _terms(left)
        yield from _terms(right)
    else:
        yield node
