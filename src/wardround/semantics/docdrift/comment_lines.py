"""A file divided into lines of code and lines of comments and documentation."""

from __future__ import annotations

from functools import cached_property, lru_cache

import msgspec

from wardround.lazy import LazyPattern

_TRIPLE = ('"""', "'''")
_FUNCTION = LazyPattern(
    r"^\s*(?:(?:async\s+)?def\s+(\w+)|(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)"
    r"|(?:export\s+)?(?:const|let|var)\s+(\w+)\s*(?::[^=\n]{0,120})?=\s*(?:async\s*)?(?:\([^\n]*|\w+\s*)=>"
    r"|(?:(?:public|private|protected|static|async|override|readonly|get"
    r"|set)\s+)*(\w+)\s*(?:<[^>\n]*>)?\([^\n]*\)\s*"
    r"(?::[^{\n]{1,120})?\{\s*$)"
)
_NO_FUNCTION = frozenset(
    {"if", "for", "while", "switch", "catch", "with", "elif", "match", "describe", "it", "test"}
)
_CODE = LazyPattern(
    r"[;{}]\s*$|^[\w.\[\]\"']+\s*(?:=|:=|\+=)\s*\S|\)\s*$|^\W*(?:return|import|from|const|let|if|for)\b"
)
"""A comment that consists of disabled code."""
_OPENS = ("(", "[", "{")
_BODY = LazyPattern(
    r"^\s*(?:(?:async\s+)?def|class|if|elif|else|for|while|with|try|except|function|switch"
    r"|catch)\b|=>\s*\{\s*$"
)
_LONGEST_STATEMENT = 15
"""Maximum number of lines of a call or literal in brackets; a longer one is a table.

A comment above a table does not describe a single line of it.
"""
_LONGEST_QUERY = 40
_WORDS_AT_MOST = 12
"""Maximum number of comment lines above a line of code; more are a chapter."""


class CommentSyntax(msgspec.Struct, frozen=True):
    """The comment syntax of a language.

    Attributes:
        line: the marker of a comment that ends with its line.
        blocks: True if there are ``/* */`` as well.
        triple: True if text in three quotes is documentation.
    """

    line: tuple[str, ...]
    blocks: bool = False
    triple: bool = False
    statements: bool = False
    """True if a statement ends with a semicolon, and its comments describe all of it."""


PYTHON = CommentSyntax(("#",), triple=True)
SCRIPT = CommentSyntax(("//",), blocks=True)


class CommentedSource:
    """The lines of a text, each split into code and comments."""

    def __init__(self, text: str, marks: CommentSyntax) -> None:
        self.lines = text.split("\n")
        self._marks = marks
        self.code: list[str] = []
        self.words: list[str] = []
        """The comments of each line, with blanks instead of code to keep columns; "" without comments."""
        self._read(marks)

    def _read(self, marks: CommentSyntax) -> None:
        closes = ""
        for line in self.lines:
            code, words, closes = _split_line(line, marks, closes)
            self.code.append(code)
            self.words.append(words)

    def is_only_words(self, number: int) -> bool:
        """Return True if a line, 1-based, contains comments and no code."""
        return bool(self.words[number - 1].strip()) and not self.code[number - 1].strip()

    def indent(self, number: int) -> int:
        line = self.lines[number - 1]
        return len(line) - len(line.lstrip())

    def words_above(self, number: int) -> list[int]:
        """Return the comment lines directly above a line."""
        found: list[int] = []
        above = number - 1
        while above >= 1 and self.is_only_words(above) and len(found) < _WORDS_AT_MOST:
            found.append(above)
            above -= 1
        return found[::-1]

    def adjacent_comments(self, number: int) -> list[int]:
        """Return the comment lines about a line: after it, above it, above the call or literal around it."""
        found = [number] if self.words[number - 1].strip() and not self.is_only_words(number) else []
        if self._marks.statements:
            return [*found, *self._statement_comments(number)]
        above = self.words_above(number)
        opener = self.opener(number)
        while not above and opener is not None:
            found += [opener] if self.words[opener - 1].strip() else []
            above = self.words_above(opener)
            opener = self.opener(opener)
        return [*found, *(n for n in above if not _CODE.search(self.words[n - 1].strip().lstrip("#/-* ")))]

    def _statement_comments(self, number: int) -> list[int]:
        """Return the comment lines in a statement that ends with a semicolon, those above it included."""
        found: list[int] = []
        above = number - 1
        while (
            above >= 1 and number - above < _LONGEST_QUERY and not self.code[above - 1].rstrip().endswith(";")
        ):
            found += [above] if self.is_only_words(above) else []
            above -= 1
        return found

    def opener(self, number: int) -> int | None:
        """Return the line that opens the brackets around a line; None outside of a call or literal."""
        indent = self.indent(number)
        for above in range(number - 1, max(number - _LONGEST_STATEMENT, 0), -1):
            code = self.code[above - 1].rstrip()
            if code and self.indent(above) < indent:
                # The brackets of a condition over several lines are not a body.
                is_body = _BODY.search(code) is not None and not code.endswith(("if (", "while ("))
                return above if code.endswith(_OPENS) and not is_body else None
        return None

    def statement(self, number: int) -> range:
        """Return the lines of the innermost call or literal in brackets around a line, or only the line."""
        start = self.opener(number)
        if start is None:
            return range(number, number + 1)
        indent = self.indent(start)
        last = min(start + _LONGEST_STATEMENT, len(self.lines))
        end = next(
            (n for n in range(number + 1, last + 1) if self.code[n - 1].strip() and self.indent(n) <= indent),
            number,
        )
        return range(start, end + 1)

    def function(self, number: int) -> tuple[int, str] | None:
        """Return line and name of the function around a line."""
        indent = self.indent(number) if self.code[number - 1].strip() else None
        for above in range(number - 1, 0, -1):
            if not self.code[above - 1].strip():
                continue
            if indent is not None and self.indent(above) >= indent:
                continue
            indent = self.indent(above)
            name = self._function_name(above)
            if name:
                return above, name
            if indent == 0:
                return None
        return None

    def _function_name(self, number: int) -> str:
        """Return the name of the function that a line begins; empty if it begins none."""
        match = _FUNCTION.match(self.code[number - 1])
        names = match.groups() if match else ()
        name = next(filter(None, names), "")
        return "" if name in _NO_FUNCTION else name

    def documentation(self, function: int) -> list[int]:
        """Return the documentation lines of a function: those above it, or those at the start of its body."""
        above = self.words_above(function)
        below = next(
            (
                n
                for n in range(function, min(function + _LONGEST_STATEMENT, len(self.lines)))
                if self.code[n - 1].rstrip().endswith(":")
            ),
            None,
        )
        inside: list[int] = []
        number = (below or function) + 1
        while (
            below
            and number <= len(self.lines)
            and (self.is_only_words(number) or (inside and not self.lines[number - 1].strip()))
        ):
            inside.append(number)
            number += 1
        return [*above, *inside]

    def body(self, function: int) -> range:
        """Return the lines of a function after its first."""
        indent = self.indent(function)
        last = len(self.lines)
        ends = (
            n
            for n in range(function + 1, last + 1)
            if self.code[n - 1].strip()
            and self.indent(n) <= indent
            and self.code[n - 1].strip()[0] not in ")]}"
        )
        return range(function + 1, next(ends, last + 1))

    @cached_property
    def names(self) -> frozenset[str]:
        """Return every name in the code."""
        from wardround.text.tokens import NAME

        return frozenset(name for code in self.code for name in NAME.findall(code))


def _may_have_words(line: str, marks: CommentSyntax) -> bool:
    """Return True if a comment may begin in a line; a prefilter."""
    if marks.triple and ('"' in line or "'" in line) and ('"""' in line or "'''" in line):
        return True
    return any(mark in line for mark in marks.line) or (marks.blocks and "/*" in line)


def _split_line(line: str, marks: CommentSyntax, closes: str) -> tuple[str, str, str]:
    """Return code and comment of a line, and the terminator of a comment that continues after it."""
    if closes:
        end = line.find(closes)
        if end < 0:
            return "", line, closes
        rest = line[end + len(closes) :]
        code, words, still = _split_line(rest, marks, "") if rest.strip() else ("", "", "")
        return (
            " " * (end + len(closes)) + code if code.strip() else "",
            line[: end + len(closes)] + words,
            still,
        )
    if not _may_have_words(line, marks):
        return line, "", ""
    quote = ""
    location = 0
    while location < len(line):
        char = line[location]
        if quote:
            location += 1 if char == "\\" else 0
            quote = "" if char == quote else quote
        elif marks.triple and line.startswith(_TRIPLE, location):
            return _triple(line, location)
        elif line.startswith(marks.line, location):
            return line[:location], " " * location + line[location:], ""
        elif marks.blocks and line.startswith("/*", location):
            end = line.find("*/", location + 2)
            if end < 0:
                return line[:location], " " * location + line[location:], "*/"
            if not line[end + 2 :].strip():
                return line[:location], " " * location + line[location:end], ""
            location = end + 1
        elif char in "\"'`":
            quote = char
        location += 1
    return line, "", ""


def _triple(line: str, place: int) -> tuple[str, str, str]:
    quotes = line[place : place + 3]
    end = line.find(quotes, place + 3)
    if line[:place].strip(" rRbBfFuU"):
        return (line, "", "") if end >= 0 else (line[:place], "", quotes)
    if end < 0:
        return "", " " * (place + 3) + line[place + 3 :], quotes
    return "", " " * (place + 3) + line[place + 3 : end], ""


@lru_cache(maxsize=4)
def comment_lines(text: str, marks: CommentSyntax) -> CommentedSource:
    """Split a text into code and comments, once for all checks of a file."""
    return CommentedSource(text, marks)
