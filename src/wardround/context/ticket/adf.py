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
    """Convert a document; unknown nodes give their content, and what is beyond the limits is left out."""
    return "\n\n".join(_Converter().blocks(_content(document), 0)).strip("\n")


class _Converter:
    """Converts nodes while it counts them."""

    def __init__(self) -> None:
        self._left = MAX_NODES
        self._blocks: Mapping[str, Callable[[Node, int], list[str]]] = {
            "paragraph": self._paragraph, "caption": self._paragraph, "heading": self._heading,
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
            if not self._counts(depth):
                break
            if _is_inline(node):
                inline.append(node)
                continue
            found += self._lines(inline, depth) + self._block(node, depth)
            inline = []
        return found + self._lines(inline, depth)

    def _counts(self, depth: int) -> bool:
        self._left -= 1
        return self._left >= 0 and depth < MAX_DEPTH

    def _block(self, node: Node, depth: int) -> list[str]:
        convert = self._blocks.get(_type(node))
        return convert(node, depth) if convert else self.blocks(_content(node), depth + 1)

    def _lines(self, nodes: list[Node], depth: int) -> list[str]:
        text = self._inline(nodes, depth).strip()
        return [text] if text else []

    def _inline(self, nodes: Iterable[Node], depth: int) -> str:
        return "".join(self._span(node, depth) for node in nodes if self._counts(depth))

    def _span(self, node: Node, depth: int) -> str:
        match _type(node):
            case "text":
                return _marked(str(node.get("text", "")), node)
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
                return self._inline(_content(node), depth + 1) or _attribute(node, "text")

    def _paragraph(self, node: Node, depth: int) -> list[str]:
        return self._lines(_content(node), depth + 1)

    def _heading(self, node: Node, depth: int) -> list[str]:
        text = " ".join(self._inline(_content(node), depth + 1).split())
        level = _attribute(node, "level")
        return [f"{'#' * (int(level) if level in tuple('123456') else 3)} {text}"] if text else []

    def _list(self, node: Node, depth: int) -> list[str]:
        is_numbered = _type(node) == "orderedList"
        first = _attribute(node, "order")
        start = int(first) if is_numbered and first.isdecimal() and len(first) < 8 else 1
        items = [
            _item(f"{start + number}. " if is_numbered else "- ", self.blocks(_content(item), depth + 2))
            for number, item in enumerate(_content(node))
        ]
        return ["\n".join(items)] if items else []

    def _task_list(self, node: Node, depth: int) -> list[str]:
        """A list inside a list of tasks belongs to the task before it."""
        items: list[str] = []
        for child in _content(node):
            if _type(child) in _TASKS:
                box = "- [x] " if _attribute(child, "state") == "DONE" else "- [ ] "
                items.append(_item(box, self.blocks(_content(child), depth + 2)))
            elif _type(child) == "taskList" and self._counts(depth):
                items += [_indented(block, "  ") for block in self._task_list(child, depth + 1)]
        return ["\n".join(items)] if items else []

    def _code(self, node: Node, depth: int) -> list[str]:
        code = "".join(str(part.get("text", "")) for part in _content(node))
        runs = [len(run) for run in re.findall("`{3,}", code)]
        fence = "`" * (max(runs, default=2) + 1)
        language = re.sub(r"[^\w+#.-]", "", _attribute(node, "language"))[:30]
        return [f"{fence}{language}\n{code}\n{fence}"]

    def _quote(self, node: Node, depth: int) -> list[str]:
        return [_indented("\n\n".join(self.blocks(_content(node), depth + 1)), "> ")]

    def _expand(self, node: Node, depth: int) -> list[str]:
        """The title is a heading for the content alone, which a rule ends."""
        title = " ".join(_attribute(node, "title").split()).replace("*", "")
        inner = self.blocks(_content(node), depth + 1)
        return [f"**{title}**", *inner, "---"] if title else inner

    def _card(self, node: Node, depth: int) -> list[str]:
        text = _attribute(node, "url") or _attribute(node, "alt")
        return [text] if text else []

    def _table(self, node: Node, depth: int) -> list[str]:
        rows = [self._row(row, depth + 1) for row in _content(node) if _type(row) == "tableRow"]
        if not rows:
            return []
        first = _content(_content(node)[0])
        width = max(map(len, rows))
        if not all(_type(cell) == "tableHeader" for cell in first):
            rows.insert(0, [""] * width)
        rows.insert(1, ["-"] * width)
        return ["\n".join("| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in rows)]

    def _row(self, row: Node, depth: int) -> list[str]:
        return [self._cell(cell, depth + 1) for cell in _content(row)]

    def _cell(self, cell: Node, depth: int) -> str:
        lines = [line for block in self.blocks(_content(cell), depth) for line in block.split("\n")]
        texts = [re.sub(r"^\s*(?:[-*]|\d+\.) (?:\[[ x]\] )?", "", line).strip() for line in lines]
        return "; ".join(filter(None, texts)).replace("|", "\\|")


def _is_inline(node: Node) -> bool:
    return _type(node) in (
        "text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard", "placeholder", "mediaInline",
        "inlineExtension",
    )  # fmt: skip


def _type(node: Node) -> str:
    return str(node.get("type", ""))


def _content(node: object) -> list[Node]:
    return _nodes(node.get("content")) if isinstance(node, Mapping) else []


def _nodes(value: object) -> list[Node]:
    return [node for node in value if isinstance(node, Mapping)] if isinstance(value, list) else []


def _attribute(node: Node, name: str) -> str:
    attributes = node.get("attrs")
    value = attributes.get(name) if isinstance(attributes, Mapping) else None
    return str(value) if isinstance(value, (str, int, float)) else ""


def _marked(text: str, node: Node) -> str:
    """The text with the marks that markdown has; spaces stay outside of a mark."""
    marks = node.get("marks")
    by_type = (
        {_type(mark): mark for mark in marks if isinstance(mark, Mapping)} if isinstance(marks, list) else {}
    )
    bare = text.strip()
    if not bare or not by_type:
        return text
    shown = f"`{bare}`" if "code" in by_type and "`" not in bare else bare
    for name, sign in _INLINE_MARKS:
        shown = f"{sign}{shown}{sign}" if name in by_type else shown
    address = _attribute(by_type["link"], "href") if "link" in by_type else ""
    if address and address != bare and not re.search(r"[\s()<>]", address):
        shown = f"[{shown}]({address})"
    return text.replace(bare, shown, 1)


def _date(timestamp: str) -> str:
    """The day of a timestamp in milliseconds."""
    try:
        return datetime.fromtimestamp(int(timestamp) / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _item(mark: str, blocks: list[str]) -> str:
    """A list item; lists directly below its first paragraph follow without an empty line."""
    text = ""
    for block in blocks:
        is_list = re.match(r"(?:-|\d+\.) ", block) is not None
        text += ("\n" if is_list else "\n\n") + block if text else block
    indent = " " * (2 if mark.startswith("-") else len(mark))
    return mark + _indented(text, indent).removeprefix(indent)


def _indented(text: str, indent: str) -> str:
    return "\n".join(indent + line if line or indent.strip() else line for line in text.split("\n"))
