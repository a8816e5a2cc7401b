"""The wiki markup of Jira Server and Data Center as markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.context.ticket.plain_text import MAX_DESCRIPTION, clean_text

_BLOCK_CODE = re.compile(r"\{(code|noformat)(?::([^{}\n]{0,100}))?\}(.*?)(?:\{\1\}|\Z)", re.DOTALL)
_TITLED = re.compile(r"\{(?:panel|expand)(?::([^{}\n]{0,300}))?\}")
_TITLE = re.compile(r"(?:^|\|)\s*(?:title\s*=\s*)([^|]+)|^([^|=]+)(?:$|\|)")
_MACRO = re.compile(
    r"\{(?:color|quote|anchor|toc|info|tip|note|warning|html|section|column)(?::[^{}\n]{0,200})?\}"
)
_HEADING = re.compile(r"\s*h([1-6])\.\s+(.*)")
_ITEM = re.compile(r"\s*([*#]{1,12}|-{1,3})\s+(.*)")
_HEADER_ROW = re.compile(r"\s*\|\|(.*?)(?:\|\|)?$")
_ROW = re.compile(r"\s*\|(?!\|)(.*?)\|?$")
_MONOSPACE = re.compile(r"(\{\{.{1,500}?\}\})")
_LINK = re.compile(r"\[([^\[\]|\n]{1,300})\|([^\[\]|\s]{1,1000})(?:\|[^\[\]\n]{0,100})?\]")
_ADDRESS = re.compile(r"\[((?:https?|mailto):[^\[\]|\s]{1,1000})\]")
_USER = re.compile(r"\[~(?:accountid:)?([^\[\]\s]{1,100})\]")
_IMAGE = re.compile(r"(?<!\w)![^\s!|][^!\n|]{0,200}(?:\|[^!\n]{0,100})?!(?!\w)")
_ICON = re.compile(r"\s?\((?:/|x|!|\?|\*|on|off|\+|-|i|y|n)\)")
_DONE = re.compile(r"\((/|x)\)\s*")
_STRONG = re.compile(r"(?<![\w*\\])\*(?=\S)([^*\n]{1,500}?)(?<=\S)\*(?![\w*])")
_STRONG_PART = re.compile(r"\{\*\}([^*\n{}]{1,500})\{\*\}")
_STRUCK = re.compile(r"(?<![\w-])-(?=\S)([^-\n]{1,300}?)(?<=\S)-(?![\w-])")
_UNDERLINED = re.compile(r"(?<![\w+])\+(?=\S)([^+\n]{1,300}?)(?<=\S)\+(?![\w+])")
_EMPHASIS = re.compile(r"(?<![\w_])_(?=\S)([^_\n]{1,300}?)(?<=\S)_(?![\w_])")
_ESCAPED = re.compile(r"\\([*_{}\[\]|#+!^~-])")


def wiki_markdown(text: str) -> str:
    """Convert wiki markup; code blocks become fences, macros without content disappear."""
    parts: list[str] = []
    source = clean_text(text, MAX_DESCRIPTION)
    end = 0
    for code in _BLOCK_CODE.finditer(source):
        parts.append(_prose(source[end : code.start()]))
        language = re.match(r"[\w+#-]{1,30}$", (code[2] or "").split("|")[0])
        body = code[3].strip("\n").replace("```", "'''")
        parts.append(f"\n```{language[0] if language else ''}\n{body}\n```\n")
        end = code.end()
    return "".join([*parts, _prose(source[end:])]).strip("\n")


def _prose(text: str) -> str:
    titled = _MACRO.sub("", _TITLED.sub(_heading_of_panel, text))
    return "\n".join(_Tables().lines([line.rstrip() for line in titled.split("\n")]))


def _heading_of_panel(macro: re.Match[str]) -> str:
    """Return the title of a panel as a heading, or a horizontal rule, which ends a panel."""
    title = _TITLE.search(macro[1]) if macro[1] else None
    name = (title[1] or title[2] or "").strip() if title else ""
    return f"\n\n*{name}*\n\n" if name else "\n\n----\n\n"


class _Tables:
    """Converts lines; stores whether the previous one is in a table, whose header markdown needs."""

    def __init__(self) -> None:
        self._columns = 0

    def lines(self, lines: list[str]) -> Iterator[str]:
        """Yield the lines of markdown."""
        for line in lines:
            row = _HEADER_ROW.match(line) or _ROW.match(line)
            if row is None:
                if self._columns:
                    yield ""
                self._columns = 0
                yield from _line(line)
            else:
                yield from self._row(line, row)

    def _row(self, line: str, row: re.Match[str]) -> Iterator[str]:
        is_header = line.lstrip().startswith("||")
        cells = [
            _inline(cell).replace("\n", " ").strip() for cell in _cells(row[1], "||" if is_header else "|")
        ]
        if not self._columns:
            self._columns = len(cells)
            yield ""
            yield _table_row(cells if is_header else [""] * len(cells))
            yield _table_row(["-"] * len(cells))
            if is_header:
                return
        yield _table_row(cells)


def _cells(row: str, separator: str) -> list[str]:
    """Split a row; the bar inside a link does not separate."""
    shielded = _LINK.sub(lambda link: f"[{link[1]}]({link[2]})", row)
    return shielded.split(separator)


def _table_row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _line(line: str) -> Iterator[str]:
    if heading := _HEADING.match(line):
        yield from ("", "#" * int(heading[1]) + " " + _inline(heading[2]), "")
    elif re.match(r"\s*-{4,}\s*$", line):
        yield from ("", "---", "")
    elif item := _ITEM.match(line):
        yield _list_item(item[1], item[2])
    elif line.lstrip().startswith("bq. "):
        yield "> " + _inline(line.lstrip()[4:])
    else:
        yield _inline(line)


def _list_item(marks: str, text: str) -> str:
    mark = "1. " if marks.endswith("#") else "- "
    depth = len(marks) - 1 if marks[0] in "*#" else 0
    box = _DONE.match(text)
    shown = ("[x] " if box[1] == "/" else "[ ] ") + text[box.end() :] if box else text
    return "   " * depth + mark + _inline(shown)


def _inline(text: str) -> str:
    parts = _MONOSPACE.split(text)
    return "".join(
        "`" + part[2:-2].strip() + "`" if part.startswith("{{") and part.endswith("}}") else _emphasis(part)
        for part in parts
    )


def _emphasis(text: str) -> str:
    linked = _LINK.sub(lambda link: f"[{link[1]}]({link[2]})", _IMAGE.sub("", text))
    linked = _USER.sub(lambda user: "@" + user[1], _ADDRESS.sub(lambda address: address[1], linked))
    linked = _STRONG_PART.sub(r"**\1**", linked)
    for pattern, sign in ((_STRONG, "**"), (_STRUCK, "~~"), (_UNDERLINED, ""), (_EMPHASIS, "")):
        linked = pattern.sub(lambda match, sign=sign: sign + match[1] + sign, linked)  # type: ignore[misc]
    return _ESCAPED.sub(r"\1", _ICON.sub("", linked).replace("\\\\", "\n"))
