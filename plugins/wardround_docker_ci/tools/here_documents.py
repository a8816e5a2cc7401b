"""Copies of Dockerfiles that hadolint can read where its parser differs from BuildKit's.

hadolint needs an empty line after each here-document; without one it rejects the next line and checks nothing
of the file. The copy has the same lines, except for the last one of each such document: it is joined to the
line before it if possible, and the terminator moves to its position.

hadolint also continues an instruction that ends in an escaped escape character, as in a Windows path;
in BuildKit it ends there. The copy has a slash instead of that last character.
"""

from __future__ import annotations

import re
from pathlib import Path

from wardround.checks.lazy import LazyPattern
from wardround.tools.parsing import relative
from wardround.tools.tool import Invocation

_FOLDER = "hadolint"
_ENDS_A_COMMAND = LazyPattern(r"\s*[^#\s](?:.*[^\\&|{(;\s])?\s*$(?<!\bdo)(?<!\bthen)(?<!\belse)")

_ESCAPED_END = LazyPattern(r"(?:\\\\|``)[ \t\r]*$", re.MULTILINE)


def readable(run: Invocation, file: str) -> str:
    """Return the path to pass to hadolint: the file's own, or that of its copy."""
    text = (run.root / file).read_bytes().decode("utf-8", "surrogateescape")
    changed = with_slashes(text) if _ESCAPED_END.search(text) else text
    changed = with_gaps(changed) if "<<" in changed else changed
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


def with_gaps(text: str) -> str:
    """Return the text with an empty line after each here-document, and the same number of lines."""
    from wardround.languages import dockerfile  # the parser; not needed to start the tool

    lines = text.split("\n")
    for one in dockerfile.read(text).instructions:
        last = text.count("\n", 0, one.end)
        begins = text.count("\n", 0, one.heredocs[-1].start) if one.heredocs else last
        is_close = last + 1 < len(lines) and bool(lines[last + 1].strip())
        if is_close and begins < last:
            if begins < last - 1 and _ENDS_A_COMMAND.match(lines[last - 2]):
                lines[last - 2] += f"; {lines[last - 1].strip()}"
            lines[last - 1 : last + 1] = [lines[last], ""]
    return "\n".join(lines)


def with_slashes(text: str) -> str:
    """Return the text with a slash for an escaped escape character at the end of an instruction."""
    from wardround.languages import dockerfile  # the parser; not needed to start the tool

    file = dockerfile.read(text)
    for one in file.instructions:
        if text[one.end - 2 : one.end] == 2 * file.escape:
            text = f"{text[: one.end - 1]}/{text[one.end :]}"
    return text


def _copies(run: Invocation) -> Path:
    return run.scratch / _FOLDER / run.root.parent.name
