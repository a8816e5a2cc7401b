from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, first_part, is_kind, last_part, siblings_after

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_BACK = LazyPattern(r"^(cb|callback|done|next)$")
_ANSWER = LazyPattern(
    r"^(res|response|reply)(\.(status|code|type|set|header)\([^()]*\))*"
    r"\.(json|send|end|redirect|render|sendFile|sendStatus|download)$"
)
_LEAVING = frozenset({"return_statement", "throw_statement", "break_statement", "continue_statement"})
_STATEMENTS = ("expression_statement", "return_statement")


class DoubleResponse(TreeCheck):
    """A response is sent in a condition, and the code after it sends another one.

    The second response to a request throws ERR_HTTP_HEADERS_SENT, and a callback that is called twice runs
    its continuation twice, the second time without a result. Return after the first.
    """

    ID = "TS089"
    NAME = "double-response"
    DEFECT_CLASS = "answered-twice"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    WORDS = ("callback(", "cb(", "done(", "next(", "res.", "response.", "reply.")
    ALSO = (("if (", "if("),)
    CASE_PATH = "a.js"
    VALID = [
        code("""
            function load(cb) {
              if (bad) {
                return cb(bad);
              }
              cb(null, 1);
            }
        """),
        code("""
            function load(cb) {
              if (bad) {
                cb(bad);
              } else {
                cb(null, 1);
              }
            }
        """),
    ]
    INVALID = [
        code("""
            function load(cb) {
              read((err, text) => {
                if (err) {
                  «cb(err);»
                }
                cb(null, text);
              });
            }
        """),
        code("""
            app.get('/', async (req, res) => {
              if (!row) {
                «res.status(404).json({});»
              }
              res.json(row);
            });
        """),
    ]

    def check(self) -> None:
        for conditional in self.code.kinds("if_statement"):
            branch = child(conditional, "consequence")
            if branch is None or child(conditional, "alternative") is not None:
                continue
            last = last_part(branch) if branch.type == "statement_block" else branch
            if is_kind(last, "expression_statement") and self._is_repeated(last, conditional):
                self.report_node(last, "code after this sends a second response; return here")

    def _is_repeated(self, statement: Node, conditional: Node) -> bool:
        """Return True if a response is sent again behind the condition."""
        first = self._response_recipient(statement)
        if not first:
            return False
        return any(
            self._is_second(first, self._response_recipient(later))
            for later in self._following_statements(conditional)
        )

    def _following_statements(self, node: Node) -> Iterator[Node]:
        """Yield the statements that certainly follow in the same block."""
        if not is_kind(node.parent, "statement_block"):
            return
        for following in siblings_after(node):
            yield following
            if following.type in _LEAVING:
                return

    def _response_recipient(self, statement: Node) -> str:
        """Return the recipient of a statement: the name of a callback or of a response; empty for others."""
        value = first_part(statement) if statement.type in _STATEMENTS else None
        call = first_part(value) if is_kind(value, "await_expression") else value
        if not is_kind(call, "call_expression"):
            return ""
        name = _name_of_recipient(self.code.callee(call))
        is_variable = is_kind(self.code.declaration(name, call), "variable_declarator")
        return "" if is_variable else name

    def _is_second(self, first: str, second: str) -> bool:
        return first == second if first != "next" else second in ("next", "res", "response")


def _name_of_recipient(called: str) -> str:
    match = _ANSWER.search(called)
    if match is not None:
        return match[1]
    return called if _BACK.search(called) else ""
