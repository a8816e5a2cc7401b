"""Changes of a file that alter nothing a test could notice: renames, texts, markup, extracted functions."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround_tests.changes.inert_texts import has_same_code, without_texts

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
"""The places in which a module defines a name, or imports it."""
_FUNCTION = LazyPattern(
    r"^(?:export\s+)?(?:async\s+)?(?:def|function\*?)\s+([A-Za-z_$][\w$]*)"
    r"|^(?:export\s+)?const\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?\([^)]*\)\s*(?::[^=]+)?=>"
)
_FRAME = LazyPattern(r"^(?:@.*|import\b.*|from\b.*\bimport\b.*|return\b[^()]*|pass|[\])}({\[;,]*)$")


def changes_behaviour(file: ChangedFileView) -> bool:
    """Return False if an edited file only renames what it defines, has other texts or extracts functions."""
    if file.base_text is None or file.text is None:
        return True
    before, after = map(_code, _after_common_lines(file.base_text.split("\n"), file.text.split("\n")))
    if before == after:
        return False
    gone, new = list(_without(before, after)), list(_without(after, before))
    if _is_renaming(gone, new, file.base_text, file.text) or _is_extraction(gone, new):
        return False
    before, after = (
        _code(without_texts(file.path, text).split("\n")) for text in (file.base_text, file.text)
    )
    return not has_same_code(file.path, before, after)


def _after_common_lines(before: Sequence[str], after: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the lines of two texts from the first that differs."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    count = sum(1 for _ in same)
    return before[count:], after[count:]


def _code(texts: Sequence[str]) -> list[str]:
    """Return the lines of code, without comments, blank lines and the texts that are logged."""
    lines = (line.rstrip() for line in texts if not _is_comment(line))
    return [_TEXT.sub("''", line) if "(" in line and _LOGS.search(line) else line for line in lines if line]


def _is_comment(line: str) -> bool:
    code = line.lstrip()
    return code.startswith(("#", "//", "/*")) or (code.startswith("*") and not code.startswith("**"))


def _without(lines: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    """Yield the lines, without indentation, that are not among the others."""
    left = Counter(line.strip() for line in others)
    for line in map(str.strip, lines):
        if left[line] > 0:
            left[line] -= 1
        else:
            yield line


def _is_renaming(gone: Sequence[str], new: Sequence[str], before: str, after: str) -> bool:
    """Return True if lines differ in names of the file's own alone, each always in the same way."""
    old_tokens, new_tokens = _TOKEN.findall("\n".join(gone)), _TOKEN.findall("\n".join(new))
    if not gone or len(old_tokens) != len(new_tokens):
        return False
    renamed = {pair for pair in zip(old_tokens, new_tokens, strict=True) if pair[0] != pair[1]}
    if len({old for old, _ in renamed}) != len(renamed) or len({name for _, name in renamed}) != len(renamed):
        return False
    return all(_is_renamed(old, name, before, after) for old, name in renamed)


def _is_renamed(old: str, new: str, before: str, after: str) -> bool:
    if not (_NAME.fullmatch(old) and _NAME.fullmatch(new)) or {old, new} & _RESERVED:
        return False
    is_gone = re.search(rf"(?<![\w$]){re.escape(old)}(?![\w$])", after) is None
    is_new = re.search(rf"(?<![\w$]){re.escape(new)}(?![\w$])", before) is None
    return is_gone and is_new and re.search(_DEFINES.format(name=re.escape(old)), before) is not None


def _is_extraction(gone: Sequence[str], new: Sequence[str]) -> bool:
    """Return True if only frames of functions are new, around lines that were there, and their calls."""
    names = {name for line in new for match in _FUNCTION.finditer(line) for name in match.groups() if name}
    if not names or any(not _FRAME.match(line) for line in gone):
        return False
    calls = re.compile(rf"(?<![\w$])(?:{'|'.join(map(re.escape, sorted(names)))})\(")
    return all(_FRAME.match(line) or calls.search(line) for line in new)
