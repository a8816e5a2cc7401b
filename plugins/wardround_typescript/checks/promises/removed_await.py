from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.before_after import base_code, functions_of, is_touched
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import ancestors, child, first_part, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_TAKEN = LazyPattern(r"\.(?:then|catch|finally|unref)$")
_REMOVED = LazyPattern(r"\bawait\b")


class RemovedAwait(TreeCheck):
    """The ``await`` of a call is removed by this change.

    The following code runs before the call is done, and its failure is unhandled: meanwhile the response is
    sent, the transaction is closed or the process ends. Await it again; to run it in the background, write
    ``void`` and handle its failure with ``catch``.
    """

    ID = "TS404"
    NAME = "removed-await"
    DEFECT_CLASS = "floating-promise"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("async",)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            export async function move(row: Row) {
              await shelf.drop(row.id);
              await shelf.put(row);
              return row;
            }
        """),
        code(
            """
            export async function move(row: Row) {
              await shelf.drop(row.id);
              void shelf.put(row);
              return row;
            }
            """,
            base="""
            export async function move(row: Row) {
              await shelf.drop(row.id);
              await shelf.put(row);
              return row;
            }
            """,
        ),
    ]
    INVALID = [
        code(
            """
            export async function move(row: Row) {
              await shelf.drop(row.id);
              «shelf.put(row)»;
              return row;
            }
            """,
            base="""
            export async function move(row: Row) {
              await shelf.drop(row.id);
              await shelf.put(row);
              return row;
            }
            """,
        ),
        code(
            """
            export async function move(row: Row) {
              «shelf.drop(row.id, true)»;
              await shelf.put(row);
              return row;
            }
            """,
            base="""
            export async function move(row: Row) {
              await shelf.drop(row.id);
              await shelf.put(row);
              return row;
            }
            """,
        ),
    ]

    def check(self) -> None:
        base = base_code(self.source, _REMOVED)
        if base is not None:
            self._compare(base)

    def _compare(self, base: Code) -> None:
        from wardround.languages.script.code import is_async

        before = functions_of(base)
        for name, function in functions_of(self.code).items():
            old = before.get(name)
            if old is None or not is_async(function) or not is_touched(self.source, function):
                continue
            for called, call in self._calls_without_former_await(base, old, function):
                self.report_node(
                    call,
                    f"{called}() is no longer awaited since this change; await it, or write void and catch",
                )

    def _calls_without_former_await(
        self, base: Code, old: Node, function: Node
    ) -> Iterator[tuple[str, Node]]:
        """Yield the calls of a function that it awaited before, each with its callee."""
        lost = set(_awaited_calls(base, old)).difference(_awaited_calls(self.code, function))
        if not lost:
            return
        lost -= {base.callee(call) for call in _discarded_calls(old)}
        for call in _discarded_calls(function) if lost else ():
            called = self.code.callee(call)
            if called not in lost or not is_touched(self.source, call):
                continue
            if not self._is_synchronous(base, called):
                yield called, call

    def _is_synchronous(self, base: Code, called: str) -> bool:
        """Return True if the called function, if it is in the file, became synchronous."""
        from wardround.languages.script.code import is_async

        own = called.rpartition(".")[2]
        before, current = functions_of(base), functions_of(self.code)
        for name, function in current.items():
            if name.rpartition(".")[2] == own and name in before:
                return is_async(before[name]) and not is_async(function)
        return _TAKEN.search(called) is not None or self._is_plain_elsewhere(called)

    def _is_plain_elsewhere(self, called: str) -> bool:
        """Return True if the called function is in another file and returns no promise."""
        from wardround.languages.script.code import code_of
        from wardround_typescript.analysis.call_resolution import origin
        from wardround_typescript.analysis.promises import function_returns_promise
        from wardround_typescript.analysis.resolved_scripts import script_of

        script = script_of(self.source.path, self.source.text)
        found = origin(called, script, self.source.project) if called in self.code.imports else None
        if found is None:
            return False
        other, name = found
        there = code_of(other.path, other.text)
        function = there.function_of(name, there.module.root)
        return function is not None and not function_returns_promise(there, function)


def _awaited_calls(code: Code, function: Node) -> Iterator[str]:
    """Yield the callees that a function awaits, also those listed in ``Promise.all``."""
    from wardround.languages.script.code import awaited_call, own_nodes

    for node in own_nodes(function):
        call = awaited_call(node)
        if call is None:
            continue
        yield code.callee(call)
        mapped = _mapped_callee(code, call)
        if mapped.endswith(".map"):
            yield mapped
            yield f"{mapped.removesuffix('map')}forEach"


def _mapped_callee(code: Code, call: Node) -> str:
    """Return the callee in ``Promise.all(rows.map(save))``."""
    from wardround.languages.script.code import argument, bare

    if not code.callee(call).startswith("Promise.all"):
        return ""
    inner = bare(argument(call, 0))
    return code.callee(inner) if is_kind(inner, "call_expression") else ""


def _discarded_calls(function: Node) -> Iterator[Node]:
    """Yield the calls that are statements of a function, or are returned past a ``catch``."""
    from wardround.languages.script.code import is_awaited, own_nodes

    for node in own_nodes(function):
        is_unused = node.type == "expression_statement" or _is_returned_past(node)
        value = first_part(node) if is_unused else None
        if is_kind(value, "call_expression") and not is_awaited(value):
            yield value


def _is_returned_past(node: Node) -> bool:
    return node.type == "return_statement" and bool(node.named_children) and _is_tried(node)


def _is_tried(node: Node) -> bool:
    """Return True if a statement is in the body of a ``try`` of its function with a ``catch``."""
    inner = node
    for around in ancestors(node):
        if around.type in ("program", "class_body", "method_definition") or "function" in around.type:
            return False
        if around.type == "try_statement" and child(around, "body") == inner:
            return child(around, "handler") is not None
        inner = around
    return False
