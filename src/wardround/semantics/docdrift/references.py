"""Mentions of a program's names in texts, and whether they refer to this program."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.lazy import LazyPattern

_NEAR = 15
"""Number of lines around a mention in which other options of the program identify it."""
_OTHERS = 2
_LONGEST_LINE = 2_000
QUOTED_AT_MOST = 80
TELLS_HISTORY = LazyPattern(
    r"\b(?:removed?|removal|deprecat\w*|renam\w+|no longer|formerly|previous(?:ly)?|used to|older|legacy"
    r"|replac\w+|obsolete|dropped|superseded|instead of|versionadded|versionchanged|versionremoved"
    r"|in favou?r of|since (?:v\.?|version )?\d|(?:before|prior to|until) (?:v\.?|version )?\d)\b",
    re.IGNORECASE,
)
_FENCE = LazyPattern(r"\s{0,9}(?:```|~~~)")
_LONG = LazyPattern(r"(?<![\w-])--[A-Za-z][\w-]*")
_SPAN = LazyPattern(r"`+([^`]+)`+")
_SEPARATOR = LazyPattern(r"&&|\|\|?|;|\$\(|`")
_PROMPT = LazyPattern(
    r"^\s*(?:[-*]\s+)?(?:RUN\s+|CMD\s+|ENTRYPOINT\s+|run:\s*\|?\s*|-\s+|\$\s+|>\s+|%\s+|#\s+)*"
)
_ASSIGNED = LazyPattern(r"^[A-Z_][A-Z0-9_]*=")
_PROGRAM = LazyPattern(r"^[A-Za-z_.~/][\w.@/+-]*$")
_COMMON = frozenset(
    """
    help version verbose quiet debug output config file force name all dry-run log-level host port path dir
    format input yes no-input json color no-color user password token url timeout workers model
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
"""Option names of many programs: the program must occur in the same command."""


@dataclass(frozen=True)
class ProgramName:
    """The names of a program.

    Attributes:
        commands: names it is installed under.
        files: paths and dotted names of entry points: ``tools/sync.py``, ``shop.sync``.
    """

    commands: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def is_run_by(self, words: Sequence[str]) -> bool:
        """Return True if the command before an option runs it, through whatever other programs."""
        return any(self._is_program(word.strip("\"'[],()")) for word in words)

    def _is_program(self, word: str) -> bool:
        if posixpath.basename(word) in self.commands:
            return True
        plain = word.removeprefix("./")
        if plain in self.files:
            return True
        is_path = "." in plain.strip(".") or "/" in plain
        return is_path and any(file.endswith((f"/{plain}", f".{plain}")) for file in self.files)

    @cached_property
    def names(self) -> re.Pattern[str] | None:
        """Return the installed names as they occur in prose."""
        if not self.commands:
            return None
        return re.compile(r"(?<![\w.-])(?:" + "|".join(map(re.escape, sorted(self.commands))) + r")(?![\w-])")


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in a documentation file."""

    path: str
    line: int
    text: str
    name: str = ""

    @property
    def quote(self) -> str:
        """Return the text around the name, in one line."""
        text = " ".join(self.text.split())
        if len(text) <= QUOTED_AT_MOST:
            return text
        end = text.find(self.name) + len(self.name)
        start = max(end - QUOTED_AT_MOST // 2, 0)
        piece = text[start : start + QUOTED_AT_MOST - 2].strip()
        return f"{'…' if start else ''}{piece}{'…' if start + QUOTED_AT_MOST - 2 < len(text) else ''}"

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def reference_sites(mentions: Sequence[Reference]) -> str:
    """Return ``README.md:3 still names it``, with a second position and the number of others."""
    if len(mentions) == 1:
        return f"{mentions[0].place} still names it"
    more = f" and {len(mentions) - 2} more" if len(mentions) > 2 else ""
    joint = ", " if more else " and "
    return f"{mentions[0].place}{joint}{mentions[1].place}{more} still name it"


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    fenced: bool


class Document:
    """One documentation file."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def lines(self) -> list[_Line]:
        found, fenced = [], False
        for number, text in enumerate(self.text.split("\n"), 1):
            fence = _FENCE.match(text) is not None
            found.append(_Line(number, text[:_LONGEST_LINE], fenced and not fence))
            fenced ^= fence
        return found

    @cached_property
    def _options(self) -> dict[int, frozenset[str]]:
        """The long options that each line names."""
        return {line.number: frozenset(_LONG.findall(line.text)) for line in self.lines if "--" in line.text}

    def options_near(self, line: int) -> frozenset[str]:
        near = range(line - _NEAR, line + _NEAR + 1)
        return frozenset().union(*(self._options.get(number, frozenset()) for number in near))

    def lines_naming(self, name: str) -> Iterator[_Line]:
        """Return the lines that contain a name as a separate word, except those about the past."""
        if name not in self.text:
            return
        pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        for line in self.lines:
            if name in line.text and pattern.search(line.text) and not self._describes_history(line.number):
                yield line

    def _describes_history(self, number: int) -> bool:
        around = self.lines[max(number - 2, 0) : number + 1]
        return any(TELLS_HISTORY.search(line.text) for line in around)

    def command_before(self, line: _Line, name: str) -> list[str] | None:
        """Return the words of the command before a name; None outside of a command."""
        text, location = line.text, line.text.find(name)
        span = next((s for s in _SPAN.finditer(text) if s.start() <= location < s.end()), None)
        if span is not None:
            before = span[1][: max(location - span.start(1), 0)]
            return _words(before) or None
        shown = line.fenced or text.startswith(("    ", "\t", "$", "RUN ", "> "))
        before = self._continued_text(line.number) + " " + text[:location]
        words = _words(before)
        return words if words and shown and _PROGRAM.match(words[0]) else None

    def _continued_text(self, number: int) -> str:
        """Return the lines above that a backslash joins to this one."""
        parts: list[str] = []
        while number > 1 and self.lines[number - 2].text.rstrip().endswith("\\") and len(parts) < _NEAR:
            number -= 1
            parts.append(self.lines[number - 1].text.rstrip().removesuffix("\\"))
        return " ".join(reversed(parts))


def _words(before: str) -> list[str]:
    """Return the words of the last command in a part of a shell line, without prompts and variables."""
    last = _SEPARATOR.split(before)[-1]
    words = _PROMPT.sub("", last).split()
    while words and _ASSIGNED.match(words[0]):
        words = words[1:]
    return words


def option_mentions(
    document: Document, name: str, program: ProgramName, beside: frozenset[str]
) -> list[Reference]:
    """Return the mentions of an option of a program in a document.

    A mention refers to this program if the program occurs in the same command or line, or other options of
    it
    occur nearby.

    Args:
        beside: the other long options of the program.
    """
    found = []
    for line in document.lines_naming(name):
        command = document.command_before(line, name)
        if command is not None:
            intended = program.is_run_by(command)
        else:
            named = program.names is not None and program.names.search(line.text) is not None
            near = document.options_near(line.number) & beside
            telling = {option for option in near if option.strip("-") not in _COMMON}
            intended = named or (name.strip("-") not in _COMMON and len(telling) >= _OTHERS)
        if intended:
            found.append(Reference(document.path, line.number, line.text, name))
    return found
