"""What checks share that look at the settings a server calls things with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.dataflow.scope import ModuleScope

_FUNCTIONS = ("function", "arrow", "method_definition")
_CHOSEN = frozenset({"if_statement", "ternary_expression", "binary_expression"})
_AT_HOME = LazyPattern(
    r"(?i)NODE_ENV|(^|[^a-z])(is_?)?(dev|debug|local|prod|test|staging)|[a-z](Dev|Prod|Local)"
)


class ServerCheck(TreeCheck):
    """A check that follows names to what they stand for: options in a constant, functions in a helper."""

    @cached_property
    def scope(self) -> ModuleScope:
        from wardround_typescript.dataflow.scope import scope_of  # loads the parser

        return scope_of(self.source.path, self.source.text)

    def text(self, node: Node | None) -> str:
        return self.code.text(node)

    def calls(self) -> Iterator[tuple[str, Node, list[Node]]]:
        """Every call and ``new``: the name it calls, as imported; its node; its arguments."""
        for node in self.code.kinds("call_expression", "new_expression"):
            function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
            given = node.child_by_field_name("arguments")
            if function is None or given is None or given.type != "arguments":
                continue
            name = self.scope.dotted(function) or self.text(function)
            yield name, node, [one for one in given.named_children if one.type != "comment"]

    def options(self, node: Node | None) -> Node | None:
        """The object literal an argument is, or stands for."""
        found = self.scope.resolved(node) if node is not None else None
        return found if found is not None and found.type == "object" else None

    def option(self, node: Node | None, name: str) -> Node | None:
        """The value of an option, followed through constants; None where it is not set here."""
        whole = self.options(node)
        value = self.scope.property(whole, name) if whole is not None else None
        return self.scope.resolved(value) if value is not None else None

    def is_open(self, node: Node | None) -> bool:
        """Whether an object takes in others that cannot be seen."""
        whole = self.options(node)
        if whole is None:
            return True
        spread = [one.named_children[0] for one in whole.named_children if one.type == "spread_element"]
        return any(self.options(one) is None for one in spread)

    def literal(self, node: Node | None) -> str | None:
        """The text of a string literal, of a name that stands for one, or of several put together."""
        found = self.scope.resolved(node) if node is not None else None
        if found is None:
            return None
        if found.type in {"string", "template_string"} and "${" not in self.text(found):
            return self.text(found)[1:-1]
        from wardround_typescript.dataflow.constant_folding import fold

        told = fold(self.scope, found)
        return told if isinstance(told, str) else None

    def function_around(self, node: Node) -> Node | None:
        around = node.parent
        while around is not None and not around.type.startswith(_FUNCTIONS):
            around = around.parent
        return around

    def named_around(self, node: Node) -> str:
        """The names a place stands under: of variables, properties, functions and classes around it."""
        names = []
        around = node.parent
        while around is not None:
            for field in ("name", "key", "left"):
                inner = around.child_by_field_name(field)
                if inner is not None and inner.end_byte - inner.start_byte < 80:
                    names.append(self.text(inner))
            if around.type.startswith(_FUNCTIONS) and around.child_by_field_name("name") is not None:
                break
            if around.type in {"class_declaration", "program"}:
                break
            around = around.parent
        return " ".join(names)

    def is_for_development(self, node: Node) -> bool:
        """Whether a test around a place asks if the program runs on a developer's machine."""
        inner = node
        while inner.parent is not None and not inner.parent.type.endswith("_declaration"):
            around = inner.parent
            test = around.child_by_field_name("condition") or around.child_by_field_name("left")
            is_asked = around.type in _CHOSEN and test is not None and test.id != inner.id
            if is_asked and _AT_HOME.search(self.text(test)):
                return True
            inner = around
        return False


@dataclass(frozen=True, slots=True)
class CallOption:
    """A value of an option that takes a protection away.

    Attributes:
        value: what the option's value looks like then, followed through constants.
        beside: what stands in a file where the option means this.
    """

    key: str
    value: LazyPattern
    beside: LazyPattern
    message: str
    severity: Severity | None = None


class SettingCheck(ServerCheck):
    """A check on options that take a protection away, wherever the object stands that holds them."""

    SETTINGS: ClassVar[tuple[CallOption, ...]]

    def look(self) -> None:
        named: dict[str, list[CallOption]] = {}
        for one in self.SETTINGS:
            named.setdefault(one.key, []).append(one)
        for node in self.code.kinds("pair", "assignment_expression"):
            key = node.child_by_field_name("key") or node.child_by_field_name("left")
            value = node.child_by_field_name("value") or node.child_by_field_name("right")
            name = self.text(key).strip("'\"`").rpartition(".")[2] if key is not None else ""
            if name in named and value is not None:
                self._weigh(node, value, named[name])

    def _weigh(self, node: Node, value: Node, settings: list[CallOption]) -> None:
        text = self.text(self.scope.resolved(value))
        for one in settings:
            if one.value.search(text) and one.beside.search(self.source.text) and self.counts(node):
                if not self.is_for_development(node):
                    self.say(node, one.message, one.severity)
                return

    def counts(self, node: Node) -> bool:
        """Whether the option at a place is one of those that are meant."""
        return True
