"""TS081: list fragment without key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

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
        from wardround.languages.script.code import FUNCTIONS, argument, bare, returned

        callback = bare(argument(call, 0))
        function = self.code.function_meant(callback)
        if callback is None or function is None:
            return
        is_named = callback.type not in FUNCTIONS
        rendered = [(value, is_named) for value in returned(function)]
        rendered += [(value, True) for one, _ in rendered for value in self._of_helper(one)]
        for value, is_apart in rendered:
            yield from (element for element in _drawn(value) if self._is_keyless(element, is_apart))

    def _of_helper(self, answer: Node) -> Iterator[Node]:
        """Yield the results of a function of the file that renders the item: ``rows.map((row) => draw(row,
        1))``.
        """
        from wardround.languages.script.code import bare, returned

        one = bare(answer)
        if one is not None and one.type == "call_expression" and one.child_by_field_name("arguments"):
            called = self.code.called(one)
            function = self.code.function_of(called, one) if "." not in called else None
            yield from returned(function) if function is not None else ()

    def _is_keyless(self, element: Node, is_named: bool) -> bool:
        """Return True for a fragment, which cannot have a key; in a render function also for an element
        without one.
        """
        opening = element.named_children[0] if element.type == "jsx_element" else element
        if element.type == "jsx_element" and not opening.named_children:
            return True
        return is_named and not _KEYED.search(self.code.text(opening))


def _drawn(node: Node | None) -> Iterator[Node]:
    """Yield the elements that an expression evaluates to."""
    from wardround.languages.script.code import bare

    one = bare(node)
    if one is None:
        return
    if one.type in ("jsx_element", "jsx_self_closing_element"):
        yield one
    elif one.type == "ternary_expression":
        yield from _drawn(one.child_by_field_name("consequence"))
        yield from _drawn(one.child_by_field_name("alternative"))
    elif one.type == "binary_expression":
        yield from _drawn(one.child_by_field_name("right"))
