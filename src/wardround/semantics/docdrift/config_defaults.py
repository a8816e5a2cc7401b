"""Defaults of settings that a change modified, while the documentation still states the old ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.cli_values import stated_default
from wardround.semantics.docdrift.doc_files import WordFile, word_files
from wardround.semantics.docdrift.stale_comments import replacements
from wardround.semantics.semdiff.replacements import Replacement, SwapKind
from wardround.storage.regex_cache import bounded

if TYPE_CHECKING:
    from wardround.checks.source import SourceFile

_VARIABLE = LazyPattern(r"[\"']([A-Z][A-Z0-9_]{2,})[\"']\s*[,)]")
_CLASS = LazyPattern(
    r"class (\w*(?:Settings|Config|Configuration|Options|Conf|Preferences)\w*)\b|class \w+\(.*Settings\b"
)
_PREFIX = LazyPattern(r"env_prefix\s*[=:]\s*[\"'](\w*)[\"']")
_HEADER = LazyPattern(r"(?i)\bdefault\b")
_READ_AT_MOST = 100_000
_BELOW, _ABOVE = 6, 3
"""The number of lines around the name of a setting that still describe it."""


@dataclass(frozen=True, slots=True)
class StaleDefault:
    """A document that states the old default of a setting.

    Attributes:
        line: of the code with the new default, 1-based.
        where: path and line of the statement.
        phrase: its words.
    """

    line: int
    name: str
    old: str
    new: str
    where: str
    phrase: str


def stale_defaults(source: SourceFile) -> list[StaleDefault]:
    """Return the statements in documents of the project about settings whose default the change modified."""
    base, text = source.base_text or "", source.text
    lines = text.split("\n")
    found: list[StaleDefault] = []
    for swap in replacements(base, text):
        is_value = swap.kind in (SwapKind.NUMBER, SwapKind.STRING, SwapKind.TRUTH) and swap.old.strip()
        names = _names(swap, lines) if is_value else ()
        if names and swap.line not in {one.line for one in found}:
            stale = next(_in_documents(source, swap, names), None)
            found += [stale] if stale else []
    return found


def _names(swap: Replacement, lines: list[str]) -> tuple[str, ...]:
    """Return the names of the setting in documents; none if it is not a setting."""
    line = lines[swap.line - 1]
    named = _VARIABLE.search(line)
    if named and named[1] != swap.new and line.find(named[1]) < line.rfind(swap.new):
        return (named[1],)
    indent = len(line) - len(line.lstrip())
    if not indent or not swap.key.islower() or not re.match(rf"\s+{re.escape(swap.key)}\s*[:=]", line):
        return ()
    start = next(
        (n for n in range(swap.line - 2, -1, -1) if lines[n].strip() and _indent(lines[n]) < indent), 0
    )
    if not _CLASS.match(lines[start].lstrip()):
        return ()
    prefix = _PREFIX.search("\n".join(lines[start : start + 60]))
    variable = f"{prefix[1] if prefix else ''}{swap.key}".upper()
    return (variable, swap.key)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _in_documents(source: SourceFile, swap: Replacement, names: tuple[str, ...]) -> Iterator[StaleDefault]:
    project = source.project
    naming = frozenset(project.files_with_word(list(names), ("*",)))
    for path, kind in word_files(project, naming):
        text = project.read(path) if path in naming and kind is not WordFile.COMMANDS else None
        if not text or len(text) > _READ_AT_MOST:
            continue
        lines = text.split("\n")
        for name in names:
            for number in _lines_about(name, lines):
                phrase = _says_old(swap, name, lines, number, kind)
                if phrase:
                    yield StaleDefault(swap.line, name, swap.old, swap.new, f"{path}:{number + 1}", phrase)


def _lines_about(name: str, lines: list[str]) -> Iterator[int]:
    """Return the 0-based lines about a setting; a plain word counts if it is marked as a name."""
    escaped = re.escape(name)
    plain = rf"(?<![\w-]){escaped}(?![\w-])"
    marked = rf"^\s*\|\s*`*{escaped}`*\s*\||`{escaped}`|^\s*#?\s*{escaped}\s*[=:]"
    pattern = re.compile(plain if name.isupper() else marked)
    for number, line in enumerate(lines):
        if name in line and pattern.search(line):
            yield number


def _says_old(swap: Replacement, name: str, lines: list[str], number: int, kind: WordFile) -> str | None:
    line = lines[number]
    if line.count("|") > 1:
        return _row_says(swap, lines, number)
    if kind is WordFile.EXAMPLE:
        given = bounded(rf"\s*#?\s*(?:export )?{re.escape(name)}=[\"']?([^\"'\s#]+)").match(line)
        if given and _same(given[1], swap.old):
            return line.strip()
        above = lines[max(number - _ABOVE, 0) : number]
        while above and not above[-1].lstrip().startswith("#"):
            above.pop()
        said = "\n".join(above)
    else:
        below = lines[number + 1 : number + 1 + _BELOW]
        stop = next((n for n, one in enumerate(below) if one.startswith("#")), len(below))
        said = "\n".join([line, *below[:stop]])
    phrase = stated_default(said, swap.old)
    return phrase if phrase and stated_default(said, swap.new) is None else None


def _row_says(swap: Replacement, lines: list[str], number: int) -> str | None:
    """Return the row of a table whose column of defaults contains the old one."""
    first = number
    while first and "|" in lines[first - 1]:
        first -= 1
    header = lines[first].split("|")
    at = next((n for n, cell in enumerate(header) if _HEADER.search(cell)), None)
    cells = [cell.strip(" `'\"*") for cell in lines[number].split("|")]
    if at is None or at >= len(cells) or not _same(cells[at], swap.old):
        return None
    return " ".join(lines[number].split())


def _same(said: str, value: str) -> bool:
    said = said.replace(",", "").replace("_", "") if said[:1].isdigit() else said
    return said.lower() == value.replace("_", "" if value[:1].isdigit() else "_").lower()
