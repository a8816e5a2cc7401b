"""TS355: query parameter type confusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PART = LazyPattern(
    r"^(req|request|ctx|ctx\.request)\.query\.(\w+)(\s*(\|\||\?\?)\s*['\"`][^'\"`]*['\"`])?(\s+as\s+string)?$"
)
_WHOLE = LazyPattern(r"^(req|request|ctx|ctx\.request)\.query$")
_LOOKS = LazyPattern(r"\.(indexOf|includes|length)$")
_CHECKED = LazyPattern(
    r"isArray\(|typeof\b|(?i:schema|zod|joi|celebrate|validat|checkSchema|express-openapi)|\.schema\b"
)


class QueryParameterTypeConfusion(TreeCheck):
    """A query parameter is treated as a string, but a client can send a list.

    ``?text=a&text=b`` yields a list, for which ``includes`` compares elements and ``length`` counts them, so
    the test accepts what it should reject. Test with ``typeof`` first, or validate the query with a schema.
    """

    ID = "TS355"
    NAME = "query-parameter-type-confusion"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "type-confusion"
    WORDS = (".query",)
    ALSO = (("indexOf", "includes", ".length"),)
    VALID = [
        code("""
            app.get('/s', (req, res) => {
              const text = req.query.text;
              if (typeof text !== 'string' || text.includes('<')) return res.status(400).end();
              res.json(find(text));
            });
        """),
        code("""
            app.get('/s', (req, res) => {
              const text = String(req.query.text);
              if (text.length > 100) return res.status(400).end();
              res.json(find(text));
            });
        """),
    ]
    INVALID = [
        code("""
            app.get('/s', (req, res) => {
              const text = req.query.text || '';
              if («text.indexOf»('http://') !== -1) return res.status(400).end();
              res.json(post(text));
            });
        """),
        code("""
            app.get('/s', (req, res) => {
              const { text } = req.query;
              if («text.length» > 100) {
                return res.status(400).end();
              }
              res.json(post(text));
            });
        """),
    ]

    def check(self) -> None:
        for node in self.code.kinds("if_statement"):
            test, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
            if test is None or then is None or not self._leaves(then):
                continue
            function = self.reader.function_around(node)
            if function is None or _CHECKED.search(self.text(function.parent or function)):
                continue
            place = self._looked_at(test)
            if place is not None:
                self.report_node(
                    place, "query parameter may be a list, which bypasses this test; check its type first"
                )

    def _leaves(self, node: Node) -> bool:
        last = node.named_children[-1] if node.type == "statement_block" and node.named_children else node
        return last.type in {"return_statement", "throw_statement"}

    def _looked_at(self, test: Node) -> Node | None:
        from wardround.languages.script.syntax import inside

        for one in inside(test):
            if one.type != "member_expression" or not _LOOKS.search(self.text(one)):
                continue
            owner = one.child_by_field_name("object")
            if owner is None or not self._is_parameter(owner):
                continue
            compared = one.parent
            if self.text(one).endswith(".length"):
                sign = self.text(compared.child_by_field_name("operator")) if compared is not None else ""
                return one if sign in {">", ">="} else None
            return one
        return None

    def _is_parameter(self, node: Node) -> bool:
        from wardround.languages.script.code import bare

        inner = bare(node)
        if inner is None:
            return False
        if _PART.search(self.text(inner)):
            return True
        if inner.type != "identifier":
            return False
        declared = self.code.declaration(self.text(inner), inner)
        value = declared.child_by_field_name("value") if declared is not None else None
        name = declared.child_by_field_name("name") if declared is not None else None
        if value is None or name is None:
            return False
        pattern = _WHOLE if name.type == "object_pattern" else _PART
        return pattern.search(self.text(value)) is not None
