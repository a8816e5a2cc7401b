from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PLACE = LazyPattern(r"\.(indexOf|findIndex|lastIndexOf|findLastIndex|search|localeCompare)$")
_TESTED = frozenset({"if_statement", "while_statement", "do_statement"})


class IndexOfTruthiness(TreeCheck):
    """An index is used as a boolean.

    These methods return 0 for the first position, which is falsy, and -1 for no match, which is truthy.
    Compare with -1, or use ``includes``, ``some`` or ``test``.
    """

    ID = "TS073"
    NAME = "index-of-truthiness"
    DEFECT_CLASS = "off-by-one"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("indexOf(", "findIndex(", "astIndex", ".search(", "localeCompare(")
    IN_TESTS = True
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            if (rows.indexOf(row) !== -1) stop();
            if (~rows.indexOf(row)) go();
            rows.sort((a, b) => a.localeCompare(b) || a.n - b.n);
        """),
        code("""
            if (api.search(text)) show();
            const at = rows.findIndex(isOpen);
            if (at >= 0) stop();
        """),
    ]
    INVALID = [
        code("""
            if («rows.indexOf(row)») stop();
        """),
        code("""
            const isNew = !«names.indexOf(name)»;
        """),
    ]

    def check(self) -> None:
        code = self.code
        for called, call in code.calls:
            if not _PLACE.search(called) or self._is_other(called, call):
                continue
            if self._is_tested(call):
                self.report_node(
                    call, "0 is the first position and falsy, -1 is no match and truthy; compare with -1"
                )
            declarator = call.parent
            if declarator is not None and declarator.type == "variable_declarator":
                for use in self._uses(code.field(declarator, "name"), declarator):
                    self.report_node(
                        use, "0 is the first position and falsy, -1 is no match and truthy; compare with -1"
                    )

    def _is_other(self, called: str, call: Node) -> bool:
        """Clients have methods named ``search`` too, and ``||`` after ``localeCompare`` chains sort keys."""
        if called.endswith(".search"):
            arguments = self.code.field(call, "arguments")
            return not arguments.startswith("(/")
        return called.endswith(".localeCompare") and not self._is_condition(call)

    def _uses(self, name: str, declarator: Node) -> Iterator[Node]:
        code = self.code
        if not name.isidentifier():
            return
        for node in code.kinds("identifier"):
            if (
                code.text(node) == name
                and self._is_tested(node)
                and code.declaration(name, node) == declarator
            ):
                yield node

    def _is_tested(self, node: Node) -> bool:
        above = node.parent
        if above is not None and above.type == "unary_expression":
            return self.code.field(above, "operator") == "!"
        return self._is_condition(node)

    def _is_condition(self, node: Node) -> bool:
        inner, above = node, node.parent
        while above is not None and (
            above.type == "parenthesized_expression"
            or (above.type == "binary_expression" and self.code.field(above, "operator") in ("&&", "||"))
        ):
            if (
                above.type == "parenthesized_expression"
                and above.parent is not None
                and above.parent.type in _TESTED
            ):
                return True
            inner, above = above, above.parent
        return (
            above is not None
            and above.type == "ternary_expression"
            and above.child_by_field_name("condition") == inner
        )
