"""The Atlassian Document Format, the JSON of rich text in Jira Cloud, as markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

Node = Mapping[str, Any]

MAX_DEPTH = 40
MAX_NODES = 20_000
_LISTS = ("bulletList", "orderedList", "decisionList")
_INLINE_MARKS = (("strike", "~~"), ("em", "*"), ("strong", "**"))
_TASKS = ("taskItem", "blockTaskItem")


def is_document(value: object) -> bool:
    """Return True for the root node of a document."""
    return (
        isinstance(value, Mapping) and value.get("type") == "doc" and isinstance(value.get("content"), list)
    )


def adf_markdown(document: object) -> str:
    """Convert a document; unknown nodes are replaced by their content, and content beyond the limits is
    omitted.
    """
    return "\n\n".join(_Converter().blocks(_child_nodes(document), 0)).strip("\n")


class _Converter:
    """Converts nodes while it counts them."""

    def __init__(self) -> None:
        self._left = MAX_NODES
        self._blocks: Mapping[str, Callable[[Node, int], list[str]]] = {
            "paragraph": self._paragraph, "caption": self._paragraph, "heading": self._heading_lines,
            "taskList": self._task_list, "codeBlock": self._code, "blockquote": self._quote,
            "table": self._table,
            "expand": self._expand, "nestedExpand": self._expand, "rule": lambda node, depth: ["---"],
            **dict.fromkeys(_LISTS, self._list),
            **dict.fromkeys(("blockCard", "embedCard", "media"), self._card),
        }  # fmt: skip

    def blocks(self, nodes: Iterable[Node], depth: int) -> list[str]:
        """Return the blocks of a sequence of nodes; adjacent inline nodes form a paragraph."""
        found: list[str] = []
        inline: list[Node] = []
        for node in nodes:
            if not self._consumes_node(depth):
                break
            if _is_inline(node):
                inline.append(node)
                continue
            found += self._lines(inline, depth) + self._block(node, depth)
            inline = []
        return found + self._lines(inline, depth)

    def _consumes_node(self, depth: int) -> bool:
        self._left -= 1
        return self._left >= 0 and depth < MAX_DEPTH

    def _block(self, node: Node, depth: int) -> list[str]:
        convert = self._blocks.get(_type(node))
        return convert(node, depth) if convert else self.blocks(_child_nodes(node), depth + 1)

    def _lines(self, nodes: list[Node], depth: int) -> list[str]:
        text = self._inline(nodes, depth).strip()
        return [text] if text else []

    def _inline(self, nodes: Iterable[Node], depth: int) -> str:
        return "".join(self._span(node, depth) for node in nodes if self._consumes_node(depth))

    def _span(self, node: Node, depth: int) -> str:
        match _type(node):
            case "text":
                return _mark_text(str(node.get("text", "")), node)
            case "hardBreak":
                return "\n"
            case "date":
                return _date(_attribute(node, "timestamp"))
            case "mention" | "emoji" | "status":
                return _attribute(node, "text") or _attribute(node, "shortName")
            case "inlineCard":
                return _attribute(node, "url")
            case "placeholder":
                return ""
            case _:
                return self._inline(_child_nodes(node), depth + 1) or _attribute(node, "text")

    def _paragraph(self, node: Node, depth: int) -> list[str]:
        return self._lines(_child_nodes(node), depth + 1)

    def _heading_lines(self, node: Node, depth: int) -> list[str]:
        text = " ".join(self._inline(_child_nodes(node), depth + 1).split())
        level = _attribute(node, "level")
        return [f"{'#' * (int(level) if level in tuple('123456') else 3)} {text}"] if text else []

    def _list(self, node: Node, depth: int) -> list[str]:
        is_numbered = _type(node) == "orderedList"
        first = _attribute(node, "order")
        start = int(first) if is_numbered and first.isdecimal() and len(first) < 8 else 1
        items = [
            _item(f"{start + number}. " if is_numbered else "- ", self.blocks(_child_nodes(item), depth + 2))
            for number, item in enumerate(_child_nodes(node))
        ]
        return ["\n".join(items)] if items else []

    def _task_list(self, node: Node, depth: int) -> list[str]:
        """A list inside a task list belongs to the task before it."""
        items: list[str] = []
        for child in _child_nodes(node):
            if _type(child) in _TASKS:
                box = "- [x] " if _attribute(child, "state") == "DONE" else "- [ ] "
                items.append(_item(box, self.blocks(_child_nodes(child), depth + 2)))
            elif _type(child) == "taskList" and self._consumes_node(depth):
                items += [_indent_text(block, "  ") for block in self._task_list(child, depth + 1)]
        return ["\n".join(items)] if items else []

    def _code(self, node: Node, depth: int) -> list[str]:
        code = "".join(str(part.get("text", "")) for part in _child_nodes(node))
        runs = [len(run) for run in re.findall("`{3,}", code)]
        fence = "`" * (max(runs, default=2) + 1)
        language = re.sub(r"[^\w+#.-]", "", _attribute(node, "language"))[:30]
        return [f"{fence}{language}\n{code}\n{fence}"]

    def _quote(self, node: Node, depth: int) -> list[str]:
        return [_indent_text("\n\n".join(self.blocks(_child_nodes(node), depth + 1)), "> ")]

    def _expand(self, node: Node, depth: int) -> list[str]:
        """Return the content under its title as a heading, with a horizontal rule as its end."""
        title = " ".join(_attribute(node, "title").split()).replace("*", "")
        inner = self.blocks(_child_nodes(node), depth + 1)
        return [f"**{title}**", *inner, "---"] if title else inner

    def _card(self, node: Node, depth: int) -> list[str]:
        text = _attribute(node, "url") or _attribute(node, "alt")
        return [text] if text else []

    def _table(self, node: Node, depth: int) -> list[str]:
        rows = [self._row(row, depth + 1) for row in _child_nodes(node) if _type(row) == "tableRow"]
        if not rows:
            return []
        first = _child_nodes(_child_nodes(node)[0])
        width = max(map(len, rows))
        if not all(_type(cell) == "tableHeader" for cell in first):
            rows.insert(0, [""] * width)
        rows.insert(1, ["-"] * width)
        return ["\n".join("| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in rows)]

    def _row(self, row: Node, depth: int) -> list[str]:
        return [self._cell(cell, depth + 1) for cell in _child_nodes(row)]

    def _cell(self, cell: Node, depth: int) -> str:
        lines = [line for block in self.blocks(_child_nodes(cell), depth) for line in block.split("\n")]
        texts = [re.sub(r"^\s*(?:[-*]|\d+\.) (?:\[[ x]\] )?", "", line).strip() for line in lines]
        return "; ".join(filter(None, texts)).replace("|", "\\|")


def _is_inline(node: Node) -> bool:
    return _type(node) in (
        "text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard", "placeholder", "mediaInline",
        "inlineExtension",
    )  # fmt: skip


def _type(node: Node) -> str:
    return str(node.get("type", ""))


def _child_nodes(node: object) -> list[Node]:
    return _nodes(node.get("content")) if isinstance(node, Mapping) else []


def _nodes(value: object) -> list[Node]:
    return [node for node in value if isinstance(node, Mapping)] if isinstance(value, list) else []


def _attribute(node: Node, name: str) -> str:
    attributes = node.get("attrs")
    value = attributes.get(name) if isinstance(attributes, Mapping) else None
    return str(value) if isinstance(value, (str, int, float)) else ""


def _mark_text(text: str, node: Node) -> str:
    """Return the text with the marks that markdown supports; spaces stay outside of a mark."""
    marks = _marks_by_type(node)
    bare = text.strip()
    if not bare or not marks:
        return text
    shown = f"`{bare}`" if "code" in marks and "`" not in bare else bare
    for name, sign in _INLINE_MARKS:
        if name in marks:
            shown = f"{sign}{shown}{sign}"
    address = _attribute(marks["link"], "href") if "link" in marks else ""
    if address not in ("", bare) and not re.search(r"[\s()<>]", address):
        shown = f"[{shown}]({address})"
    return text.replace(bare, shown, 1)


def _marks_by_type(node: Node) -> dict[str, Node]:
    marks = node.get("marks")
    if not isinstance(marks, list):
        return {}
    return {_type(mark): mark for mark in marks if isinstance(mark, Mapping)}


def _date(timestamp: str) -> str:
    """Return the day of a timestamp in milliseconds."""
    try:
        return datetime.fromtimestamp(int(timestamp) / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _item(mark: str, blocks: list[str]) -> str:
    """Return a list item; lists directly below its first paragraph follow without an empty line."""
    text = ""
    for block in blocks:
        is_list = re.match(r"(?:-|\d+\.) ", block) is not None
        text += ("\n" if is_list else "\n\n") + block if text else block
    indent = " " * (2 if mark.startswith("-") else len(mark))
    return mark + _indent_text(text, indent).removeprefix(indent)


def _indent_text(text: str, indent: str) -> str:
    return "\n".join(indent + line if line or indent.strip() else line for line in text.split("\n"))
