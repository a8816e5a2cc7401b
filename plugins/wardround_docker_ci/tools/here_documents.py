"""Copies of Dockerfiles that hadolint can read where its parser differs from BuildKit's.

hadolint ignores the rest of the line after the word that begins a here-document, accepts only names as
delimiters, reads one here-document per command, and finds no delimiter after the tabs that ``<<-`` removes.
The copy has the same lines, without those tabs and without the here-documents that are not scripts: they are
replaced by a file name in COPY and ADD, and by nothing in commands.

hadolint also needs an empty line after each here-document; without it, it rejects the next line and checks
nothing in the file. The copy has the same lines, except for the last one of each script: it is joined to the
line before it if possible, and the terminator moves to its position.

hadolint also continues an instruction that ends in an escaped escape character, as in a Windows path;
in BuildKit it ends there. The copy has a slash instead of that last character.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.lazy import LazyPattern
from wardround.tools.parsing import relative
from wardround.tools.tool import Invocation

if TYPE_CHECKING:
    from wardround.languages.dockerfile import Instruction

_FOLDER = "hadolint"
_ENDS_A_COMMAND = LazyPattern(r"\s*[^#\s](?:.*[^\\&|{(;\s])?\s*$(?<!\bdo)(?<!\bthen)(?<!\belse)")

_ESCAPED_END = LazyPattern(r"(?:\\\\|``)[ \t\r]*$", re.MULTILINE)


def readable(run: Invocation, file: str) -> str:
    """Return the path to pass to hadolint: that of the file, or of its copy."""
    text = (run.root / file).read_bytes().decode("utf-8", "surrogateescape")
    changed = append_slashes(text) if _ESCAPED_END.search(text) else text
    changed = insert_gaps(strip_here_documents(changed)) if "<<" in changed else changed
    if changed == text:
        return file
    copy = _copies(run) / file
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(changed.encode("utf-8", "surrogateescape"))
    return str(copy)


def original(run: Invocation, path: str) -> str:
    """Return the file of a path in hadolint's output, relative to the snapshot."""
    copies = _copies(run)
    return str(Path(path).relative_to(copies)) if Path(path).is_relative_to(copies) else relative(path, run)


def strip_here_documents(text: str) -> str:
    """Return the text without here-documents that are not scripts, and with plain delimiters of the others.

    It has the same number of lines.
    """
    from wardround.languages import dockerfile  # the parser; not needed to start the tool

    for instruction in reversed(dockerfile.read(text).instructions):
        markers = instruction.markers
        if markers and instruction.runs_document and instruction.heredocs[0].text:
            text = _simplify_delimiter(text, instruction)
        elif markers:
            begin, end = instruction.heredocs[0].start, instruction.end
            text = text[:begin] + "\n" * text.count("\n", begin, end) + text[end:]
            stand_in = _stand_in(instruction)
            for marker in reversed(markers):
                text = text[: marker.start] + stand_in + text[marker.end :]
    return text


_STAND_INS = {"COPY": "here.txt", "ADD": "here.tar"}
"""The words that replace a marker; hadolint recommends COPY if ADD has a file that is not an archive."""
_PLAIN = re.compile(r"\d*<<([\"']?)[A-Za-z_]\w*\1")
_TABS = LazyPattern(r"^\t+", re.MULTILINE)


def _stand_in(instruction: Instruction) -> str:
    keyword = instruction.keyword_of_documents
    if keyword in _STAND_INS:
        return _STAND_INS[keyword]
    is_stored = keyword != instruction.keyword
    has_command = len(instruction.words) > len(instruction.markers) + is_stored
    return "" if has_command else "true"


def _simplify_delimiter(text: str, instruction: Instruction) -> str:
    """Return the text in which the delimiter of a script is a name, without the tabs that ``<<-`` removes."""
    marker, document = instruction.markers[0], instruction.heredocs[0]
    if _PLAIN.fullmatch(marker.text):
        return text
    name = re.sub(r"^(?=\d)|\W", "_", marker.delimiter)
    quote = "'" if re.search(r"[\\'\"]", marker.text) else ""
    lines, rest = document.text, text[document.end :]
    if marker.strips:
        lines, rest = _TABS.sub("", lines), rest.lstrip("\t")
    if rest.startswith(marker.delimiter):
        rest = name + rest.removeprefix(marker.delimiter)
    return f"{text[: marker.start]}<<{quote}{name}{quote}{text[marker.end : document.start]}{lines}{rest}"


def insert_gaps(text: str) -> str:
    """Return the text with an empty line after each here-document, and the same number of lines."""
    from wardround.languages import dockerfile  # the parser; not needed to start the tool

    lines = text.split("\n")
    for instruction in dockerfile.read(text).instructions:
        last = text.count("\n", 0, instruction.end)
        begins = text.count("\n", 0, instruction.heredocs[-1].start) if instruction.heredocs else last
        is_close = last + 1 < len(lines) and bool(lines[last + 1].strip())
        if is_close and begins < last:
            if begins < last - 1 and _ENDS_A_COMMAND.match(lines[last - 2]):
                lines[last - 2] += f"; {lines[last - 1].strip()}"
            lines[last - 1 : last + 1] = [lines[last], ""]
    return "\n".join(lines)


def append_slashes(text: str) -> str:
    """Return the text with a slash for an escaped escape character at the end of an instruction."""
    from wardround.languages import dockerfile  # the parser; not needed to start the tool

    file = dockerfile.read(text)
    for instruction in file.instructions:
        if text[instruction.end - 2 : instruction.end] == 2 * file.escape:
            text = f"{text[: instruction.end - 1]}/{text[instruction.end :]}"
    return text


def _copies(run: Invocation) -> Path:
    return run.scratch / _FOLDER / run.root.parent.name
