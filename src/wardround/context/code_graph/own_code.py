"""The code of each symbol of a file without layout, comments, documentation and annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from wardround.context.code_graph.extraction import language_of, read_tree
from wardround.context.code_graph.model import Symbol, SymbolKind

OwnCode = dict[str, tuple[Symbol, tuple[str, ...]]]
"""Name -> the first symbol of that name, and the tokens that belong to no inner symbol."""
_IGNORED = frozenset({
    "comment", "type_annotation", "type_parameters", "type_arguments", "interface_declaration",
    "type_alias_declaration", "accessibility_modifier", "override_modifier", "readonly", ";",
})  # fmt: skip
_LISTS = frozenset({
    "argument_list", "parameters", "list", "dictionary", "set", "arguments", "formal_parameters", "array",
    "object", "object_pattern", "array_pattern", "named_imports",
})  # fmt: skip
"""Nodes in which a comma before the closing bracket has no meaning."""
_ANNOTATED = {
    "typed_parameter": ("type", ":"),
    "typed_default_parameter": ("type", ":"),
    "assignment": ("type", ":"),
    "function_definition": ("return_type", "->"),
}
"""Node of Python -> the field of its annotation, and the mark before it."""
_INNER = frozenset({SymbolKind.FIELD, SymbolKind.CONSTANT, SymbolKind.TYPE})
"""Symbols whose code belongs to the one around them."""


def own_code(path: str, content: bytes) -> OwnCode:
    """Return the code of each function and class; empty for a file that has no syntax tree."""
    read = read_tree(path, content) if language_of(path) in ("python", "script") else None
    if read is None:
        return {}
    facts, root, source = read
    symbols = [symbol for symbol in facts.symbols if symbol.kind not in _INNER]
    owners = _owners(symbols, facts.symbols[0].end_line)
    tokens: dict[str, list[str]] = {}
    for leaf in _effective_tokens(root):
        row = leaf.start_point[0]
        owner = owners[row] if row < len(owners) else symbols[0]
        text = source[leaf.start_byte : leaf.end_byte].decode("utf-8", "replace")
        tokens.setdefault(owner.name, []).append(text)
    first: dict[str, Symbol] = {}
    for symbol in symbols:
        first.setdefault(symbol.name, symbol)
    return {name: (symbol, tuple(tokens.get(name, ()))) for name, symbol in first.items()}


def _owners(symbols: Sequence[Symbol], lines: int) -> list[Symbol]:
    """Return the innermost symbol of each line."""
    owners = [symbols[0]] * max(lines, 1)
    for inner in sorted(symbols[1:], key=lambda symbol: (symbol.line, -symbol.end_line, symbol.name)):
        owners[inner.line - 1 : inner.end_line] = [inner] * (
            min(inner.end_line, len(owners)) - inner.line + 1
        )
    return owners


def _effective_tokens(root: Node) -> Iterator[Node]:
    """Yield the tokens of a syntax tree that have an effect, in source order."""
    open_ = [root]
    while open_:
        node = open_.pop()
        if _is_ignored(node):
            continue
        if node.children:
            open_ += reversed(_effective_children(node))
        elif node.end_byte > node.start_byte:
            yield node


def _is_ignored(node: Node) -> bool:
    is_text = node.type == "expression_statement" and [child.type for child in node.children] == ["string"]
    return node.type in _IGNORED or is_text


def _effective_children(node: Node) -> list[Node]:
    """Return the children of a node without annotations and a comma before the closing bracket."""
    children = list(node.children)
    if node.type in _ANNOTATED:
        field, mark = _ANNOTATED[node.type]
        annotation = node.child_by_field_name(field)
        if annotation is not None:
            return [child for child in children if child != annotation and child.type != mark]
    if node.type in _LISTS and len(children) > 1 and children[-2].type == ",":
        del children[-2]
    return children
