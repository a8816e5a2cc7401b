"""The tokens of JavaScript and TypeScript syntax that have an effect at run time.

Layout, comments, types, parentheses and the kind of quotes have no part in them. Types in a class with
decorators have, since compilers hand them to the decorators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wardround.languages.script.syntax import Node, ScriptModule

TYPES = frozenset(
    {"interface_declaration", "type_alias_declaration", "function_signature", "ambient_declaration",
     "method_signature", "abstract_method_signature", "index_signature", "implements_clause"}
)  # fmt: skip
"""Declarations without an effect."""
_ANNOTATIONS = frozenset(
    {"type_annotation", "type_arguments", "type_parameters", "asserts_annotation",
     "type_predicate_annotation", "omitting_type_annotation", "opting_type_annotation"}
)  # fmt: skip
_COMMENTS = frozenset({"comment", "html_comment"})
_WRAPPERS = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)
_NO_TOKENS = frozenset("(){}[],;:.`'\"")
_TYPE_TOKENS = frozenset({"readonly", "abstract", "override", "declare"})
_OPTIONAL = frozenset(
    {"optional_parameter", "public_field_definition", "method_definition", "variable_declarator"}
)
_MODIFIERS = frozenset({"accessibility_modifier", "override_modifier"})
Inner = Callable[[Node], str | None]
"""Returns the replacement of a node, empty for none, or None to write the node."""


class SyntaxTokens:
    """Writes the tokens of the nodes of a module.

    Args:
        names: name -> its replacement, for the names that the module binds.
    """

    def __init__(self, module: ScriptModule, names: Mapping[str, str]) -> None:
        self._module = module
        self._names = names

    def of(self, node: Node, *, inner: Inner = lambda node: None, has_types: bool = False) -> list[str]:
        """Return the tokens of a node.

        Args:
            has_types: annotations have an effect.
        """
        found: list[str] = []
        open_: list[Node | str] = [node]
        while open_:
            item = open_.pop()
            if isinstance(item, str):
                found.append(item)
                continue
            instead = inner(item)
            if instead is not None:
                found += [instead] if instead else []
            else:
                open_.extend(reversed(self._parts(item, has_types=has_types)))
        return found

    def _parts(self, node: Node, *, has_types: bool) -> list[Node | str]:
        kind = node.type
        if _has_no_effect(node, has_types=has_types):
            return []
        if kind in _WRAPPERS and node.named_children:
            return [next(child for child in node.named_children if child.type not in _COMMENTS)]
        if kind == "jsx_text":
            return self._jsx_text(node)
        if kind in _MODIFIERS:
            return ["property"] if _is_in_parameter(node) else []
        if not node.child_count:
            return self._leaf(node)
        name = "required_parameter" if kind == "optional_parameter" else kind
        return [f"{name}(", *self._visible_children(node), ")"]

    def _visible_children(self, node: Node) -> list[Node | str]:
        if node.type == "array":
            return [
                child if child.is_named else ","
                for child in _drop_trailing_comma(node)
                if child.type not in "[]"
            ]
        return list(node.children)

    def _leaf(self, node: Node) -> list[Node | str]:
        text = self._module.of(node)
        if node.is_named:
            if node.type in ("identifier", "shorthand_property_identifier"):
                return [f"identifier {self._names.get(text, text)}", *self._shorthand(node, text)]
            return [f"{node.type} {text}"]
        above = node.parent.type if node.parent is not None else ""
        is_layout = text in _NO_TOKENS or (text in _TYPE_TOKENS and above != "required_parameter")
        is_optional = text in "?!" and above in _OPTIONAL
        return [] if is_layout or is_optional else [text]

    def _shorthand(self, node: Node, text: str) -> list[Node | str]:
        return [f"key {text}"] if node.type == "shorthand_property_identifier" else []

    def _jsx_text(self, node: Node) -> list[Node | str]:
        lines = self._module.of(node).split("\n")
        if len(lines) == 1:
            return [f"text {lines[0]}"]
        edges = [lines[0].rstrip(), *(line.strip() for line in lines[1:-1]), lines[-1].lstrip()]
        return [f"text {edge}" for edge in edges if edge]


def _is_in_parameter(node: Node) -> bool:
    return node.parent is not None and node.parent.type.endswith("_parameter")


def _has_no_effect(node: Node, *, has_types: bool) -> bool:
    """Return True for a comment, and for types that are not read."""
    kind = node.type
    if kind in _COMMENTS or kind in TYPES:
        return True
    if kind in _ANNOTATIONS:
        return not has_types
    return kind == "class_heritage" and all(child.type in TYPES for child in node.named_children)


def _drop_trailing_comma(node: Node) -> list[Node]:
    """Return the children of an array; a trailing comma is layout, other commas can create holes."""
    found = [child for child in node.children if child.type not in _COMMENTS]
    if len(found) > 2 and found[-2].type == ",":
        del found[-2]
    return found
