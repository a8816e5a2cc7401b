"""Dockerfiles as stages and instructions with positions.

Docker's own syntax within a line (continuation characters, comments between them) is blanked, never removed,
so an offset into an instruction's text is an offset into the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from wardround.languages.positions import Passage
from wardround.lazy import LazyPattern

INSTRUCTIONS = frozenset(
    {
        "ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL",
        "MAINTAINER", "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
    }
)  # fmt: skip
_DIRECTIVE = LazyPattern(r"#[ \t]*([A-Za-z]\w*)[ \t]*=[ \t]*(.*?)[ \t\r]*$")
_DIRECTIVE_LINE = LazyPattern(
    r"(?P<sign>\#|//)[ \t]*(?P<name>[A-Za-z][A-Za-z0-9]*)[ \t]*=[ \t]*(?P<value>[^\s]+)[^\n]*(?:\n|\Z)"
)
"""A parser directive; of the value, the first word."""
_KEYWORD = LazyPattern(r"[ \t]*([A-Za-z]\w*)")
_FLAG = LazyPattern(r"\s*(--([\w-]+)(?:=((?:\"[^\"]*\"|[^\s\"]|\"(?![^\"]*\"))*))?)(?=\s|$)")
_WORD = LazyPattern(r"(?:[^\s\"'\\]|\\.|\"(?:\\.|[^\"\\])*\"|'[^']*'|[\"'\\])+", re.DOTALL)
_PAIR = LazyPattern(r"([A-Za-z_][\w.-]*)=")
_HEREDOC = LazyPattern(r"\d*<<(-?)([^<]+)")
_SHEBANG = LazyPattern(r"#![ \t]*(\S+)(?:[ \t]+(\S+))?")
_JSON_STRING = LazyPattern(r'"(?:\\.|[^"\\])*"')


class DockerfileToken(Struct, frozen=True):
    """A token of an instruction: its text, and its position."""

    text: str
    start: int
    end: int


class KeyValuePair(Struct, frozen=True):
    """One name and value of ENV, ARG or LABEL; ``value`` is None for an ARG without one."""

    name: DockerfileToken
    value: DockerfileToken | None


class HeredocMarker(Struct, frozen=True):
    """The word that begins a here-document: ``<<-EOF``.

    Attributes:
        delimiter: without quotes and escapes.
        strips: tabs before its lines and its delimiter are removed.
    """

    text: str
    start: int
    end: int
    delimiter: str
    strips: bool


class Instruction(Struct, frozen=True, eq=False):
    """One instruction.

    Attributes:
        keyword: in capitals.
        written: the keyword verbatim.
        body: everything after the keyword and its flags; newlines only inside here-documents.
        flags: the ``--name=value`` before the arguments.
        heredocs: the here-documents of RUN, COPY and ADD, without their delimiters.
        blank_lines: offsets of empty lines inside its continuation.
        comment: the line above it, if that is a comment; without the hash.
    """

    keyword: str
    written: DockerfileToken
    body: Passage
    flags: tuple[tuple[str, DockerfileToken], ...]
    end: int
    heredocs: tuple[Passage, ...] = ()
    blank_lines: tuple[int, ...] = ()
    comment: DockerfileToken | None = None

    @property
    def start(self) -> int:
        return self.written.start

    @property
    def text(self) -> str:
        return self.body.text.strip()

    def flag(self, name: str) -> DockerfileToken | None:
        """Return the value of a flag; of repeated ones the first."""
        return next((value for flag, value in self.flags if flag == name), None)

    @property
    def words(self) -> list[DockerfileToken]:
        """The arguments, unquoted; of the JSON form its strings."""
        listed = self.exec_form
        return _words(self.body) if listed is None else listed

    @property
    def markers(self) -> list[HeredocMarker]:
        """The words that begin its here-documents, as BuildKit reads them: each a separate word."""
        return _markers(self.keyword, self.body)

    @property
    def runs_document(self) -> bool:
        """Return True for ``RUN <<EOF``, whose only here-document is a script or the input of one program."""
        is_one = self.keyword == "RUN" and len(self.heredocs) == 1
        return is_one and self.text.startswith(self.markers[0].text)

    @property
    def keyword_of_documents(self) -> str:
        """The keyword of the instruction that has the here-documents: for ONBUILD that of the stored one."""
        return _keyword_of_documents(self.keyword, self.body)

    @property
    def program_of_document(self) -> str:
        """The program that reads the here-document of ``RUN <<EOF``, without its folder.

        It follows the markers, or is in the first line of the document. Empty for the shell of the stage.
        """
        if not self.runs_document:
            return ""
        command = next((word.text for word in self.words if "<<" not in word.text), "")
        shebang = _SHEBANG.match(self.heredocs[0].text)
        if not command and shebang is not None:
            command = (shebang[2] or "") if shebang[1].endswith("/env") else shebang[1]
        return command.rpartition("/")[2]

    @property
    def exec_form(self) -> list[DockerfileToken] | None:
        """The strings of the JSON form; None for the shell form."""
        text = self.body.text.strip()
        if not text.startswith("["):
            return None
        import json  # most instructions have the shell form

        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(parsed, list) or not all(isinstance(item, str) for item in parsed):
            return None
        found = _JSON_STRING.finditer(self.body.text)
        shift = self.body.start
        return [
            DockerfileToken(item, shift + m.start(), shift + m.end())
            for item, m in zip(parsed, found, strict=False)
        ]

    @property
    def pairs(self) -> list[KeyValuePair]:
        """Names and values of ENV, ARG and LABEL."""
        words = _raw_words(self.body)
        if not words:
            return []
        if self.keyword == "ENV" and not _PAIR.match(words[0].text):
            return _legacy_pair(self.body, words)
        return [pair for word in words if (pair := _pair(word, self.keyword)) is not None]


class Stage(Struct, eq=False):
    """A build stage, which begins with FROM.

    Attributes:
        base: the image or stage it starts from, verbatim.
        name: its name after AS.
        parent: the earlier stage that it is based on; an argument of FROM is replaced by its default.
        instructions: FROM and everything up to the next one.
    """

    index: int
    start: Instruction
    base: DockerfileToken
    name: DockerfileToken | None
    parent: Stage | None = None
    instructions: list[Instruction] = field(default_factory=list)

    def lineage(self) -> Iterator[Stage]:
        """Return the stage and those it is based on, nearest first."""
        stage: Stage | None = self
        while stage is not None:
            yield stage
            stage = stage.parent

    def all(self, *keywords: str) -> list[Instruction]:
        """Return its instructions of these kinds, in order."""
        return [instruction for instruction in self.instructions if instruction.keyword in keywords]


class Dockerfile(Struct):
    """A complete file.

    Attributes:
        directives: the parser directives at its top, by lower-case name.
        preamble: the instructions before the first FROM: ARG, if it is valid.
    """

    text: str
    directives: dict[str, str]
    instructions: list[Instruction]
    preamble: list[Instruction] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    _by_name: dict[str, list[Stage]] = field(default_factory=dict)

    @property
    def escape(self) -> str:
        """Return the escape character, which also continues lines."""
        return self.directives.get("escape", "\\")[:1] or "\\"

    @property
    def frontend(self) -> DockerfileToken | None:
        """Return the image that BuildKit runs to read the file: the value of ``# syntax=``.

        As BuildKit does, skip a shebang line, and read directives after ``//`` if there is none after ``#``.
        """
        return _frontend(self.text, "#") or _frontend(self.text, "//")

    @property
    def global_arguments(self) -> dict[str, DockerfileToken | None]:
        """Return the global arguments for FROM, with their defaults."""
        pairs = [
            pair
            for instruction in self.preamble
            if instruction.keyword == "ARG"
            for pair in instruction.pairs
        ]
        return {pair.name.text: pair.value for pair in pairs}

    def stage_named(self, name: str, before: int) -> Stage | None:
        """Return the stage that a FROM or ``--from`` of a later stage denotes."""
        same_name = reversed(self._by_name.get(name.lower(), ()))
        by_name = next((stage for stage in same_name if stage.index < before), None)
        if by_name is None and name.isdigit() and int(name) < min(before, len(self.stages)):
            return self.stages[int(name)]
        return by_name

    def last_stage_named(self, name: str) -> Stage | None:
        """Return the last stage of a name."""
        return next(reversed(self._by_name.get(name.lower(), ())), None)

    def add_stage(self, stage: Stage) -> None:
        """Add the next stage."""
        self.stages.append(stage)
        if stage.name is not None:
            self._by_name.setdefault(stage.name.text.lower(), []).append(stage)

    def expand(self, text: str) -> str | None:
        """Return a FROM argument with its variables expanded; None if one has no default."""
        if "$" not in text:
            return text
        values: dict[str, str | None] = {}
        for name, value in self.global_arguments.items():
            # A default may contain arguments declared before it; where one has no value, it stays as written.
            values[name] = substitute(value.text, values) or value.text if value else None
        return substitute(text, values)

    @property
    def shipped(self) -> list[Stage]:
        """Return the stages that the final image consists of, last first."""
        return list(self.stages[-1].lineage()) if self.stages else []


def read(text: str) -> Dockerfile:
    """Parse a Dockerfile; other text results in unknown instructions."""
    found = Dockerfile(text, _directives(text), [])
    for instruction in _instructions(text, found.escape):
        found.instructions.append(instruction)
        if instruction.keyword == "FROM":
            _begin_stage(found, instruction)
        if found.stages:
            found.stages[-1].instructions.append(instruction)
        else:
            found.preamble.append(instruction)
    return found


def _begin_stage(file: Dockerfile, element: Instruction) -> None:
    words = element.words
    base = words[0] if words else DockerfileToken("", element.body.start, element.body.start)
    name = words[2] if len(words) > 2 and words[1].text.lower() == "as" else None
    stage = Stage(len(file.stages), element, base, name)
    stage.parent = file.last_stage_named(file.expand(base.text) or base.text)
    file.add_stage(stage)


_VARIABLE = LazyPattern(r"\\\$|\$(?:(\w+)|\{(\w+)(?:(:?[-+?]|[#%/]+)((?:[^{}]|\{[^{}]*\})*))?\})")


def substitute(text: str, values: dict[str, str | None]) -> str | None:
    """Return a string with ``$name`` and ``${name:-word}`` expanded; None if one has no value or default."""
    missing = False

    def value_of(reference: re.Match[str]) -> str:
        nonlocal missing
        name = reference.group(1) or reference.group(2)
        if name is None:
            return "$"
        value, word = values.get(name), reference.group(4) or ""
        match reference.group(3):
            case ":-" | "-" if not value:
                return substitute(word, values) or ""
            case ":+" | "+":
                return word if value else ""
        missing = missing or not value
        return value or ""

    out = _VARIABLE.sub(value_of, text)
    return None if missing else out


def variables(token: DockerfileToken | Passage) -> list[tuple[str, str, DockerfileToken]]:
    """Return the variables in a string: name, the operator of its default or test, and position."""
    return [
        (found.group(1) or found.group(2), found.group(3) or "",
         DockerfileToken(found.group(), token.start + found.start(), token.start + found.end()))
        for found in _VARIABLE.finditer(token.text)
        if found.group() != "\\$"
    ]  # fmt: skip


def _directives(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.removeprefix("\ufeff").split("\n"):
        match = _DIRECTIVE.match(line)
        if match is None or match.group(1).lower() in found:
            break
        found[match.group(1).lower()] = match.group(2)
    return found


def _frontend(text: str, sign: str) -> DockerfileToken | None:
    """Return the image of the directive ``syntax`` behind a comment sign."""
    at = 1 if text.startswith("\ufeff") else 0
    if text.startswith("#!", at):
        at = text.find("\n", at) + 1 or len(text)
    while match := _DIRECTIVE_LINE.match(text, at):
        if match["sign"] != sign:
            return None
        if match["name"].lower() == "syntax":
            return DockerfileToken(match["value"], *match.span("value"))
        at = match.end()
    return None


class _Lines(Struct):
    """The physical lines of a file, each with its offset."""

    text: str
    at: int = 0

    def next(self) -> tuple[int, str] | None:
        if self.at >= len(self.text):
            return None
        start = self.at
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        self.at = end + 1
        return start, self.text[start:end]


def _instructions(text: str, escape: str) -> Iterator[Instruction]:
    lines = _Lines(text, 1 if text.startswith("\ufeff") else 0)
    comment: DockerfileToken | None = None
    while (entry := lines.next()) is not None:
        start, line = entry
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            at = start + line.find("#") + 1
            comment = (
                DockerfileToken(stripped[1:].strip(), at, start + len(line.rstrip())) if stripped else None
            )
            continue
        yield _instruction(lines, start, line, escape, comment)
        comment = None


def _instruction(
    lines: _Lines, start: int, line: str, escape: str, comment: DockerfileToken | None
) -> Instruction:
    """Read an instruction with its continuation lines and here-documents."""
    parts, blank_lines = [], []
    character = re.escape(escape)
    continues = LazyPattern(rf"(?<!{character}){character}[ \t\r]*$")  # escaped, it is itself, as in BuildKit
    at, end = start, start + len(line)
    while True:
        goes_on = continues.search(line)
        body = line[: goes_on.start()] if goes_on else line.removesuffix("\r")
        parts.append(body.ljust(len(line) + 1))
        end = at + len(body.rstrip())
        if not goes_on:
            break
        while (entry := lines.next()) is not None:
            at, line = entry
            stripped = line.strip()
            if stripped and not stripped.startswith("#"):
                break
            if not stripped:
                blank_lines.append(at)
            parts.append(" " * (len(line) + 1))
        if entry is None:
            break
    return _make_instruction(
        lines, Passage("".join(parts)[: len(lines.text) - start], start), end, tuple(blank_lines), comment
    )


def _make_instruction(
    lines: _Lines, logical: Passage, end: int, blank_lines: tuple[int, ...], comment: DockerfileToken | None
) -> Instruction:
    keyword = _KEYWORD.match(logical.text)
    cut = keyword.end() if keyword else len(logical.text) - len(logical.text.lstrip())
    written = logical.text[keyword.start(1) : cut] if keyword else ""
    name = DockerfileToken(written, logical.start + cut - len(written), logical.start + cut)
    flags, behind = _flags(logical, cut) if written.upper() in INSTRUCTIONS else ((), cut)
    body = Passage(logical.text[behind:], logical.start + behind)
    heredocs, last = _here_documents(lines, written.upper(), body)
    return Instruction(
        written.upper(), name, body, flags, max(end, last, name.end), heredocs, blank_lines, comment
    )


def _flags(logical: Passage, at: int) -> tuple[tuple[tuple[str, DockerfileToken], ...], int]:
    found = []
    while match := _FLAG.match(logical.text, at):
        start = match.start(3) if match.group(3) is not None else match.end()
        value = (match.group(3) or "").strip('"')
        found.append(
            (match.group(2), DockerfileToken(value, logical.start + start, logical.start + match.end()))
        )
        at = match.end()
    return tuple(found), at


def _here_documents(lines: _Lines, keyword: str, body: Passage) -> tuple[tuple[Passage, ...], int]:
    documents, last = [], 0
    for marker in _markers(keyword, body):
        begin = min(lines.at, len(lines.text))
        finish = begin
        while (entry := lines.next()) is not None:
            start, line = entry
            last = start + len(line)
            delimiter = line.lstrip("\t") if marker.strips else line
            if delimiter.rstrip("\r") == marker.delimiter:
                break
            finish = min(lines.at, len(lines.text))
        documents.append(Passage(lines.text[begin:finish], begin))
    return tuple(documents), last


def _keyword_of_documents(keyword: str, body: Passage) -> str:
    stored = _KEYWORD.match(body.text) if keyword == "ONBUILD" else None
    return keyword if stored is None else stored[1].upper()


def _markers(keyword: str, body: Passage) -> list[HeredocMarker]:
    if "<<" not in body.text or _keyword_of_documents(keyword, body) not in ("RUN", "COPY", "ADD"):
        return []
    found = ((word, _HEREDOC.fullmatch(word.text)) for word in _raw_words(body))
    return [
        HeredocMarker(word.text, word.start, word.end, unquote(match[2]), bool(match[1]))
        for word, match in found
        if match is not None and not _UNMEANT.search(match[2])
    ]


_UNMEANT = LazyPattern(r"[()|&;]")
"""Signs in a word that belongs to an expression of the shell, as ``$((1 <<2))``."""


def _raw_words(body: Passage) -> list[DockerfileToken]:
    return [
        DockerfileToken(m.group(), body.start + m.start(), body.start + m.end())
        for m in _WORD.finditer(body.text)
    ]


def _words(body: Passage) -> list[DockerfileToken]:
    return [DockerfileToken(unquote(word.text), word.start, word.end) for word in _raw_words(body)]


def unquote(text: str) -> str:
    """Return a word without its quotes and escapes."""
    return re.sub(
        r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)",
        lambda m: m.group(1) or (re.sub(r"\\(.)", r"\1", m.group(2)) if m.group(2) else m.group(3)) or "",
        text,
        flags=re.DOTALL,
    )


def _pair(word: DockerfileToken, keyword: str) -> KeyValuePair | None:
    match = _PAIR.match(word.text)
    if match:
        name = DockerfileToken(match.group(1), word.start, word.start + match.end(1))
        return KeyValuePair(
            name, DockerfileToken(unquote(word.text[match.end() :]), word.start + match.end(), word.end)
        )
    return KeyValuePair(word, None) if keyword == "ARG" else None


def _legacy_pair(body: Passage, words: Sequence[DockerfileToken]) -> list[KeyValuePair]:
    """``ENV name value with blanks``."""
    if len(words) < 2:
        return []
    value = body.text[words[1].start - body.start :].rstrip()
    return [KeyValuePair(words[0], DockerfileToken(value, words[1].start, words[1].start + len(value)))]
