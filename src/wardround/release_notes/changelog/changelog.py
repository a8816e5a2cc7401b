"""A changelog in Markdown or reStructuredText: its sections by version, and their entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from wardround.lazy import LazyPattern

_MARKDOWN_HEADING = LazyPattern(r"#{1,6}\s+(?P<title>.+?)\s*#*\s*$")
_UNDERLINE = LazyPattern(r"([=\-~^\"'+*#`:._])\1{2,}\s*$")
_BOLD_HEADING = LazyPattern(r"\*\*(?P<title>[^*]{1,200})\*\*\s*(?P<rest>\([^)]{0,60}\))?\s*$")
_BULLET = LazyPattern(r"(?P<indent>\s{0,12})(?:[-*+•]|\d{1,3}[.)]|#\.)\s+(?P<text>\S.*)$")
_LINK = LazyPattern(r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}\)|\[[^\[\]]{0,100}\])?")
_VERSION = (
    r"(?:[A-Za-z@][\w.@/-]{0,60}\s{1,4})?(?:[Vv](?:ersion)?\.?\s{0,2})?"
    r"(?P<version>\d{1,9}(?:\.\d{1,9}){1,5}[\w.+-]{0,40})"
)
_RELEASE_TITLE = LazyPattern(
    rf"\W{{0,4}}{_VERSION}\W{{0,6}}"
    r"(?:\(.{0,200}|(?:released )?\d{4}\b.{0,60}|[-\u2013\u2014:,].{0,200})?"
)
_UNRELEASED = LazyPattern(
    r"(?i)\W{0,4}(?:next(?: release| version)?|upcoming(?: release| version)?|head|main|master"
    r"|.{0,80}\b(?:unreleased|not yet released|to be released|in development)\b.{0,80})\W{0,4}"
)
_BLOCKS = {"```": "```", "<!--": "-->"}
"""The start and the end of a block without text."""


class ChangelogEntry(msgspec.Struct, frozen=True):
    """A statement of a changelog.

    Attributes:
        line: 1-based.
        heading: that of the group which contains it, such as ``Added``; empty without one.
        text: in one line, without the mark of the list.
    """

    path: str
    line: int
    heading: str
    text: str


class ChangelogSection(msgspec.Struct, frozen=True):
    """The entries of a version.

    Attributes:
        line: that of its heading, 1-based.
        version: empty for what is not released yet.
    """

    path: str
    line: int
    title: str
    version: str
    entries: tuple[ChangelogEntry, ...]


class _Line(msgspec.Struct, frozen=True):
    """A line of a changelog; ``title`` is that of a heading, and empty for any other line."""

    number: int
    text: str
    title: str = ""


def sections_of(path: str, text: str) -> list[ChangelogSection]:
    """Return the sections of a changelog, the first one first; text before the first version is in none."""
    found: list[ChangelogSection] = []
    for heading, lines in _by_version(_lines(text)):
        title = _plain_title(heading.title)
        entries = tuple(_entries(path, lines))
        found.append(ChangelogSection(path, heading.number, title, _version(title) or "", entries))
    return found


def fragment(path: str, text: str) -> ChangelogEntry:
    """Return a file that holds one entry, as towncrier and changesets have them, as that entry."""
    lines = text.splitlines()
    start = _end_of_front_matter(lines)
    shown = [line.strip() for line in lines[start:] if line.strip()]
    return ChangelogEntry(path, start + 1, "", " ".join(shown))


def _end_of_front_matter(lines: Sequence[str]) -> int:
    if not lines or lines[0].strip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.strip() == "---"), 0)


def _by_version(lines: Sequence[_Line]) -> Iterator[tuple[_Line, list[_Line]]]:
    """Yield the heading of each version with the lines below it."""
    heading: _Line | None = None
    below: list[_Line] = []
    for line in lines:
        if line.title and _version(_plain_title(line.title)) is not None:
            if heading is not None:
                yield heading, below
            heading, below = line, []
        else:
            below.append(line)
    if heading is not None:
        yield heading, below


def _version(title: str) -> str | None:
    """Return the version of a title, empty for what is not released; None for any other title."""
    release = _RELEASE_TITLE.fullmatch(title)
    if _UNRELEASED.fullmatch(title):
        return ""
    return release["version"].rstrip(".-+") if release else None


def _plain_title(title: str) -> str:
    return _LINK.sub(lambda match: match[1], title).replace("`", "").strip()


def _lines(text: str) -> list[_Line]:
    """Return the lines with the titles of headings, without code blocks and comments."""
    rows = text.splitlines()
    found = []
    for number, row in _text_rows(rows):
        title = _heading(rows, number)
        if title or not _UNDERLINE.match(row):
            found.append(_Line(number, row, title))
    return found


def _text_rows(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are text, with their numbers."""
    end = ""
    for number, row in enumerate(rows, 1):
        start = next((mark for mark in _BLOCKS if row.lstrip().startswith(mark)), "")
        if end:
            end = "" if end in row else end
        elif start and _BLOCKS[start] not in row.lstrip()[len(start) :]:
            end = _BLOCKS[start]
        elif not start:
            yield number, row


def _heading(rows: Sequence[str], number: int) -> str:
    """Return the title of a line that is a heading, else an empty text."""
    row = rows[number - 1]
    for pattern in (_MARKDOWN_HEADING, _BOLD_HEADING):
        match = pattern.match(row)
        if match:
            return " ".join(filter(None, match.groups()))
    below = rows[number].strip() if number < len(rows) else ""
    is_underlined = _UNDERLINE.match(below) is not None and len(below) >= len(row.strip()) - 1
    return row.strip() if is_underlined and not (_UNDERLINE.match(row) or _BULLET.match(row)) else ""


def _entries(path: str, lines: Sequence[_Line]) -> Iterator[ChangelogEntry]:
    """Yield the items of lists, nested ones on their own; without any list, the paragraphs."""
    groups = _items if any(_BULLET.match(line.text) for line in lines) else _paragraphs
    heading = ""
    for group in groups(lines):
        if group[0].title:
            heading = _plain_title(group[0].title)
        else:
            yield _entry(path, heading, group)


def _items(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield the lines of each item, and each heading alone."""
    group: list[_Line] = []
    for line in lines:
        is_start = bool(line.title or _BULLET.match(line.text))
        if group and (is_start or not _is_continuation(line, group[-1])):
            yield group
            group = []
        if group or is_start:
            group.append(line)
        if line.title:
            yield group
            group = []
    if group:
        yield group


def _is_continuation(line: _Line, previous: _Line) -> bool:
    """Return True if a line belongs to the item of the line before it."""
    is_indented = line.text[:1] in (" ", "\t") or not line.text.strip()
    return is_indented or (bool(previous.text.strip()) and line.number == previous.number + 1)


def _paragraphs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield the lines of each paragraph, and each heading alone."""
    group: list[_Line] = []
    for line in lines:
        if group and (line.title or not line.text.strip()):
            yield group
            group = []
        if line.title:
            yield [line]
        elif line.text.strip():
            group.append(line)
    if group:
        yield group


def _entry(path: str, heading: str, lines: Sequence[_Line]) -> ChangelogEntry:
    bullet = _BULLET.match(lines[0].text)
    first = bullet["text"] if bullet else lines[0].text
    text = " ".join([first, *(line.text for line in lines[1:])])
    return ChangelogEntry(path, lines[0].number, heading, " ".join(text.split()))
