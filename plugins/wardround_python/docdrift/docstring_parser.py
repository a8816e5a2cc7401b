"""The parser of docstrings: the parameters, errors and results they document, in all usual styles.

Google's ``Args:`` with indented entries, NumPy's underlined headings, and the fields of Sphinx and Epydoc
(``:param x:``, ``@param x:``). Lines keep their numbers, so that a position in the docstring is one in the
file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.docdrift.model import DocComment, DocEntry, Style

_HISTORY = LazyPattern(
    r"^([ \t]*)(?:\.\. (?:versionadded|versionchanged|version-changed|versionremoved|deprecated|changed|"
    r"deprecated-removed)::|@deprecated\b|@since\b|(?:New|Changed|Added|Deprecated|Removed) (?:in|since) "
    r"(?:version|v?\d)|Deprecated:|Version(?:Added|Changed)\b|!!! (?:warning|danger) \"Deprecated).*$",
    re.MULTILINE | re.IGNORECASE,
)
_FIELD = LazyPattern(
    r"^[ \t]*[:@](param|parameter|arg|argument|key|keyword|kwarg|type|raises?|except|exception|returns?|"
    r"rtype|yields?)\b[ \t]*([^:\n]*):[ \t]?(.*)$"
)
_HEADING = LazyPattern(
    r"^[ \t]*(?:\*\*)?(args|arguments|parameters|params|keyword args|keyword arguments|keyword parameters|"
    r"other parameters|raises|exceptions|returns|return|yields|yield)(?:\*\*)?[ \t]*(:?)(?:\*\*)?[ \t]*$",
    re.IGNORECASE,
)
_ENTRY = LazyPattern(
    r"^[ \t]*(?:[-*+][ \t]+)?[`*]{0,3}\\?\*{0,2}([A-Za-z_][\w.]*)[`*]{0,3}[ \t]*(\([^\n]*?\))?[ \t]*"
    r"(?::(?!:)|[ \t]--?[ \t]|[ \t]\u2013[ \t])(.*)$"
)
_UNDERLINE = LazyPattern(r"^[ \t]*-{3,}[ \t]*$")
_KINDS = {"args": "param", "arguments": "param", "parameters": "param", "params": "param"}
_FIELD_KINDS = {
    "type": "", "rtype": "", "raise": "raises", "except": "raises", "exception": "raises",
    "return": "returns", "yield": "yields",
}  # fmt: skip
_RESULTS = ("returns", "yields")


class _ParsedEntries(msgspec.Struct):
    """The parsed entries so far."""

    style: Style = Style.PLAIN
    parameters: list[DocEntry] = msgspec.field(default_factory=list)
    raises: list[DocEntry] = msgspec.field(default_factory=list)
    results: dict[str, str] = msgspec.field(default_factory=dict)

    def put(self, kind: str, entry: DocEntry) -> None:
        if kind == "param":
            self.parameters.append(entry)
        elif kind == "raises":
            self.raises.append(entry)


def comment_of_docstring(docstring: str) -> DocComment:
    """Return the text of a docstring, as written in the source: its first line is line 0."""
    text = _blank_history(docstring)
    lines = text.split("\n")
    reading = _ParsedEntries()
    _read_sections(lines, reading)
    _read_fields(lines, reading)
    return DocComment(
        text,
        _each_once(reading.parameters),
        _each_once(reading.raises),
        reading.results.get("returns"),
        reading.results.get("yields"),
        reading.style,
        text != docstring,
    )


def _each_once(entries: Sequence[DocEntry]) -> tuple[DocEntry, ...]:
    return tuple({entry.name: entry for entry in reversed(entries)}.values())[::-1]


def _blank_history(docstring: str) -> str:
    """Return the docstring with the descriptions of other versions blanked."""
    if not _HISTORY.search(docstring):
        return docstring
    lines = docstring.split("\n")
    below: int | None = None
    for number, line in enumerate(lines):
        match = _HISTORY.match(line)
        if match:
            below = len(match[1]) if number else -1
        elif below is not None and line.strip() and indent_of(line) <= below:
            below = None
        if below is not None:
            lines[number] = ""
        if below == -1:
            below = None
    return "\n".join(lines)


def indent_of(line: str) -> int:
    """Return the number of white space characters at the start of a line."""
    return len(line) - len(line.lstrip())


def _read_sections(lines: Sequence[str], reading: _ParsedEntries) -> None:
    """Read Google's and NumPy's sections."""
    for number, line in enumerate(lines):
        heading = _HEADING.match(line)
        if heading is None:
            continue
        underlined = number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1]) is not None
        if underlined or heading[2]:
            start = number + 2 if underlined else number + 1
            end = _section_end(lines, start, indent_of(line), underlined)
            _read_section(_kind(heading[1]), lines[:end], start, underlined, reading)


def _read_section(
    kind: str, lines: Sequence[str], start: int, underlined: bool, reading: _ParsedEntries
) -> None:
    """Read the lines from the first one behind the heading."""
    if kind in _RESULTS:
        reading.results.setdefault(kind, "\n".join(lines[start:]).strip())
    else:
        entries = _numpy_entries if underlined else _google_entries
        for entry in entries(lines, start, len(lines)):
            reading.put(kind, entry)
    reading.style = Style.NUMPY if underlined else Style.GOOGLE


def _kind(heading: str) -> str:
    last = heading.lower().split()[-1]
    if last in ("return", "yield"):
        return f"{last}s"
    return "raises" if last == "exceptions" else _KINDS.get(last, last)


def _section_end(lines: Sequence[str], start: int, indent: int, underlined: bool) -> int:
    """Return the line after a section's last."""
    for number in range(start, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        if underlined:
            if indent_of(line) < indent or (number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1])):
                return number
        elif indent_of(line) <= indent:
            return number
    return len(lines)


def _google_entries(lines: Sequence[str], start: int, end: int) -> Iterator[DocEntry]:
    depth = next((indent_of(line) for line in lines[start:end] if line.strip()), 0)
    results = [
        (number, match)
        for number in range(start, end)
        if indent_of(lines[number]) == depth and (match := _ENTRY.match(lines[number]))
    ]
    for location, (number, match) in enumerate(results):
        following = results[location + 1][0] if location + 1 < len(results) else end
        text = "\n".join([f"{match[2] or ''} {match[3]}", *lines[number + 1 : following]]).rstrip()
        yield DocEntry(match[1], text, number)


def _numpy_entries(lines: Sequence[str], start: int, end: int) -> Iterator[DocEntry]:
    depth = next((indent_of(line) for line in lines[start:end] if line.strip()), 0)
    heads = [n for n in range(start, end) if lines[n].strip() and indent_of(lines[n]) == depth]
    for location, number in enumerate(heads):
        names, _, kind = lines[number].partition(":")
        following = heads[location + 1] if location + 1 < len(heads) else end
        text = "\n".join([kind, *lines[number + 1 : following]]).rstrip()
        for name in names.split(","):
            simple = name.strip().strip("`*\\")
            if simple.replace(".", "_").isidentifier():
                yield DocEntry(simple, text, number)


def _read_fields(lines: Sequence[str], reading: _ParsedEntries) -> None:
    """Read Sphinx's and Epydoc's fields."""
    for number, line in enumerate(lines):
        match = _FIELD.match(line) if ":" in line or "@" in line else None
        if match is None:
            continue
        kind = _FIELD_KINDS.get(match[1], match[1])
        text = "\n".join([match[3], *_continuation_lines(lines, number)]).rstrip()
        if kind in _RESULTS:
            reading.results.setdefault(kind, text)
        elif kind and match[2].split():
            name = match[2].split()[-1].strip("`*\\")
            reading.put("raises" if kind == "raises" else "param", DocEntry(name, text, number))
        reading.style = Style.SPHINX


def _continuation_lines(lines: Sequence[str], number: int) -> Iterator[str]:
    """Return the lines below a field that are indented more than it."""
    depth = indent_of(lines[number])
    for line in lines[number + 1 :]:
        if line.strip() and indent_of(line) <= depth:
            return
        yield line
