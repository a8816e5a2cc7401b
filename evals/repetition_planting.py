"""Copies of real functions, as people edit them: renamed locals, exchanged statements, other literals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from msgspec.structs import replace
from tree_sitter import Node

from wardround.context.code_graph import extraction
from wardround.context.code_graph.model import Symbol
from wardround.context.code_graph.python_reader import _PythonReader
from wardround.context.code_graph.script_reader import _ScriptReader

_SIMPLE = frozenset({"expression_statement", "lexical_declaration", "variable_declaration"})
_READ = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_LITERALS = frozenset({"integer", "float", "number", "string_content", "string_fragment"})
Edit = tuple[int, int, bytes]


class Original:
    """A function of a file, with the source needed to edit a copy of it."""

    def __init__(self, symbol: Symbol, source: bytes) -> None:
        self.symbol = symbol
        self.source = source
        self.root = extraction._parser(extraction._reader(symbol.path)[0]).parse(source).root_node
        is_python = symbol.path.endswith(".py")
        reader = (_PythonReader if is_python else _ScriptReader)(symbol.path, source)
        reader.read(self.root)
        self.bound = {
            name for draft in reader.scan.drafts if draft.name == symbol.name for name in draft.bound
        }
        self.locals = self.bound - {
            (node.text or b"").decode("utf-8", "replace")
            for node in self.nodes
            if node.type.startswith("shorthand")
        }

    @property
    def nodes(self) -> Iterator[Node]:
        """The nodes of its lines, in source order."""
        stack = [self.root]
        while stack:
            item = stack.pop()
            if item.end_point[0] + 1 < self.symbol.line or item.start_point[0] + 1 > self.symbol.end_line:
                continue
            yield item
            stack += reversed(item.children)

    def edited(self, edits: list[Edit]) -> str:
        """Return the text of the function with some edits."""
        lines = self.source.split(b"\n")
        first = sum(len(line) + 1 for line in lines[: self.symbol.line - 1])
        last = sum(len(line) + 1 for line in lines[: self.symbol.end_line])
        text, at = b"", first
        for start, end, new in sorted(edits):
            text += self.source[at:start] + new
            at = end
        return (text + self.source[at:last]).decode("utf-8", "replace")


def renames(original: Original, draw: random.Random) -> list[Edit] | None:
    """Give every local another name."""
    edits = [edit for node in original.nodes if (edit := _rename(node, original)) is not None]
    return edits or None


def _rename(node: Node, original: Original) -> Edit | None:
    text = node.text or b""
    if node.type != "identifier" or text.decode("utf-8", "replace") not in original.locals:
        return None
    parent, new = node.parent, b"other_" + text
    if parent is not None and parent.type in ("attribute", "keyword_argument"):
        field = parent.child_by_field_name("attribute" if parent.type == "attribute" else "name")
        if field == node:
            return None
    return node.start_byte, node.end_byte, new


def exchanges(original: Original, draw: random.Random) -> list[Edit] | None:
    """Exchange two adjacent statements that have no local in common."""
    pairs = [
        (node, node.next_named_sibling)
        for node in original.nodes
        if node.type in _SIMPLE and node.start_point[0] + 1 > original.symbol.line
    ]
    usable = [
        (first, second) for first, second in pairs
        if second is not None and second.type in _SIMPLE and first.text != second.text
        and not _locals(first, original) & _locals(second, original)
    ]  # fmt: skip
    if not usable:
        return None
    first, second = draw.choice(usable)
    return [
        (first.start_byte, first.end_byte, second.text or b""),
        (second.start_byte, second.end_byte, first.text or b""),
    ]


def _locals(node: Node, original: Original) -> set[str]:
    found, stack = set(), [node]
    while stack:
        inner = stack.pop()
        if inner.type in _READ:
            found.add((inner.text or b"").decode("utf-8", "replace"))
        stack += inner.children
    return found & original.bound


def literals(original: Original, draw: random.Random) -> list[Edit] | None:
    """Change one string or number."""
    found = [node for node in original.nodes if node.type in _LITERALS and not _is_documentation(node)]
    if not found:
        return None
    node = draw.choice(found)
    is_number = (node.text or b"")[:1].isdigit()
    return [(node.start_byte, node.end_byte, b"77" if is_number else b"another text")]


def _is_documentation(node: Node) -> bool:
    string = node.parent
    return string is not None and string.parent is not None and string.parent.type == "expression_statement"


def removals(original: Original, draw: random.Random) -> list[Edit] | None:
    """Remove one statement."""
    found = [node for node in original.nodes
             if node.type in _SIMPLE and node.start_point[0] + 1 > original.symbol.line]  # fmt: skip
    if len(found) < 2:
        return None
    node = draw.choice(found)
    return [(node.start_byte, node.end_byte, b"pass" if original.symbol.path.endswith(".py") else b"")]


def copy_of(item: Original, name: str, ways: list[Callable], draw: random.Random) -> str | None:
    """Return a renamed copy with one edit of each kind; None if one of them is not possible."""
    for way in ways:
        edits = way(item, draw)
        if edits is None:
            return None
        text = item.edited(edits)
        symbol = replace(item.symbol, line=1, end_line=text.count("\n") + 1)
        item = Original(symbol, text.encode())
    return item.source.decode().replace(item.symbol.name, name)


WAYS: dict[str, list[Callable]] = {
    "renamed": [renames],
    "reordered": [renames, exchanges],
    "literals": [renames, literals],
    "edited": [renames, removals],
}
