"""TS089: double response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_BACK = LazyPattern(r"^(cb|callback|done|next)$")
_ANSWER = LazyPattern(
    r"^(res|response|reply)(\.(status|code|type|set|header)\([^()]*\))*"
    r"\.(json|send|end|redirect|render|sendFile|sendStatus|download)$"
)
_LEAVING = frozenset({"return_statement", "throw_statement", "break_statement", "continue_statement"})


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
        for node in self.code.kinds("if_statement"):
            then = node.child_by_field_name("consequence")
            if then is None or node.child_by_field_name("alternative") is not None:
                continue
            last = then.named_children[-1] if then.type == "statement_block" and then.named_children else then
            first = self._recipient(last) if last.type == "expression_statement" else ""
            if first and any(self._is_second(first, self._recipient(one)) for one in self._behind(node)):
                self.report_node(last, "code after this sends a second response; return here")

    def _behind(self, node: Node) -> Iterator[Node]:
        """Yield the statements that certainly follow in the same block."""
        if node.parent is None or node.parent.type != "statement_block":
            return
        following = node.next_named_sibling
        while following is not None:
            yield following
            if following.type in _LEAVING:
                return
            following = following.next_named_sibling

    def _recipient(self, statement: Node) -> str:
        """Return the recipient of a statement: the name of a callback or of a response; empty for others."""
        if statement.type not in ("expression_statement", "return_statement") or not statement.named_children:
            return ""
        call = statement.named_children[0]
        if call.type == "await_expression" and call.named_children:
            call = call.named_children[0]
        if call.type != "call_expression":
            return ""
        called = self.code.called(call)
        match = _ANSWER.search(called)
        name = match[1] if match is not None else called
        if match is None and _BACK.search(called) is None:
            return ""
        declared = self.code.declaration(name, call)
        return name if declared is None or declared.type != "variable_declarator" else ""

    def _is_second(self, first: str, second: str) -> bool:
        return first == second if first != "next" else second in ("next", "res", "response")
