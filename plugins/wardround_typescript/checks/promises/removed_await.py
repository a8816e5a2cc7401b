"""TS404: removed await."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.before_after import base_code, functions_of, is_touched
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

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
            lost = set(_awaited(base, old)) - set(_awaited(self.code, function))
            lost -= {base.called(call) for call in _dropped(old)} if lost else set()
            for call in _dropped(function) if lost else ():
                called = self.code.called(call)
                if (
                    called in lost
                    and is_touched(self.source, call)
                    and not self._is_synchronous(base, called)
                ):
                    self.report_node(
                        call,
                        f"{called}() is no longer awaited since this change; await it, or write void "
                        "and catch",
                    )

    def _is_synchronous(self, base: Code, called: str) -> bool:
        """Return True if the called function of the file, if any, was made synchronous."""
        from wardround.languages.script.code import is_async

        own = called.rpartition(".")[2]
        before, now = functions_of(base), functions_of(self.code)
        for name, function in now.items():
            if name.rpartition(".")[2] == own and name in before:
                return is_async(before[name]) and not is_async(function)
        return _TAKEN.search(called) is not None or self._is_plain_elsewhere(called)

    def _is_plain_elsewhere(self, called: str) -> bool:
        """Return True if the called function is in another file and returns no promise."""
        from wardround.languages.script.code import code_of
        from wardround_typescript.analysis.call_resolution import origin, script_of
        from wardround_typescript.analysis.promises import function_gives

        script = script_of(self.source.path, self.source.text)
        found = origin(called, script, self.source.project) if called in self.code.imports else None
        if found is None:
            return False
        other, name = found
        there = code_of(other.path, other.text)
        function = there.function_of(name, there.module.root)
        return function is not None and not function_gives(there, function)


def _awaited(code: Code, function: Node) -> Iterator[str]:
    from wardround.languages.script.code import argument, awaited_call, bare, own_nodes

    for node in own_nodes(function):
        value = awaited_call(node)
        if value is not None:
            called = code.called(value)
            yield called
            each = bare(argument(value, 0)) if called.startswith("Promise.all") else None
            mapped = code.called(each) if each is not None and each.type == "call_expression" else ""
            if mapped.endswith(".map"):
                yield mapped
                yield f"{mapped.removesuffix('map')}forEach"


def _dropped(function: Node) -> Iterator[Node]:
    """Yield the calls that are statements of a function, or are returned past a ``catch``."""
    from wardround.languages.script.code import is_awaited, own_nodes

    for node in own_nodes(function):
        is_past = node.type == "return_statement" and bool(node.named_children) and _is_tried(node)
        value = node.named_children[0] if is_past or node.type == "expression_statement" else None
        if value is not None and value.type == "call_expression" and not is_awaited(value):
            yield value


def _is_tried(node: Node) -> bool:
    """Return True if a statement is in the body of a ``try`` of its function with a ``catch``."""
    inner: Node = node
    while inner.parent is not None and inner.parent.type not in ("program", "class_body"):
        above = inner.parent
        if above.type == "try_statement" and above.child_by_field_name("body") == inner:
            return above.child_by_field_name("handler") is not None
        if "function" in above.type or above.type == "method_definition":
            return False
        inner = above
    return False
