"""What every check is that holds a script against what stood there before the change."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.lazy import LazyPattern
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_LONGEST_BASE = 400_000


class BeforeCheck(TreeCheck):
    """A check that sees a file before and after; ``compare`` runs where both are there and differ.

    Attributes:
        GONE: is found in a line that the change took away.
    """

    GONE: ClassVar[LazyPattern]

    def run(self) -> None:
        base = self.source.base_text
        if base is None or base == self.source.text or len(base) > _LONGEST_BASE:
            return
        if any(
            self.GONE.search(line) for line in set(base.split("\n")).difference(self.source.text.split("\n"))
        ):
            super().run()

    def look(self) -> None:
        from wardround.languages.script.code import code_of  # loads the parser

        self.compare(code_of(self.source.path, self.source.base_text or ""))

    @abstractmethod
    def compare(self, was: Code) -> None:
        """Report what the change took away; ``was`` is the file before it."""

    def is_new(self, node: Node, was: Code) -> bool:
        """Whether a node did not stand so in the file before, be it that only a line went out of it."""
        return self.is_touched(node) or self.code.text(node) not in was.module.text

    def is_touched(self, node: Node) -> bool:
        """Whether the change brought a line of a node."""
        rows = range(node.start_point[0] + 1, node.end_point[0] + 2)
        return any(self.source.is_added(row) for row in rows)


def functions_of(code: Code) -> Mapping[str, Node]:
    """The functions of a file by name, methods behind that of their class; none whose name is there twice."""
    found = code.notes.get(functions_of)
    if not isinstance(found, dict):
        found = code.notes[functions_of] = _functions_of(code)
    return found


def _functions_of(code: Code) -> dict[str, Node]:
    from wardround.languages.script.code import FUNCTIONS

    named = [(_name(code, node), node) for node in code.kinds(*sorted(FUNCTIONS))]
    times = Counter(name for name, _ in named)
    return {name: node for name, node in named if name and times[name] == 1}


def _name(code: Code, node: Node) -> str:
    own = code.name_of(node)
    if not own:
        return ""
    above, around = node.parent, ""
    while above is not None and not around:
        if "class" in above.type and above.type != "class_body":
            around = code.field(above, "name")
        elif above.type in ("pair", "variable_declarator") and above.child_by_field_name("value") != node:
            around = code.field(above, "name") or code.field(above, "key")
        above = above.parent
    return f"{around}.{own}" if around and around != own else own


def named_around(code: Code, node: Node) -> Node | None:
    """The innermost function around a node that ``functions_of`` has by name."""
    from wardround.languages.script.code import function_around

    own = {one.id for one in functions_of(code).values()}
    function = function_around(node)
    while function is not None and function.id not in own:
        function = function_around(function)
    return function


def name_around(code: Code, node: Node) -> str:
    """The name of that function; empty for what stands outside of all."""
    function = named_around(code, node)
    return _name(code, function) if function is not None else ""
