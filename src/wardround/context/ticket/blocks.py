"""The block structure of a markdown text, flat and in reading order."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from wardround.context.ticket.html_remnants import rewrite_html
from wardround.context.ticket.plain_text import MAX_LINE, clean_text, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_BLOCKS = 20_000
_MAX_NESTING = 40
_TASK = re.compile(r"\[([ xX✓✔*_-]?)\](?:\s+|$)")


class Block(msgspec.Struct, frozen=True):
    """A heading, a paragraph, a list item, a table, a code block or a horizontal rule.

    Attributes:
        lines: plain text, a line each; of a list item without the lines of its nested lists.
        level: 1 to 6 for a heading; for an item or a paragraph in a list its depth, from 1.
        ordered: True for an item of a numbered list.
        checkbox: True for an item with a checkbox, ticked or not.
        parent: position of the item that contains this item, -1 if none.
        strong: True for a paragraph that is bold from its first to its last character.
        rows: the cells of a table, its header first.
    """

    kind: Literal["heading", "paragraph", "item", "table", "code", "rule"]
    lines: tuple[str, ...] = ()
    level: int = 0
    ordered: bool = False
    checkbox: bool = False
    parent: int = -1
    strong: bool = False
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """The lines as one."""
        return " ".join(self.lines)


def read_blocks(markdown: str) -> list[Block]:
    """Read the blocks of a text; structure beyond the limits of nesting and number is omitted."""
    source = clean_text(rewrite_html(clean_text(markdown)))
    reader = _BlockReader()
    for token in _block_parser().parse(source):
        reader.read(token)
        if len(reader.blocks) >= MAX_BLOCKS:
            break
    return [block for block in reader.blocks if block.lines or block.rows or block.kind in ("item", "rule")]


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # an optional dependency; only a review with a ticket needs it

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING})
    parser.enable("table").disable(["html_block", "reference"])
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # see above

    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


def plain(markdown: str) -> str:
    """Return one line of text without emphasis and link targets; inline code keeps its backticks."""
    tokens = _inline_parser().parseInline(markdown[: MAX_LINE * 2])
    return one_line("".join(_token_text(token) for parent in tokens for token in parent.children or ()))


def _token_text(token: Token) -> str:
    match token.type:
        case "code_inline":
            return f"`{token.content}`"
        case "softbreak" | "hardbreak":
            return " "
        case "s_open" | "s_close":
            return "~~"
        case _:
            return token.content


class _BlockReader:
    """Collects blocks from the token stream of the parser."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._lists: list[bool] = []
        """The open lists: True for a numbered one."""
        self._items: list[int] = []
        """Positions of the open items."""
        self._open = ""
        self._heading = 0
        self._rows: list[list[str]] = []

    def read(self, token: Token) -> None:
        """Take the next token."""
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._lists.append(token.type == "ordered_list_open")
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._open_item()
            case "list_item_close":
                self._items.pop()
            case "fence" | "code_block":
                self._add(Block("code", tuple(token.content.splitlines()[:50]), parent=self._parent_index()))
            case "hr":
                self._add(Block("rule"))
            case "heading_open":
                self._heading = int(token.tag[1])
            case "heading_close":
                self._heading = 0
            case "inline" | "table_open" | "table_close" | "tr_open":
                self._read_content(token)

    def _read_content(self, token: Token) -> None:
        if token.type == "table_open":
            self._rows, self._open = [], "table"
        elif token.type == "tr_open":
            self._rows.append([])
        elif token.type == "table_close":
            self._open = ""
            self._add(Block("table", parent=self._parent_index(), rows=tuple(map(tuple, self._rows))))
        elif self._open == "table":
            self._rows[-1].append(plain(token.content))
        else:
            self._read_inline(token.content)

    def _read_inline(self, content: str) -> None:
        if self._heading:
            self._add(Block("heading", (plain(content),), self._heading))
        elif self._items:
            self._continue_item(content)
        else:
            self._add(Block("paragraph", _plain_lines(content), strong=_is_strong(content)))

    def _open_item(self) -> None:
        item = Block("item", (), len(self._lists), self._lists[-1], parent=self._parent_index())
        self._items.append(len(self.blocks))
        self._add(item)

    def _continue_item(self, content: str) -> None:
        position = self._items[-1]
        item = self.blocks[position]
        task = None if item.lines else _TASK.match(content)
        lines = _plain_lines(content[task.end() :] if task else content)
        self.blocks[position] = msgspec.structs.replace(
            item, lines=item.lines + lines, checkbox=item.checkbox or task is not None
        )

    def _parent_index(self) -> int:
        return self._items[-1] if self._items else -1

    def _add(self, block: Block) -> None:
        self.blocks.append(block)


def _plain_lines(content: str) -> tuple[str, ...]:
    """Return the lines of a paragraph; as one where emphasis or code spans a line end."""
    lines: Sequence[str] = content.split("\n")[:500]
    if any(line.count(mark) % 2 for line in lines for mark in ("**", "`", "__")):
        lines = [content]
    return tuple(line for line in map(plain, lines) if line)


def _is_strong(content: str) -> bool:
    mark = content[:2]
    inner = content.strip().rstrip(":").rstrip()
    return mark in ("**", "__") and inner.endswith(mark) and inner.count(mark) == 2 and "\n" not in content
