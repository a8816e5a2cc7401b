"""HTML inside markdown, as editors and templates leave it, rewritten to markdown of the same structure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(?:[-*+>] {1,3}|\d{1,3}[.)] {1,3})?[ >]*(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"(?<!`)(`{1,5})(?!`)[^`\n]+\1|<(/?)([a-zA-Z][a-zA-Z0-9]{0,9})((?:\s[^<>]{0,500})?)/?>")
_ROW = re.compile(r"<tr\b[^<>]{0,500}>(?:(?!<tr\b).)*?</tr\s*>", re.DOTALL | re.IGNORECASE)
_BETWEEN_ROWS = re.compile(r"\|\n[ \t]{0,20}(?:\n[ \t]{0,20}){1,5}\|")
_ENTITY = re.compile(r"(?<!`)(`{1,5})(?!`)[^`\n]+\1|&(?:#\d{1,6}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});")
_OPENING = {
    "br": "\n", "p": "\n\n", "div": "\n\n", "li": "\n- ", "tr": "\n|", "hr": "\n\n",
    "table": "\n\n", "summary": "\n\n## ", "details": "\n\n", "b": "**", "strong": "**", "code": "`",
    "tt": "`", "del": "~~", "s": "~~", "td": " ", "th": " ", "blockquote": "\n\n", "section": "\n\n",
    **{f"h{level}": "\n\n" + "#" * level + " " for level in range(1, 7)},
}  # fmt: skip
_CLOSING = {
    **dict.fromkeys(("p", "div", "table", "summary", "details", "blockquote", "section"), "\n\n"),
    **{f"h{level}": "\n\n" for level in range(1, 7)},
    "b": "**", "strong": "**", "code": "`", "tt": "`", "del": "~~", "s": "~~", "td": " |", "th": " |",
}  # fmt: skip
_DROPPED = frozenset(
    {
        "a",
        "center",
        "em",
        "font",
        "i",
        "img",
        "kbd",
        "span",
        "sub",
        "sup",
        "tbody",
        "thead",
        "u",
        "mark",
        "label",
    }
)


def rewrite_html(markdown: str) -> str:
    """Rewrite known HTML outside code; a tag that is not HTML (``<Button>``) is text and remains."""
    if "<" not in markdown and "&" not in markdown:
        return markdown
    return "".join(part if is_code else _rewrite(part) for is_code, part in _segments(markdown))


def _segments(markdown: str) -> Iterator[tuple[bool, str]]:
    """Split at code fences: (is a fence with its content, text)."""
    part: list[str] = []
    fence = ""
    for line in markdown.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if not fence and mark:
            yield False, "".join(part)
            part, fence = [line], mark[1]
            continue
        part.append(line)
        if fence and line.strip(" >\n").startswith(fence) and not line.strip(" >\n").strip(fence[0]):
            yield True, "".join(part)
            part, fence = [], ""
    yield bool(fence), "".join(part)


def _rewrite(text: str) -> str:
    rows = _ROW.sub(lambda row: row[0].replace("\n", " "), _COMMENT.sub("", text))
    shown = _TAG.sub(_Structure().markdown, rows)
    if rows != shown and _ROW.search(rows):
        shown = _BETWEEN_ROWS.sub("|\n|", shown)
    return _ENTITY.sub(lambda entity: entity[0] if entity[1] else html.unescape(entity[0]), shown)


class _Structure:
    """The open lists and the open table while tags are rewritten from left to right."""

    def __init__(self) -> None:
        self._lists: list[int] = []
        """For each open list: the number of its last item, or -1 if it has bullets."""
        self._columns = 0
        """The cells of the first row of a table; -1 after it, since the mark below a header follows once."""

    def markdown(self, tag: re.Match[str]) -> str:
        """Return the replacement of one tag; inline code and unknown tags are unchanged."""
        name = (tag[3] or "").lower()
        if tag[1] or not _is_known(name):
            return tag[0]
        if name == "input":
            return _checkbox((tag[4] or "").lower())
        return self._closing_tag(name) if tag[2] else self._opening_tag(name)

    def _opening_tag(self, name: str) -> str:
        if name in ("ul", "ol"):
            self._lists.append(0 if name == "ol" else -1)
            return "" if len(self._lists) > 1 else "\n\n"
        if name == "table":
            self._columns = 0
        if name in ("td", "th") and self._columns >= 0:
            self._columns += 1
        return self._item() if name == "li" and self._lists else _OPENING.get(name, "")

    def _closing_tag(self, name: str) -> str:
        if name in ("ul", "ol"):
            del self._lists[-1:]
            return "\n" if self._lists else "\n\n"
        if name == "tr" and self._columns > 0:
            columns, self._columns = self._columns, -1
            return "\n" + "|-" * columns + "|"
        return _CLOSING.get(name, "")

    def _item(self) -> str:
        indent = "   " * (min(len(self._lists), 6) - 1)
        if self._lists[-1] < 0:
            return f"\n{indent}- "
        self._lists[-1] += 1
        return f"\n{indent}{self._lists[-1]}. "


def _is_known(name: str) -> bool:
    return name in _OPENING or name in _DROPPED or name in ("input", "ul", "ol")


def _checkbox(attributes: str) -> str:
    if "checkbox" not in attributes:
        return ""
    return "[x] " if "checked" in attributes else "[ ] "
