"""Calls, their options and literals, with names followed to their values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.checks.source import SourceFile
from wardround.lazy import LazyPattern
from wardround_typescript.syntax.nodes import ancestors, child, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node
    from wardround_typescript.dataflow.scope import ModuleScope

_FUNCTIONS = ("function", "arrow", "method_definition")
_BRANCHES = frozenset({"if_statement", "ternary_expression", "binary_expression"})
_DEVELOPMENT = LazyPattern(
    r"(?i)NODE_ENV|(^|[^a-z])(is_?)?(dev|debug|local|prod|test|staging)|[a-z](Dev|Prod|Local)"
)


class CallReader:
    """Reads the calls of a script: options may be in a constant, functions in another declaration."""

    def __init__(self, source: SourceFile, code: Code) -> None:
        self._source = source
        self._code = code

    @cached_property
    def scope(self) -> ModuleScope:
        from wardround_typescript.dataflow.scope import scope_of  # loads the parser

        return scope_of(self._source.path, self._source.text)

    def calls(self) -> Iterator[tuple[str, Node, list[Node]]]:
        """Yield every call and ``new``: the name of the callee as imported, the node, the arguments."""
        for node in self._code.kinds("call_expression", "new_expression"):
            function = child(node, "function") or child(node, "constructor")
            passed = child(node, "arguments")
            if function is None or not is_kind(passed, "arguments"):
                continue
            name = self.scope.qualified_name(function) or self._code.text(function)
            yield name, node, [value for value in passed.named_children if value.type != "comment"]

    def options(self, node: Node | None) -> Node | None:
        """Return the object literal that an argument is or refers to."""
        value = self._resolve(node)
        return value if is_kind(value, "object") else None

    def _resolve(self, node: Node | None) -> Node | None:
        return self.scope.resolve(node) if node is not None else None

    def option(self, node: Node | None, name: str) -> Node | None:
        """Return the value of an option, followed through constants; None if the script does not set it."""
        options = self.options(node)
        return self._resolve(self.scope.property(options, name)) if options is not None else None

    def is_open(self, node: Node | None) -> bool:
        """Return True if options are not an object literal or spread an object that is not one."""
        options = self.options(node)
        if options is None:
            return True
        spreads = (part for part in options.named_children if part.type == "spread_element")
        return any(self.options(spread.named_children[0]) is None for spread in spreads)

    def literal(self, node: Node | None) -> str | None:
        """Return the text of a string literal, of a constant, or of a concatenation of both."""
        value = self._resolve(node)
        if value is None:
            return None
        text = self._code.text(value)
        if value.type in {"string", "template_string"} and "${" not in text:
            return text[1:-1]
        from wardround_typescript.dataflow.constant_folding import fold

        folded = fold(self.scope, value)
        return folded if isinstance(folded, str) else None

    def function_around(self, node: Node) -> Node | None:
        """Return the innermost function that contains a node."""
        return next((around for around in ancestors(node) if around.type.startswith(_FUNCTIONS)), None)

    def names_around(self, node: Node) -> str:
        """Return the names of the variables, properties, functions and classes that contain a node."""
        names: list[str] = []
        for around in ancestors(node):
            names += self._own_names(around)
            if _opens_scope(around):
                break
        return " ".join(names)

    def _own_names(self, node: Node) -> Iterator[str]:
        for field in ("name", "key", "left"):
            name = node.child_by_field_name(field)
            if name is not None and name.end_byte - name.start_byte < 80:
                yield self._code.text(name)

    def is_for_development(self, node: Node) -> bool:
        """Return True for code under a condition on the environment of development."""
        inner = node
        for around in ancestors(node):
            if around.type.endswith("_declaration"):
                return False
            test = child(around, "condition") or child(around, "left")
            is_tested = around.type in _BRANCHES and test is not None and test.id != inner.id
            if is_tested and _DEVELOPMENT.search(self._code.text(test)):
                return True
            inner = around
        return False


def _opens_scope(node: Node) -> bool:
    """Return True for a named function, a class, and the program."""
    if node.type in {"class_declaration", "program"}:
        return True
    return node.type.startswith(_FUNCTIONS) and child(node, "name") is not None
