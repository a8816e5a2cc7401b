"""Changes of a file that no test could notice: renames, messages, markup, extracted functions."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from wardround.checks.source import ChangedFileView
from wardround.lazy import LazyPattern
from wardround_tests.changes.inert_texts import blank_strings, has_same_code

_LOGS = LazyPattern(
    r"(?i)\b(?:_?log(?:ger|ging)?|console|print|warnings)(?:\.\w+)*\(|\bclick\.s?echo\(|\bstd(?:err|out)\.write\("
)
_TEXT = LazyPattern(r"(?<!\\)[rbfuRBFU]{0,2}(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)")
_TOKEN = LazyPattern(r"\\.|[A-Za-z_$][\w$]*|\d[\w.]*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|\S")
_NAME = LazyPattern(r"[A-Za-z_$][\w$]*")
_RESERVED = frozenset(keyword.kwlist) | {
    "await", "case", "catch", "const", "debugger", "default", "delete", "do", "export", "extends", "function",
    "instanceof", "let", "new", "null", "of", "super", "switch", "this", "throw", "true", "false", "try",
    "typeof", "undefined", "var", "void", "while", "yield",
}  # fmt: skip
_DEFINES = (
    r"(?:\b(?:def|class|function|const|let|var|import|as|for|type|interface|enum)\s+(?:[\w$]+\s*,\s*)*"
    r"{name}(?![\w$])|(?<![\w$]){name}\s*(?::[^=\n]+)?=(?![=>])|\bdef \w+\([^)\n]*\b{name}\b)"
)
"""The positions at which a module defines a name, or imports it."""
_FUNCTION = LazyPattern(
    r"^(?:export\s+)?(?:async\s+)?(?:def|function\*?)\s+([A-Za-z_$][\w$]*)"
    r"|^(?:export\s+)?const\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?\([^)]*\)\s*(?::[^=]+)?=>"
)
_FRAME = LazyPattern(r"^(?:@.*|import\b.*|from\b.*\bimport\b.*|return\b[^()]*|pass|[\])}({\[;,]*)$")


def changes_behaviour(file: ChangedFileView) -> bool:
    """Return False if an edited file only renames its definitions, changes messages or extracts functions."""
    if file.base_text is None or file.text is None:
        return True
    before, after = map(_code, _skip_common_lines(file.base_text.split("\n"), file.text.split("\n")))
    if before == after:
        return False
    removed, new = list(_lines_not_in(before, after)), list(_lines_not_in(after, before))
    if _is_renaming(removed, new, file.base_text, file.text) or _is_extraction(removed, new):
        return False
    before, after = (
        _code(blank_strings(file.path, text).split("\n")) for text in (file.base_text, file.text)
    )
    return not has_same_code(file.path, before, after)


def _skip_common_lines(before: Sequence[str], after: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the lines of two files from the first that differs."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    count = sum(1 for _ in same)
    return before[count:], after[count:]


def _code(texts: Sequence[str]) -> list[str]:
    """Return the lines of code, without comments, blank lines and logged strings."""
    lines = [line.rstrip() for line in texts if not _is_comment(line)]
    return [_strip_logged_text(line) for line in lines if line]


def _strip_logged_text(line: str) -> str:
    is_logging = "(" in line and _LOGS.search(line) is not None
    return _TEXT.sub("''", line) if is_logging else line


def _is_comment(line: str) -> bool:
    code = line.lstrip()
    return code.startswith(("#", "//", "/*")) or (code.startswith("*") and not code.startswith("**"))


def _lines_not_in(lines: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    """Yield the lines, without indentation, that are not among the others."""
    left = Counter(line.strip() for line in others)
    for line in map(str.strip, lines):
        if left[line] > 0:
            left[line] -= 1
        else:
            yield line


def _is_renaming(gone: Sequence[str], new: Sequence[str], before: str, after: str) -> bool:
    """Return True if the lines differ only by a consistent renaming of names that the file defines."""
    old_tokens, new_tokens = _TOKEN.findall("\n".join(gone)), _TOKEN.findall("\n".join(new))
    if not gone or len(old_tokens) != len(new_tokens):
        return False
    renamed = {(old, name) for old, name in zip(old_tokens, new_tokens, strict=True) if old != name}
    old_names, new_names = {old for old, _ in renamed}, {name for _, name in renamed}
    is_one_to_one = len(old_names) == len(new_names) == len(renamed)
    return is_one_to_one and all(_is_renamed(old, name, before, after) for old, name in renamed)


def _is_renamed(old: str, new: str, before: str, after: str) -> bool:
    if not (_NAME.fullmatch(old) and _NAME.fullmatch(new)) or {old, new} & _RESERVED:
        return False
    is_gone = re.search(rf"(?<![\w$]){re.escape(old)}(?![\w$])", after) is None
    is_new = re.search(rf"(?<![\w$]){re.escape(new)}(?![\w$])", before) is None
    return is_gone and is_new and re.search(_DEFINES.format(name=re.escape(old)), before) is not None


def _is_extraction(gone: Sequence[str], new: Sequence[str]) -> bool:
    """Return True if only frames of functions are new, around lines that were there, and their calls."""
    names = set(_function_names(new))
    if not names or not all(map(_FRAME.match, gone)):
        return False
    calls = re.compile(rf"(?<![\w$])(?:{'|'.join(map(re.escape, sorted(names)))})\(")
    return all(_FRAME.match(line) or calls.search(line) for line in new)


def _function_names(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        for match in _FUNCTION.finditer(line):
            yield from filter(None, match.groups())
