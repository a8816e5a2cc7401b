from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import (
    ancestors,
    call_with,
    child,
    has_kind,
    is_kind,
    last_part,
    parent,
    siblings_after,
)

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_SPINE = ("call_expression", "member_expression", "subscript_expression")
_LEAVING = ("return_statement", "throw_statement", "break_statement", "continue_statement")
_ASSERTED = LazyPattern(r"(?i)^(?:\w+\.)*(?:assert\w*|invariant|expect|ensure\w*|is[A-Z]\w*|has[A-Z]\w*)$")
_READABLE = frozenset({*_SPINE, "identifier", "this"})
_ASSIGNMENTS = ("assignment_expression", "augmented_assignment_expression")
_ACCESSES = ("member_expression", "subscript_expression")


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
            if not is_kind(child(declarator, "name"), "identifier"):
                continue
            owner = self._optional_object(child(declarator, "value"))
            use = self._first_read(declarator, owner) if owner is not None else None
            if use is not None:
                self.report_node(
                    use, "value of the optional chain may be undefined here; test it or provide a default"
                )

    def _optional_object(self, value: Node | None) -> Node | None:
        """Return the object of the last question mark of a chain; None if its spine has none."""
        link = value
        while has_kind(link, _SPINE):
            owner = _owner(link)
            if child(link, "optional_chain") is not None:
                return owner if has_kind(owner, _READABLE) else None
            link = owner
        return None

    def _first_read(self, declarator: Node, owner: Node) -> Node | None:
        """Return the first unguarded field access of the value; None if a test precedes it."""
        from wardround.languages.script.code import function_around, is_tested

        function = function_around(declarator)
        if function is None:
            return None
        uses = list(self._uses(self.code.field(declarator, "name"), declarator, function))
        if any(is_tested(self.code, use) or self._is_settled(use) for use in uses):
            return None
        reads = self._unguarded_reads(uses)
        if not reads or self._is_known(owner, declarator, function):
            return None
        return min(reads, key=lambda use: use.start_byte)

    def _unguarded_reads(self, uses: list[Node]) -> list[Node]:
        from wardround.languages.script.code import within

        scopes = [scope for use in uses for scope in self._scopes_of_call(use)]
        reads = filter(self._is_read, uses)
        return [use for use in reads if not any(within([use], scope) for scope in scopes)]

    def _uses(self, name: str, declarator: Node, function: Node) -> Iterator[Node]:
        for node in self.code.occurrences(name):
            is_behind = declarator.end_byte < node.start_byte < function.end_byte
            if is_behind and self.code.declaration(name, node) == declarator:
                yield node

    def _is_read(self, node: Node) -> bool:
        """Return True if a field or the call of a value is accessed without a question mark."""
        access = node.parent
        if not is_kind(access, *_ACCESSES) or child(access, "object") != node:
            return False
        return child(access, "optional_chain") is None

    def _scopes_of_call(self, node: Node) -> Iterator[Node]:
        """Yield the code that runs only if an optional call on the value returns something truthy.

        The value is defined in the branch of a condition, the right operand of ``&&``, or, after an early
        exit, in the rest of the block.
        """
        inner = self._optional_call(node)
        for around in ancestors(inner):
            match around.type:
                case "unary_expression" if self.code.field(around, "operator") == "!":
                    yield from _statements_after_exit(around)
                    return
                case "if_statement" | "ternary_expression" | "while_statement":
                    yield from _branch(around, inner)
                    return
                case "binary_expression" if self.code.field(around, "operator") == "&&":
                    yield from _field(around, "right")
                case "parenthesized_expression":
                    pass
                case _:
                    return
            inner = around

    def _optional_call(self, node: Node) -> Node | None:
        """Return the chain of calls that begins with a node and a question mark."""
        if not has_kind(node.parent, _SPINE) or child(node.parent, "optional_chain") is None:
            return None
        inner, link = node, parent(node)
        while has_kind(link, _SPINE):
            if _owner(link) != inner:
                return None
            inner, link = link, link.parent
        return inner

    def _is_settled(self, node: Node) -> bool:
        """Return True if a node provides a default, reassigns the value, or passes it to a predicate."""
        around = node.parent
        if is_kind(around, *_ASSIGNMENTS):
            return child(around, "left") == node
        if is_kind(around, "binary_expression"):
            return self.code.field(around, "operator") in ("||", "??")
        call = call_with(node)
        return call is not None and _ASSERTED.search(self.code.callee(call)) is not None

    def _is_known(self, owner: Node, declarator: Node, function: Node) -> bool:
        """Return True if a condition of the function tests the same value, or its prefix, by itself."""
        from wardround.languages.script.code import is_tested

        start = _start(owner)
        if start is None:
            return False
        name = self.code.text(start)
        uses = self.code.kinds("this") if name == "this" else self.code.occurrences(name)
        before = (use for use in uses if function.start_byte < use.start_byte < declarator.start_byte)
        return any(is_tested(self.code, use) for use in before)


def _field(node: Node, name: str) -> Iterator[Node]:
    value = child(node, name)
    if value is not None:
        yield value


def _owner(link: Node) -> Node | None:
    """Return the expression on which a chain is continued: its callee or its object."""
    return child(link, "function") or child(link, "object")


def _start(chain: Node) -> Node | None:
    """Return the first name of a chain."""
    link: Node | None = chain
    while has_kind(link, _SPINE):
        link = _owner(link)
    return link


def _branch(statement: Node, condition: Node | None) -> Iterator[Node]:
    """Yield the code that runs if a node is the condition of a statement and true."""
    branch = child(statement, "consequence") or child(statement, "body")
    if branch is not None and child(statement, "condition") == condition:
        yield branch


def _statements_after_exit(negation: Node) -> Iterator[Node]:
    """Yield the statements after an ``if`` that leaves the block for a negated condition."""
    condition = negation.parent
    statement = parent(condition)
    if not is_kind(condition, "parenthesized_expression") or not is_kind(statement, "if_statement"):
        return
    branch = child(statement, "consequence")
    last = last_part(branch) if is_kind(branch, "statement_block") else branch
    if is_kind(last, *_LEAVING):
        yield from siblings_after(statement)
