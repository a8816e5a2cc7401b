"""The lines that a change adds, without comments, docstrings, messages, unused constants and dead code."""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath

import msgspec

from wardround.analyses.criterion.code_words import code_stems
from wardround.analyses.criterion.demand import stems
from wardround.lazy import LazyPattern


class AddedLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line at the head."""

    number: int
    text: str


class ChangedSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a change as the judge of criteria reads it.

    Attributes:
        removed: the removed lines, which distinguish a modified constant from a new one.
        symbols: names of the functions, classes and components that contain added lines, if known.
        is_test: the file has tests.
    """

    path: str
    added: tuple[AddedLine, ...]
    removed: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    is_test: bool = False


class Language(enum.Enum):
    """How comments and strings are written."""

    PYTHON = "python"
    SCRIPT = "script"
    SQL = "sql"
    CONFIG = "config"
    PROSE = "prose"


class LiveLine(msgspec.Struct, frozen=True):
    """An added line that has an effect.

    Attributes:
        code: in lower case, without comments; strings are included with their quotes.
        bare: the same without the contents of strings.
        original: with its capitals, for names in camel case.
        is_log: it only writes a message.
    """

    number: int
    code: str
    bare: str
    original: str
    is_log: bool = False


class AddedCode(msgspec.Struct, frozen=True, dict=True):
    """The live lines of one file.

    Attributes:
        inert: the text of everything that was excluded: comments, docstrings, prose, dead code.
    """

    source: ChangedSource
    language: Language
    lines: tuple[LiveLine, ...]
    inert: str

    @cached_property
    def effective(self) -> tuple[LiveLine, ...]:
        """The live lines apart from messages."""
        return tuple(line for line in self.lines if not line.is_log)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that added lines define, and the symbols around them, verbatim."""
        found = (next(group for group in match.groups() if group) for match in _DEFINED.finditer(self._text))
        return frozenset(found) | frozenset(self.source.symbols)

    @cached_property
    def unread(self) -> frozenset[str]:
        """The members of types and the parameters that no line reads, in lower case."""
        types = {line.number for line in _type_lines(self)}
        others = [line for line in self.effective if line.number not in types]
        text = "\n".join(line.bare for line in others)
        inserted = [name for line in others for name in _INSERTED.findall(line.code)]
        counts = Counter(re.findall(r"[a-z_$][\w$]*", " ".join((text, *inserted))))
        declared = "\n".join(line.bare for line in self.effective if line.number in types)
        members = {name for name in _MEMBER.findall(declared) if counts[name] == 0}
        signatures = (match[1] for match in _SIGNATURE.finditer(text))
        parameters = {name for signature in signatures for name in _PARAMETER.findall(signature)}
        return frozenset(members | {name for name in parameters if counts[name] == 1})

    @cached_property
    def is_stub(self) -> bool:
        """True if no line does anything but define, import or return a constant."""
        return not any(_DOES.search(line.bare) and not _STUB.match(line.bare) for line in self.effective)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the names and short strings of its live lines, messages and types aside."""
        types = {line.number for line in _type_lines(self)}
        lines = [line.original for line in self.effective if line.number not in types]
        return code_stems(_ANY_NAME.sub(self._read, "\n".join(lines)))

    @cached_property
    def stems_with_path(self) -> frozenset[str]:
        """The same, including the words of its path."""
        return self.stems | stems(self.source.path)

    def _read(self, name: re.Match[str]) -> str:
        return "_" if name[0].lower() in self.unread else name[0]

    @property
    def _text(self) -> str:
        return "\n".join(line.original for line in self.effective)


_ANY_NAME = LazyPattern(r"[A-Za-z_$][\w$]*")
_TYPE = LazyPattern(r"(\s*)(?:export\s+)?(?:declare\s+)?(?:interface\s+\w|type\s+\w+[^=\n]*=)")
_INSERTED = LazyPattern(r"\{([^{}]*)\}")
"""The expressions that a string may insert."""
_MEMBER = LazyPattern(r"([A-Za-z_$][\w$]*)\??\s*:")
_SIGNATURE = LazyPattern(r"\b(?:def|function)\s+\w+\s*\(([^()\n]*)\)")
_PARAMETER = LazyPattern(r"(?:^|,)\s*\*{0,2}([A-Za-z_$][\w$]*)\s*(?=[?:=,]|$)")
_SUFFIXES = {
    Language.PYTHON: (".py", ".pyi"),
    Language.SCRIPT: (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".java", ".go",
                      ".kt", ".cs", ".rs"),
    Language.SQL: (".sql",),
    Language.PROSE: (".md", ".mdx", ".rst", ".txt", ".adoc", ".html", ".ipynb", ".svg", ".csv"),
}  # fmt: skip
_DEFINED = LazyPattern(
    r"\b(?:def|class|function\*?|interface|type|enum)\s+([A-Za-z_$][\w$]*)|"
    r"\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=|^\s*(?:public |private |async |static )*"
    r"([a-z][\w$]*)\s*\([^()\n]*\)\s*(?::[^{\n]+)?\{\s*$",
    re.MULTILINE,
)
_DOES = LazyPattern(r"[\w)\]]\s*\(|[=<>+*/%|&!-]|\breturn\b|\byield\b|\bin\b|\bfrom\b|:")
_STUB = LazyPattern(
    r"\s*(?:\w+\??:\s*[a-z_][\w\[\]|<>., \"'-]*[;,]?|return \w+;?)\s*$|"
    r"\s*(?:(?:async )?def .*:|class .*:|(?:export )?(?:default )?(?:async )?function\b[^{]*\{?|@?\w+\s*$|"
    r"pass|\.\.\.|[)}\];,]*|"
    r"return(?: (?:true|false|none|null|undefined|\d+|\"\"|''|\[\]|\{\}))?;?|raise notimplementederror.*|"
    r"(?:from|import|export) .*|else:?|try:|\} else \{)\s*$"
)
_STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_PYTHON = LazyPattern(
    rf"(?P<long>[rbfuRBFU]{{0,2}}(?:\"\"\"(?s:.*?)(?:\"\"\"|\Z)|'''(?s:.*?)(?:'''|\Z)))|"
    rf"(?P<comment>#[^\n]*)|(?P<string>{_STRING})"
)
_SCRIPT = LazyPattern(rf"(?P<comment>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))|(?P<string>{_STRING}|`(?:[^`\\]|\\.)*`)")
_SQL = LazyPattern(r"(?P<comment>--[^\n]*|/\*(?s:.*?)(?:\*/|\Z))|(?P<string>'(?:[^']|'')*')")
_CONFIG = LazyPattern(rf"(?P<comment>(?:(?<=\s)|^)#[^\n]*)|(?P<string>{_STRING})", re.MULTILINE)
_PATTERNS = {
    Language.PYTHON: _PYTHON, Language.SCRIPT: _SCRIPT, Language.SQL: _SQL, Language.CONFIG: _CONFIG,
}  # fmt: skip
_MARK = "\x00"
_LOG = LazyPattern(
    r"\s*(?:await )?(?:print|console\.\w+|(?:self\.|this\.)?_?(?:log|logger|logging|winston|pino)\.\w+|"
    r"warnings\.warn|"
    r"log(?:debug|info|warn|error)?|debug|echo|raise notice)\s*\("
)
_CONFIG_LABEL = LazyPattern(
    r"\s*(?:-\s+)?(?:description|title|summary|label|comment|echo|maintainer)\s*:|"
    r"\s*(?:-\s+)?name:\s*[^\s#]+\s+[^\s#]|\s*label\b|"
    r"\s*(?:-\s+)?(?:run:\s*)?(?:run\s+)?echo\b|\s*comment on\b"
)
"""Descriptions and output, which set nothing."""
_CONSTANT = LazyPattern(
    r"\s*(?:export\s+)?(?:(?:const|let|var|final|static|public|private|"
    r"readonly)\s+)*([a-z_$][\w$]*)\s*(?::[^=()]+)?=\s*"
    r"(?:-?[\d._]+|\x00|true|false|none|null|undefined|[\[({][\x00\d\s,.:'\"_-]*[\])}])\s*[;,]?\s*$"
)
_EMPTY = LazyPattern(
    r"\bdef (\w+)\([^()\n]*\)[^:\n]*:\s*(?:pass|\.\.\.)\s*$|"
    r"\b(?:const|let) (\w+)\s*=\s*(?:async\s*)?\([^()\n]*\)\s*(?::[^=\n]+)?=>\s*\{\s*\}|"
    r"\bfunction (\w+)\([^()\n]*\)\s*(?::[^{\n]+)?\{\s*\}",
    re.MULTILINE,
)
_NEVER = LazyPattern(r"(\s*)(?:el)?(?:if|while)\s*\(?\s*(?:false|0|none|null)\s*\)?\s*[:{]?\s*$")
_LEAVES = LazyPattern(r"(\s*)(?:return|raise|throw|continue|break)\b.*[^,({\[\\]$")
_PROSE_LINE = LazyPattern(r"\s*(?:[A-Za-z0-9][a-z0-9']*,? +){4,}[a-z0-9']+[.,;:]?\s*$")
_WORDS_IN_ROW = LazyPattern(r"([a-z0-9']+) +(?=([a-z0-9']+))")
_CODE_WORDS = frozenset(
    """
    if else for in not and or is import from as return yield await with lambda async def class del global
    raise assert const let var export extends implements new typeof function default case break throw
    interface type public private readonly static enum while elif except nonlocal pass finally
    """.split()  # noqa: SIM905 - a list of quoted words is harder to read
)
"""Words that can be next to a name in code."""


MAX_LINE = 1_000
"""Characters of a line that are read; longer ones are generated."""
MAX_LINES = 20_000
"""Added lines of a file that are read."""


def language_of(path: str) -> Language:
    """Return the language of a file by its name; unknown ones count as configuration."""
    name = PurePosixPath(path)
    for language, suffixes in _SUFFIXES.items():
        if name.suffix.lower() in suffixes and not name.name.lower().startswith("requirements"):
            return language
    is_document = name.stem.lower() in ("readme", "changelog", "license", "contributing", "authors")
    return Language.PROSE if is_document or "docs" in name.parts[:-1] else Language.CONFIG


def as_line(text: str) -> LiveLine:
    """Return a string as if it were one line of code, to search it by the same rules."""
    return LiveLine(0, text.lower(), text.lower(), text)


def is_constant(line: LiveLine) -> bool:
    """Return True for an assignment of a literal or of a collection of literals."""
    return _CONSTANT.match(line.bare) is not None


def read_added_code(source: ChangedSource, used_elsewhere: frozenset[str] = frozenset()) -> AddedCode:
    """Separate the live lines of a file from what does nothing.

    Args:
        used_elsewhere: names that other added lines of the change use, in lower case.
    """
    language = language_of(source.path)
    if language is Language.PROSE:
        return AddedCode(source, language, (), "\n".join(line.text for line in source.added))
    lines: list[LiveLine] = []
    inert: list[str] = []
    for run in _runs(source.added):
        for line, left_out in _masked_run(run, language):
            inert.append(left_out)
            if line is not None:
                lines.append(line)
    live = _mark_empty_functions(_reachable(lines, language), language)
    live = _drop_unused_constants(live, source, used_elsewhere)
    left = {line.number for line in live}
    inert += [line.original for line in lines if line.number not in left]
    return AddedCode(source, language, tuple(live), "\n".join(filter(None, inert)))


def used_names(sources: Sequence[ChangedSource]) -> Counter[str]:
    """How many added lines have each name, in lower case, comments and strings aside."""
    counts: Counter[str] = Counter()
    for source in sources:
        language = language_of(source.path)
        if language is Language.PROSE:
            continue
        for run in _runs(source.added):
            for line, _ in _masked_run(run, language):
                if line is not None and not re.match(r"\s*(?:export\s*\{|__all__)", line.bare):
                    counts.update(set(re.findall(r"[a-z_$][\w$]*", line.bare)))
    return counts


def _runs(lines: Sequence[AddedLine]) -> Iterator[list[AddedLine]]:
    """Yield the added lines in runs of consecutive numbers."""
    run: list[AddedLine] = []
    for line in lines[:MAX_LINES]:
        if run and line.number != run[-1].number + 1:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _masked_run(run: Sequence[AddedLine], language: Language) -> Iterator[tuple[LiveLine | None, str]]:
    """Yield each line without comments, and the text removed from it."""
    text = "\n".join(line.text[:MAX_LINE] for line in run)
    comments = _PATTERNS[language].sub(lambda match: _blank_comment(match, text, language), text)
    bare = _PATTERNS[language].sub(_empty_lines, comments)
    pairs = zip(run, comments.split("\n"), bare.split("\n"), strict=True)
    depth = 0
    for line, code, outline in pairs:
        is_log = depth > 0 or _is_log(outline.lower(), language)
        depth = max(0, depth + outline.count("(") - outline.count(")")) if is_log else 0
        left_out = line.text if not code.strip() else _difference(line.text, code)
        if not code.strip() or _is_prose(outline, language) or _is_import(outline, language):
            yield None, line.text
        else:
            yield LiveLine(line.number, code.lower(), outline.lower(), code, is_log), left_out


def _blank_comment(match: re.Match[str], text: str, language: Language) -> str:
    """Blank a comment and a docstring; the number of lines stays."""
    piece = match[0]
    if match.lastgroup == "string":
        return piece
    if match.lastgroup == "long":
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if before.strip():
            return piece
    return "".join(character if character == "\n" else " " for character in piece)


def _empty_lines(match: re.Match[str]) -> str:
    return _MARK + "\n" * match[0].count("\n")


def _difference(line: str, code: str) -> str:
    return line[len(code.rstrip()) :] if line.startswith(code.rstrip()) else ""


def _is_log(bare: str, language: Language) -> bool:
    return (_CONFIG_LABEL if language in (Language.CONFIG, Language.SQL) else _LOG).match(bare) is not None


def _is_import(bare: str, language: Language) -> bool:
    """Return True for an import, which has no effect by itself; the uses of its names are other lines."""
    is_code = language in (Language.PYTHON, Language.SCRIPT)
    return is_code and re.match(r"(?:from \S+ import\b|import\b(?!\())", bare) is not None


def _is_prose(bare: str, language: Language) -> bool:
    """Return True for a line of words, as inside a docstring whose quotes are not added lines."""
    if language not in (Language.PYTHON, Language.SCRIPT):
        return False
    if re.match(r"\s*\*\s", bare):
        return True
    pairs = (match.groups() for match in _WORDS_IN_ROW.finditer(bare.lower()))
    return _PROSE_LINE.match(bare) is not None and any(not _CODE_WORDS & set(pair) for pair in pairs)


def _reachable(lines: Sequence[LiveLine], language: Language) -> list[LiveLine]:
    """The lines without blocks that never run: Exclude ``if False``, and the code after a return in its
    block.
    """
    if language not in (Language.PYTHON, Language.SCRIPT):
        return list(lines)
    found: list[LiveLine] = []
    dead_below: int | None = None
    dead_at: int | None = None
    for line in lines:
        indent = len(line.bare) - len(line.bare.lstrip())
        if dead_below is not None and indent > dead_below:
            continue
        if (
            dead_at is not None
            and indent >= dead_at
            and not re.match(r"\s*[)}\]]|\s*(?:else|el|except|case|default)", line.bare)
        ):
            continue
        dead_below = dead_at = None
        if never := _NEVER.match(line.bare):
            dead_below = len(never[1])
            continue
        if leaves := _LEAVES.match(line.bare.rstrip()):
            dead_at = len(leaves[1]) or None
        found.append(line)
    return found


def _mark_empty_functions(lines: Sequence[LiveLine], language: Language) -> list[LiveLine]:
    """Return the lines with a placeholder for the name of each function that does nothing."""
    if language not in (Language.PYTHON, Language.SCRIPT):
        return list(lines)
    text = "\n".join(line.original for line in lines)
    names = {name for match in _EMPTY.finditer(text) for name in match.groups() if name}
    if not names:
        return list(lines)
    anyone = LazyPattern(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b", re.IGNORECASE)
    return [
        msgspec.structs.replace(
            line,
            code=anyone.sub("_", line.code),
            bare=anyone.sub("_", line.bare),
            original=anyone.sub("_", line.original),
        )
        for line in lines
    ]


def _drop_unused_constants(
    lines: Sequence[LiveLine], source: ChangedSource, used_elsewhere: frozenset[str]
) -> list[LiveLine]:
    """Return the lines without new constants that nothing in the change uses; a changed constant stays."""
    counts = Counter(name for line in lines for name in set(re.findall(r"[a-z_$][\w$]*", line.bare)))
    removed = " ".join(source.removed).lower()
    language = language_of(source.path)
    found = []
    for line in lines:
        constant = _CONSTANT.match(line.bare) if language in (Language.PYTHON, Language.SCRIPT) else None
        name = constant[1] if constant else ""
        is_used = not name or counts[name] > 1 or name in used_elsewhere
        if is_used or re.search(rf"(?<![\w$]){re.escape(name)}\s*(?::[^=]+)?=", removed):
            found.append(line)
    return found


def _type_lines(code: AddedCode) -> list[LiveLine]:
    """Return the lines of interfaces and type aliases, which have no effect when the program runs."""
    if code.language is not Language.SCRIPT:
        return []
    found = []
    depth = 0
    for line in code.effective:
        if depth > 0 or _TYPE.match(line.original):
            found.append(line)
            depth += sum(map(line.bare.count, "{([")) - sum(map(line.bare.count, "})]"))
    return found


def outline(text: str, language: Language) -> str:
    """Return code without comments, docstrings and the contents of strings; the number of lines stays."""
    if language not in _PATTERNS:
        return ""
    code = _PATTERNS[language].sub(lambda match: _blank_comment(match, text, language), text)
    return _PATTERNS[language].sub(_empty_lines, code)
