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
"""Returns the text in place of a node, empty for none, or None to write the node."""


class SyntaxTokens:
    """Writes the tokens of the nodes of a module.

    Args:
        names: name -> the text in its place, for the names that the module binds.
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
            one = open_.pop()
            if isinstance(one, str):
                found.append(one)
                continue
            instead = inner(one)
            if instead is not None:
                found += [instead] if instead else []
            else:
                open_.extend(reversed(self._parts(one, has_types=has_types)))
        return found

    def _parts(self, node: Node, *, has_types: bool) -> list[Node | str]:
        kind = node.type
        if kind in _COMMENTS or kind in TYPES or (kind in _ANNOTATIONS and not has_types):
            return []
        if kind == "class_heritage" and all(one.type in TYPES for one in node.named_children):
            return []
        if kind in _WRAPPERS and node.named_children:
            return [next(one for one in node.named_children if one.type not in _COMMENTS)]
        if kind == "jsx_text":
            return self._jsx_text(node)
        if kind in _MODIFIERS:
            is_property = node.parent is not None and node.parent.type.endswith("_parameter")
            return ["property"] if is_property else []
        if not node.child_count:
            return self._leaf(node)
        name = "required_parameter" if kind == "optional_parameter" else kind
        return [f"{name}(", *self._children(node), ")"]

    def _children(self, node: Node) -> list[Node | str]:
        if node.type == "array":
            return [one if one.is_named else "," for one in _without_last_comma(node) if one.type not in "[]"]
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
        edges = [lines[0].rstrip(), *(one.strip() for one in lines[1:-1]), lines[-1].lstrip()]
        return [f"text {one}" for one in edges if one]


def _without_last_comma(node: Node) -> list[Node]:
    """Return the children of an array; a comma before the end of it is layout, others can leave holes."""
    found = [one for one in node.children if one.type not in _COMMENTS]
    if len(found) > 2 and found[-2].type == ",":
        del found[-2]
    return found
