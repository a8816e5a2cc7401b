from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import ancestors, child, first_part

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_REQUESTS = LazyPattern(
    r"^(fetch|download|upload|request)[A-Z]\w*$|^(axios|prisma|db|apiClient|httpClient"
    r"|http|this\.(http|httpClient|prisma|db))(\.\w+)+$"
)
_NO_REQUEST = LazyPattern(r"(?i)\.(create|isAxiosError|isCancel|toJSON|requestId)$")
_HANDLERS = frozenset({"catch_clause", "finally_clause"})
_CHAINED = (".catch", ".then", ".finally")


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
        for statement in self.code.kinds("return_statement"):
            value = first_part(statement)
            if value is None or not self._is_caught(statement):
                continue
            if any(map(self._is_promise, _results(value))):
                self.report_node(
                    statement, "this catch never handles a failure of the returned promise; use return await"
                )

    def _is_caught(self, node: Node) -> bool:
        """Return True if the node is in a ``try`` with a ``catch``, in an async function."""
        from wardround.languages.script.code import FUNCTIONS, is_async

        inner, caught = node, False
        for around in ancestors(node):
            if around.type in FUNCTIONS:
                return caught and is_async(around)
            if around.type in _HANDLERS:
                return False
            caught = caught or _is_try_around(around, inner)
            inner = around
        return False

    def _is_promise(self, node: Node) -> bool:
        from wardround.languages.script.code import is_awaited
        from wardround_typescript.analysis.promises import returns_promise

        if node.type != "call_expression" or is_awaited(node):
            return False
        if returns_promise(self.code, node, self.source.project):
            return True
        return self._is_request(self.code.callee(node))

    def _is_request(self, called: str) -> bool:
        if not _REQUESTS.search(called) or _NO_REQUEST.search(called) or called.endswith(_CHAINED):
            return False
        head = called.partition(".")[0]
        return head in ("this", "axios") or head in self.code.imports


def _is_try_around(node: Node, inner: Node) -> bool:
    """Return True for a ``try`` with a ``catch`` whose body is another node."""
    if node.type != "try_statement" or child(node, "handler") is None:
        return False
    return child(node, "body") == inner


def _results(node: Node | None) -> Iterator[Node]:
    """Yield the returned expression, or the branches of a conditional expression."""
    from wardround.languages.script.code import bare

    value = bare(node)
    if value is None:
        return
    if value.type == "ternary_expression":
        yield from _results(child(value, "consequence"))
        yield from _results(child(value, "alternative"))
    else:
        yield value
