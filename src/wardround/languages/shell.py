"""Shell scripts as commands with positions: enough of the grammar to know the arguments of each program.

It parses the subset that people use in RUN lines, workflow steps and scripts of their own. Unknown syntax
becomes a word that nothing matches, so a rule is silent rather than wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from wardround.languages.positions import Passage
from wardround.lazy import LazyPattern

_MOST_NESTED = 4
_BLANK = LazyPattern(r"(?:[ \t\r\f\v]|\\\r?\n)+")
_OPERATOR = LazyPattern(r"&&|\|\||\|&|;;&|;;|;&|[;|&()\n]")
_REDIRECT = LazyPattern(r"(?:\d+|\{\w+\})?(?:<<<|<<-?|>>|>&|<&|>\||<>|[<>])(?!\()|&>>?")
_PLAIN = LazyPattern(r"[^\s'\"\\$`;&|()<>]+")
_DELIMITER = LazyPattern(r"[ \t]*(\\?)(['\"]?)([\w.!@%+-]+)\2")
_ASSIGNMENT = LazyPattern(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=")
_KEYWORDS = frozenset(
    {
        "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "for", "case", "esac", "in",
        "function", "select", "time", "!", "{", "}", "[[", "]]",
    }
)  # fmt: skip
_OPENING = frozenset({"if", "then", "else", "elif", "do", "while", "until", "time", "!", "{"})
_NESTED_START = LazyPattern(r"\$\(|`|<\(|>\(")


class Word(Struct, frozen=True):
    """One word of a command.

    Attributes:
        text: without its quotes; expansions stay verbatim.
        raw: verbatim.
        start: offset in the file; the end is exclusive.
    """

    text: str
    raw: str
    start: int
    end: int


class Redirect(Struct, frozen=True):
    """The redirection of input or output: ``>``, ``<<EOF`` ..., and the word after the operator."""

    sign: str
    target: str


class Command(Struct, frozen=True):
    """A simple command.

    Attributes:
        words: the program and its arguments, without leading assignments and redirections.
        assignments: leading ``NAME=value`` words.
        before: the operator between the previous command and this one; empty at the start.
        after: the operator after it.
        depth: the number of enclosing command substitutions.
    """

    words: tuple[Word, ...]
    assignments: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    before: str
    after: str
    depth: int

    @property
    def name(self) -> str:
        """The program without its folder; empty for a bare assignment."""
        return self.words[0].text.rpartition("/")[2] if self.words else ""

    @property
    def start(self) -> int:
        return (self.assignments or self.words)[0].start

    @property
    def end(self) -> int:
        return (self.words or self.assignments)[-1].end

    @property
    def texts(self) -> list[str]:
        return [word.text for word in self.words]

    def has_flag(self, short: str, *names: str) -> bool:
        """Return True if it has a one-letter option, alone or combined, or one of the long options."""
        for word in self.words[1:]:
            text = word.text
            if text.split("=", 1)[0] in names:
                return True
            bundle = short and len(text) > 1 and text[0] == "-" and text[1] != "-" and text[1:].isalpha()
            if bundle and short in text[1:]:
                return True
        return False


class _Reading(Struct):
    """The parsed part of the current command."""

    words: list[Word] = field(default_factory=list)
    assignments: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    before: str = ""

    def command(self, after: str, depth: int) -> Command | None:
        if not self.words and not self.assignments:
            return None
        return Command(
            tuple(self.words), tuple(self.assignments), tuple(self.redirects), self.before, after, depth
        )


def commands(passage: Passage, depth: int = 0) -> list[Command]:
    """Return the simple commands of a script in source order; substitutions come before their command."""
    return list(_CommandReader(passage, depth).read())


def pipelines(found: Sequence[Command]) -> list[list[Command]]:
    """Return commands connected by pipes, grouped; a single command is a group of one."""
    groups: list[list[Command]] = []
    open_at: dict[int, list[Command]] = {}
    for command in found:
        group = open_at.get(command.depth)
        if group is not None and command.before in ("|", "|&") and group[-1].after == command.before:
            group.append(command)
        else:
            groups.append([command])
            open_at[command.depth] = groups[-1]
    return groups


def unwrap_command(command: Command) -> tuple[Word, ...]:
    """Return the words of the program that is executed, after ``sudo``, ``env``, ``exec`` and their like."""
    words = list(command.words)
    while words and words[0].text.rpartition("/")[2] in _WRAPPERS:
        words.pop(0)
        while words and (words[0].text.startswith("-") or _ASSIGNMENT.match(words[0].text)):
            takes_value = words[0].text in ("-u", "-g", "-n", "--user", "-C", "-s", "-k")
            words.pop(0)
            if takes_value and words:
                words.pop(0)
        if words and re.fullmatch(r"\d+[smh]?", words[0].text):
            words.pop(0)
    return tuple(words)


_WRAPPERS = frozenset(
    {
        "sudo", "doas", "env", "exec", "command", "nice", "nohup", "time", "timeout", "builtin", "ionice",
        "stdbuf", "xargs",
    }
)  # fmt: skip


class _CommandReader:
    """One pass over a script."""

    def __init__(self, passage: Passage, depth: int) -> None:
        self._text = passage.text
        self._shift = passage.start
        self._depth = depth
        self._at = 0
        self._now = _Reading()
        self._waiting: list[tuple[str, bool]] = []

    def read(self) -> Iterator[Command]:
        text = self._text
        while self._at < len(text):
            blank = _BLANK.match(text, self._at)
            if blank:
                self._at = blank.end()
                continue
            if text[self._at] == "#":
                self._at = _line_end(text, self._at)
                continue
            redirect = _REDIRECT.match(text, self._at)
            if redirect:
                yield from self._redirect(redirect)
                continue
            operator = _OPERATOR.match(text, self._at)
            if operator:
                yield from self._end(operator.group())
                self._at = operator.end()
                if operator.group() == "\n" and self._waiting:
                    self._skip_here_documents()
                continue
            yield from self._word()
        yield from self._end("")

    def _end(self, operator: str) -> Iterator[Command]:
        command = self._now.command(operator, self._depth)
        if command is not None:
            yield command
        # A line that ends in an operator continues in the next.
        goes_on = command is None and operator == "\n"
        self._now = _Reading(before=self._now.before if goes_on else operator)

    def _redirect(self, found: re.Match[str]) -> Iterator[Command]:
        self._at = found.end()
        sign = found.group().lstrip("0123456789")
        if sign in ("<<", "<<-"):
            delimiter = _DELIMITER.match(self._text, self._at)
            if delimiter:
                self._waiting.append((delimiter.group(3), sign == "<<-"))
                self._at = delimiter.end()
            self._now.redirects.append(Redirect(sign, delimiter.group(3) if delimiter else ""))
            return
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        start = self._at
        pieces, nested = self._pieces()
        yield from self._nested_commands(nested)
        if self._at == start:
            self._at += 0 if self._at >= len(self._text) or self._text[self._at] in "\n;|&()" else 1
        self._now.redirects.append(Redirect(sign, pieces))

    def _skip_here_documents(self) -> None:
        for delimiter, strips in self._waiting:
            while self._at < len(self._text):
                end = _line_end(self._text, self._at)
                line = self._text[self._at : end].rstrip("\r")
                self._at = min(end + 1, len(self._text))
                # In YAML and in Dockerfiles the delimiter has the same indentation as the rest.
                if line.strip() == delimiter or (strips and line.strip("\t") == delimiter):
                    break
        self._waiting = []

    def _word(self) -> Iterator[Command]:
        start = self._at
        unquoted, nested = self._pieces()
        if self._at == start:  # an unexpected character
            self._at += 1
            return
        yield from self._nested_commands(nested)
        raw = self._text[start : self._at]
        word = Word(unquoted, raw, start + self._shift, self._at + self._shift)
        if not self._now.words:
            if raw in _KEYWORDS:
                if raw in _OPENING and not self._now.assignments:
                    return
                self._now.words.append(word)
                return
            if _ASSIGNMENT.match(raw):
                self._now.assignments.append(word)
                return
        self._now.words.append(word)

    def _nested_commands(self, found: Sequence[tuple[int, int]]) -> Iterator[Command]:
        if self._depth < _MOST_NESTED:
            for start, end in found:
                inside = Passage(self._text[start:end], start + self._shift)
                yield from commands(inside, self._depth + 1)

    def _pieces(self) -> tuple[str, list[tuple[int, int]]]:
        """Read to the end of a word: its text without quotes, and the substitutions in it."""
        text, out, nested = self._text, [], []
        while self._at < len(text):
            plain = _PLAIN.match(text, self._at)
            if plain:
                out.append(plain.group())
                self._at = plain.end()
                continue
            sign = text[self._at]
            if sign == "\\":
                if text[self._at + 1 : self._at + 2] == "\n":
                    break
                out.append(text[self._at + 1 : self._at + 2])
                self._at = min(self._at + 2, len(text))
            elif sign == "'":
                end = _find_sign(text, "'", self._at + 1)
                out.append(text[self._at + 1 : end])
                self._at = min(end + 1, len(text))
            elif sign == '"':
                end = _double_end(text, self._at + 1)
                inside = text[self._at + 1 : end]
                out.append(re.sub(r'\\(["\\$`\n])', r"\1", inside))
                nested += _substitutions(text, self._at + 1, end)
                self._at = min(end + 1, len(text))
            elif sign in "$`" or text.startswith(("<(", ">("), self._at):
                end = _expansion_end(text, self._at)
                out.append(text[self._at : end])
                nested += _substitutions(text, self._at, end)
                self._at = end
            else:
                break
        return "".join(out), nested


def _line_end(text: str, start: int) -> int:
    return _find_sign(text, "\n", start)


def _find_sign(text: str, sign: str, start: int) -> int:
    """Return the offset of a character, or the end of the text."""
    at = text.find(sign, start)
    return len(text) if at < 0 else at


def _double_end(text: str, start: int) -> int:
    """Return the closing quote of a double-quoted string."""
    at = start
    while at < len(text):
        sign = text[at]
        if sign == '"':
            return at
        if sign == "\\":
            at += 2
        elif sign in "$`":
            at = _expansion_end(text, at)
        else:
            at += 1
    return len(text)


def _expansion_end(text: str, start: int) -> int:
    """Return the end of a ``$``, ``$(...)``, ``${...}``, ``${{ ... }}``, ``<(...)`` or backtick expansion."""
    if text.startswith("${{", start):
        return min(_find_sign(text, "}}", start) + 2, len(text))
    if text[start] == "`":
        return min(_find_sign(text, "`", start + 1) + 1, len(text))
    if text[start + 1 : start + 2] == "(":
        return _closing_bracket(text, start + 2, ")")
    if text.startswith("${", start):
        return _closing_bracket(text, start + 2, "}")
    name = _PARAMETER.match(text, start)
    return max(name.end() if name else start + 1, start + 1)


_PARAMETER = LazyPattern(r"\$(?:\w+|[@*#?$!-])?")
_INTERESTING = LazyPattern(r"['\"\\(){}]")


def _closing_bracket(text: str, start: int, sign: str) -> int:
    """Return the end of the bracket that was opened before ``start``."""
    closes = {"(": ")", "{": "}"}
    expected = [sign]
    at = start
    while expected:
        found = _INTERESTING.search(text, at)
        if found is None:
            return len(text)
        at = found.end()
        item = found.group()
        if item == "\\":
            at += 1
        elif item == "'":
            at = min(_find_sign(text, "'", at) + 1, len(text)) if expected[-1] == ")" else at
        elif item == '"':
            at = min(_plain_double_end(text, at) + 1, len(text))
        elif item in closes and closes[item] == expected[-1]:
            expected.append(closes[item])
        elif item == expected[-1]:
            expected.pop()
    return at


_QUOTE_OR_ESCAPE = LazyPattern(r"[\"\\]")


def _plain_double_end(text: str, start: int) -> int:
    """Return the closing quote, assuming that expansions inside contain no quotes of their own."""
    at = start
    while found := _QUOTE_OR_ESCAPE.search(text, at):
        if found.group() == '"':
            return found.start()
        at = found.end() + 1
    return len(text)


def _substitutions(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the contents of the outermost command substitutions between two offsets."""
    found = []
    at = start
    while opening := _NESTED_START.search(text, at, end):
        inside = opening.end()
        if opening.group() == "`":
            close = min(_find_sign(text, "`", inside), end)
            found.append((inside, close))
            at = close + 1
            continue
        behind = min(_closing_bracket(text, inside, ")"), end)
        if text[inside : inside + 1] != "(":  # arithmetic runs nothing
            found.append((inside, max(inside, behind - 1)))
        at = max(behind, inside)
    return found
