from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_MAPS = LazyPattern(r"\.(map|flatMap)$")
_CHILDREN = LazyPattern(r"^(React\.)?Children\.")
_KEYED = LazyPattern(r"\bkey\b|\{\.\.\.")


class ListFragmentWithoutKey(TreeCheck):
    """A list item has no key: a <> fragment, or an element of a render function.

    Without a key React matches the items by position: after an insertion, a removal or a sort they keep each
    other's state, focus and input. Write ``<Fragment key={...}>``, or set the key in the function passed to
    ``map``.
    """

    ID = "TS081"
    NAME = "list-fragment-without-key"
    DEFECT_CLASS = "missing-key"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".tsx", ".jsx", ".js")
    WORDS = (".map(", ".flatMap(")
    ALSO = (("</", "/>"),)
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            const list = rows.map((row) => <Fragment key={row.id}><dt /><dd /></Fragment>);
            const one = <><p /></>;
        """),
        code("""
            const draw = (row) => <li key={row.id} />;
            const list = rows.map(draw);
            const cell = () => <td />;
        """),
    ]
    INVALID = [
        code("""
            const list = rows.map((row) => (
              «<>
                <dt>{row.a}</dt>
              </>»
            ));
        """),
        code("""
            const list = rows.map((row) => {
              return row.open ? «<><b /></>» : null;
            });
        """),
    ]

    def check(self) -> None:
        seen: set[int] = set()
        for called, call in self.code.calls:
            if not _MAPS.search(called) or _CHILDREN.search(called):
                continue
            for element in self._keyless(call):
                if element.id not in seen:
                    seen.add(element.id)
                    self.report_node(
                        element,
                        "list item has no key; use Fragment with a key, or set the key in this function",
                    )

    def _keyless(self, call: Node) -> Iterator[Node]:
        """Yield the elements without a key that the callback of ``map`` returns."""
        for value, is_apart in self._rendered_results(call):
            for element in _rendered_elements(value):
                if self._is_keyless(element, is_apart):
                    yield element

    def _rendered_results(self, call: Node) -> Iterator[tuple[Node, bool]]:
        """Yield (result of the callback of ``map``, True if a function apart from the call renders it)."""
        from wardround.languages.script.code import FUNCTIONS, argument, bare, returned_expressions

        callback = bare(argument(call, 0))
        function = self.code.referenced_function(callback)
        if callback is None or function is None:
            return
        results = list(returned_expressions(function))
        for result in results:
            yield result, callback.type not in FUNCTIONS
        for result in results:
            for value in self._helper_results(result):
                yield value, True

    def _helper_results(self, result: Node) -> Iterator[Node]:
        """Yield the results of a function of the file that renders the item: ``rows.map((row) => draw(row,
        1))``.
        """
        from wardround.languages.script.code import bare, returned_expressions

        call = bare(result)
        if not is_kind(call, "call_expression") or child(call, "arguments") is None:
            return
        called = self.code.callee(call)
        function = self.code.function_of(called, call) if "." not in called else None
        if function is not None:
            yield from returned_expressions(function)

    def _is_keyless(self, element: Node, is_named: bool) -> bool:
        """Return True for a fragment, which cannot have a key; in a render function also for an element
        without one.
        """
        if element.type == "jsx_element":
            opening = element.named_children[0]
            if not opening.named_children:
                return True
        else:
            opening = element
        return is_named and not _KEYED.search(self.code.text(opening))


def _rendered_elements(node: Node | None) -> Iterator[Node]:
    """Yield the elements that an expression evaluates to."""
    from wardround.languages.script.code import bare

    value = bare(node)
    if value is None:
        return
    match value.type:
        case "jsx_element" | "jsx_self_closing_element":
            yield value
        case "ternary_expression":
            yield from _rendered_elements(child(value, "consequence"))
            yield from _rendered_elements(child(value, "alternative"))
        case "binary_expression":
            yield from _rendered_elements(child(value, "right"))
