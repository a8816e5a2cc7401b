"""TS064: missing return await."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_REQUESTS = LazyPattern(
    r"^(fetch|download|upload|request)[A-Z]\w*$|^(axios|prisma|db|apiClient|httpClient"
    r"|http|this\.(http|httpClient|prisma|db))(\.\w+)+$"
)
_NO_REQUEST = LazyPattern(r"(?i)\.(create|isAxiosError|isCancel|toJSON|requestId)$")


class MissingReturnAwait(TreeCheck):
    """A promise is returned from ``try`` without ``await``, so ``catch`` never handles its failure.

    ``return`` passes the promise on and leaves the ``try`` at once; it fails later, in the caller. Write
    ``return await``.
    """

    ID = "TS064"
    NAME = "missing-return-await"
    DEFECT_CLASS = "unhandled-rejection"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = SCRIPTS
    WORDS = ("catch",)
    ALSO = (("async",), ("try",))
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            async function find() {}
            async function load() {
              try {
                return await find();
              } catch {
                return null;
              }
            }
        """),
        code("""
            function parse() {}
            async function load() {
              try {
                return parse();
              } catch {
                return find();
              }
            }
        """),
    ]
    INVALID = [
        code("""
            function find(): Promise<Place> {
              return new Promise((done) => ask(done));
            }
            export async function load() {
              try {
                «return find();»
              } catch {
                return null;
              }
            }
        """),
        code("""
            import { downloadRows } from 'rows';
            export async function load() {
              try {
                «return downloadRows({ all: true });»
              } catch (error) {
                return [];
              }
            }
        """),
    ]

    def check(self) -> None:
        for node in self.code.kinds("return_statement"):
            if (
                node.named_children
                and self._is_caught(node)
                and any(self._is_promise(one) for one in _results(node.named_children[0]))
            ):
                self.report_node(
                    node,
                    "this catch never handles a failure of the returned promise; use return await",
                )

    def _is_caught(self, node: Node) -> bool:
        """Return True if the node is in a ``try`` with a ``catch``, in an async function."""
        from wardround.languages.script.code import FUNCTIONS, is_async

        within, above, caught = node, node.parent, False
        while above is not None and above.type not in FUNCTIONS:
            if above.type == "catch_clause" or above.type == "finally_clause":
                return False
            if above.type == "try_statement" and not caught:
                body = above.child_by_field_name("body")
                caught = (
                    above.child_by_field_name("handler") is not None
                    and body is not None
                    and body.id == within.id
                )
            within, above = above, above.parent
        return caught and above is not None and is_async(above)

    def _is_promise(self, node: Node) -> bool:
        from wardround.languages.script.code import is_awaited
        from wardround_typescript.analysis.promises import gives_promise

        if node.type != "call_expression" or is_awaited(node):
            return False
        called = self.code.called(node)
        if gives_promise(self.code, node, self.source.project):
            return True
        if _NO_REQUEST.search(called) or called.endswith((".catch", ".then", ".finally")):
            return False
        head = called.partition(".")[0]
        return _REQUESTS.search(called) is not None and (
            head in self.code.imports or head in ("this", "axios")
        )


def _results(node: Node) -> list[Node]:
    """Yield the returned expression, or the branches of a conditional expression."""
    from wardround.languages.script.code import bare

    one = bare(node)
    if one is None:
        return []
    if one.type == "ternary_expression":
        operands = (one.child_by_field_name("consequence"), one.child_by_field_name("alternative"))
        return [inner for side in operands if side is not None for inner in _results(side)]
    return [one]
