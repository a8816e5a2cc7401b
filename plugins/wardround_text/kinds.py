"""Kinds of text files, and the part of a line that is a comment or a string."""

from __future__ import annotations

import enum

from wardround.lazy import LazyPattern

_PROSE = frozenset(
    (
        "md", "markdown", "mdx", "rst", "adoc", "asciidoc", "txt", "text", "tex", "org", "csv", "tsv", "log",
        "snap",
    )
)  # fmt: skip
_TRANSLATION = frozenset(
    ("po", "pot", "ftl", "xlf", "xliff", "arb", "strings", "stringsdict", "resx", "srt", "vtt")
)
_DATA = frozenset(
    ("json", "jsonl", "json5", "xml", "html", "htm", "svg", "ipynb", "map", "lock", "properties")
)
_PROSE_NAMES = frozenset(
    ("LICENSE", "LICENCE", "COPYING", "AUTHORS", "CONTRIBUTORS", "README", "CHANGELOG", "NEWS", "THANKS",
     "CREDITS", "MAINTAINERS", "CODEOWNERS", ".mailmap")
)  # fmt: skip
_LOCALE = LazyPattern(
    r"(?i)(?:^|/)(?:_?locales?|i18n|l10n|lang(?:uage)?s?|translations?|nls|values-[a-z]{2}[\w-]*|"
    r"[a-z]{2}(?:[_-][A-Z]{2})?\.lproj)/"
)
_TESTS = LazyPattern(
    r"(?i)(?:^|/)(?:tests?|__tests__|testing|testdata|fixtures?|specs?|e2e)/|(?:^|/)test_|[._]test\.|\.spec\."
)
_SLASHES = frozenset(
    (
        "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "java", "c", "cc",
        "h", "cpp", "hpp", "cs", "go", "rs", "swift", "kt", "kts", "scala", "php", "dart", "groovy", "proto",
        "scss", "less", "css", "zig", "sol", "jenkinsfile",
    )
)  # fmt: skip
_DASHES = frozenset(("sql", "pgsql", "psql", "lua", "hs", "elm", "adb", "ads", "vhd"))
LONGEST_READ = 5_000
"""Length of the longest line that a person reads; longer ones are data or minified."""
_SOURCE_MAP = LazyPattern(r"\.(?:[mc]?[jt]sx?|css|scss|wasm)\.map\Z")
_QUOTES = "\"'`"


class TextKind(enum.Enum):
    """Purpose of a text file."""

    CODE = "code"
    DATA = "data"
    PROSE = "prose"
    TRANSLATION = "translation"


class LinePart(enum.Enum):
    """Part of a line of code."""

    CODE = "code"
    STRING = "string"
    COMMENT = "comment"


def kind_of(path: str) -> TextKind:
    """Return the purpose of a file by its path; code if unknown."""
    name = path.rpartition("/")[2]
    suffix = name.rpartition(".")[2].lower()
    if suffix in _TRANSLATION or _LOCALE.search(path) is not None:
        return TextKind.TRANSLATION
    if suffix in _PROSE or name in _PROSE_NAMES:
        return TextKind.PROSE
    return TextKind.DATA if suffix in _DATA else TextKind.CODE


def is_for_tests(path: str) -> bool:
    """Return True if a file is a test or test data, where unusual characters are the subject."""
    return _TESTS.search(path) is not None


def is_source_map(path: str, text: str) -> bool:
    """Return True for a source map of a compiler or a bundler, which only tools read."""
    return _SOURCE_MAP.search(path) is not None and '"mappings"' in text


def is_minified(text: str) -> bool:
    """Return True for a file that consists mostly of lines that nobody reads."""
    return 2 * sum(len(line) for line in text.split("\n") if is_unread(line)) > len(text)


def is_unread(line: str) -> bool:
    """Return True for a line that is too long to be read, and not only by its whitespace."""
    return len(line) > LONGEST_READ and len(" ".join(line.split())) > LONGEST_READ


def part_at(path: str, line: str, column: int) -> LinePart:
    """Return the token of a line at a 0-based column, determined from this line only."""
    marks = _comment_marks(path)
    if line.lstrip().startswith((*marks, "* ", "*/")):
        return LinePart.COMMENT
    quote, at = "", 0
    while at < column:
        sign = line[at]
        if quote:
            at += sign == "\\"
            quote = "" if sign == quote else quote
        elif line.startswith(marks, at):
            return LinePart.COMMENT
        elif sign in _QUOTES:
            quote = sign
        at += 1
    return LinePart.STRING if quote else LinePart.CODE


def _comment_marks(path: str) -> tuple[str, ...]:
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    if suffix in _SLASHES:
        return ("//", "/*", "<!--")
    return ("--", "/*") if suffix in _DASHES else ("#", "<!--")
