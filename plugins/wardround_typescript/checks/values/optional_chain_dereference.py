"""TS036: optional chain dereference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_SPINE = ("call_expression", "member_expression", "subscript_expression")
_LEAVING = ("return_statement", "throw_statement", "break_statement", "continue_statement")
_ASSERTED = LazyPattern(r"(?i)^(?:\w+\.)*(?:assert\w*|invariant|expect|ensure\w*|is[A-Z]\w*|has[A-Z]\w*)$")


class OptionalChainDereference(TreeCheck):
    """A value of an optional chain is dereferenced without a test.

    Either the chain can be undefined, and this line throws; or it cannot, and the question mark is
    misleading. Return early if the value is missing, or provide a default with ``??``.
    """

    ID = "TS036"
    NAME = "optional-chain-dereference"
    DEFECT_CLASS = "unsafe-optional-chain"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("?.",)
    ALSO = (("const ", "let ", "var "),)
    CASE_PATH = "a.ts"
    VALID = [
        code(
            """
            function f(p) {
              const name = p.match(PART)?.[1];
              if (!name) return false;
              return name.startsWith('@');
            }
            """,
            path="a.js",
        ),
        code("""
            function f(p) {
              const name = p?.name ?? '';
              const rest = p?.rest;
              return rest?.length || name.length || (rest && rest.size);
            }
        """),
    ]
    INVALID = [
        code(
            """
            function f(p) {
              const name = p.match(PART)?.[1];
              return «name».startsWith('@');
            }
            """,
            path="a.js",
        ),
        code(
            """
            const f = (rows, id) => {
              const row = rows?.find((one) => one.id === id);
              show(«row».name, row?.size);
            };
            """,
            path="a.js",
        ),
    ]

    def check(self) -> None:
        for declarator in self.code.kinds("variable_declarator"):
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if name is None or value is None or name.type != "identifier":
                continue
            tests = self._is_tested(value)
            use = self._trusting(declarator, tests) if tests is not None else None
            if use is not None:
                self.report_node(
                    use, "value of the optional chain may be undefined here; test it or provide a default"
                )

    def _is_tested(self, value: Node) -> Node | None:
        """Return the object of the last question mark of a chain; None if its spine has none."""
        node: Node | None = value
        while node is not None and node.type in _SPINE:
            inner = node.child_by_field_name("function") or node.child_by_field_name("object")
            if node.child_by_field_name("optional_chain") is not None:
                return inner if inner is not None and inner.type in (*_SPINE, "identifier", "this") else None
            node = inner
        return None

    def _trusting(self, declarator: Node, asked: Node) -> Node | None:
        """Return the first unguarded field access of the value; None if a test precedes it."""
        from wardround.languages.script.code import function_around, is_tested, within

        code = self.code
        function = function_around(declarator)
        if function is None:
            return None
        uses = list(self._uses(code.field(declarator, "name"), declarator, function))
        if any(is_tested(code, use) or self._is_settled(use) for use in uses):
            return None
        scopes = [scope for use in uses for scope in self._scopes_of_call(use)]
        trusting = [use for use in uses if self._is_read(use) and not any(within([use], s) for s in scopes)]
        if not trusting:
            return None
        if self._is_known(asked, declarator, function):
            return None
        return min(trusting, key=lambda use: use.start_byte)

    def _uses(self, name: str, declarator: Node, function: Node) -> Iterator[Node]:
        code = self.code
        for node in code.named(name):
            is_behind = declarator.end_byte < node.start_byte < function.end_byte
            if is_behind and code.declaration(name, node) == declarator:
                yield node

    def _is_read(self, node: Node) -> bool:
        """Return True if a field or the call of a value is accessed without a question mark."""
        above = node.parent
        return (
            above is not None
            and above.type in ("member_expression", "subscript_expression")
            and above.child_by_field_name("object") == node
            and above.child_by_field_name("optional_chain") is None
        )

    def _scopes_of_call(self, node: Node) -> Iterator[Node]:
        """Yield the code that runs only if an optional call on the value returns something truthy.

        The value is defined there: in the branch of a condition, the right side of ``&&``, or, after an early
        exit, in the rest of the block.
        """
        called = self._optional_call(node)
        above = called.parent if called is not None else None
        while called is not None and above is not None:
            if above.type == "unary_expression" and self.code.field(above, "operator") == "!":
                yield from _behind_exit(above)
                return
            if above.type in ("if_statement", "ternary_expression", "while_statement"):
                branch = above.child_by_field_name("consequence") or above.child_by_field_name("body")
                if above.child_by_field_name("condition") == called and branch is not None:
                    yield branch
                return
            if above.type == "binary_expression" and self.code.field(above, "operator") == "&&":
                right = above.child_by_field_name("right")
                if right is not None:
                    yield right
            elif above.type != "parenthesized_expression":
                return
            called, above = above, above.parent

    def _optional_call(self, node: Node) -> Node | None:
        """Return the chain of calls that begins with a node and a question mark."""
        above, inner = node.parent, node
        if above is None or above.type not in _SPINE or above.child_by_field_name("optional_chain") is None:
            return None
        while above is not None and above.type in _SPINE:
            start = above.child_by_field_name("function") or above.child_by_field_name("object")
            if start != inner:
                return None
            inner, above = above, above.parent
        return inner

    def _is_settled(self, node: Node) -> bool:
        """Return True if a node provides a default, reassigns the value, or passes it to a predicate."""
        above = node.parent
        if above is None:
            return False
        if above.type in ("assignment_expression", "augmented_assignment_expression"):
            return above.child_by_field_name("left") == node
        if above.type == "binary_expression":
            return self.code.field(above, "operator") in ("||", "??")
        call = above.parent if above.type == "arguments" else None
        return call is not None and _ASSERTED.search(self.code.called(call)) is not None

    def _is_known(self, asked: Node, declarator: Node, function: Node) -> bool:
        """Return True if a condition of the function tests the same value, or its prefix, by itself."""
        from wardround.languages.script.code import is_tested

        code = self.code
        start = asked
        while start.type in _SPINE:
            inner = start.child_by_field_name("function") or start.child_by_field_name("object")
            if inner is None:
                return False
            start = inner
        name = code.text(start)
        return any(
            function.start_byte < node.start_byte < declarator.start_byte and is_tested(code, node)
            for node in (code.named(name) if name != "this" else code.kinds("this"))
        )


def _behind_exit(negation: Node) -> Iterator[Node]:
    """Yield the statements after an ``if`` that leaves the block for a negated condition."""
    condition = negation.parent
    statement = condition.parent if condition is not None else None
    if condition is None or condition.type != "parenthesized_expression":
        return
    if statement is None or statement.type != "if_statement":
        return
    branch = statement.child_by_field_name("consequence")
    last = branch.named_children[-1] if branch is not None and branch.named_children else None
    left = last if branch is not None and branch.type == "statement_block" else branch
    if left is None or left.type not in _LEAVING:
        return
    following = statement.next_named_sibling
    while following is not None:
        yield following
        following = following.next_named_sibling
