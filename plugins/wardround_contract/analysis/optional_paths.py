"""Uses of a path that do not break when the file is missing: prose, existence tests and filters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround_contract.analysis.text_search import Line

_PROSE_KEY = (
    r"(?:[\w-]*[_-])?"
    r"(?:prompt|instructions?|description|message|body|comment|title|summary|notes?|about|name)"
)
_PROSE_BLOCK = LazyPattern(rf"(?i)^\s*(?:-\s+)?['\"]?{_PROSE_KEY}['\"]?\s*:\s*[|>][-+\d]*\s*$")
_PROSE_LINE = LazyPattern(rf"(?i)^\s*(?:-\s+)?['\"]?{_PROSE_KEY}['\"]?\s*[:=]\s*['\"]?[^\s\[{{|>'\"]+\s+\S")
_KEY = LazyPattern(r"^\s*(?:-\s+)?['\"]?([\w-]+)['\"]?\s*:")
_YAML = (".yml", ".yaml")
_DATA = (*_YAML, ".json", ".jsonc", ".toml", ".cfg")
_SLASHES = (".js", ".ts", ".mjs", ".mts", ".jsonc", ".gradle")
_SLASHED = LazyPattern(r"(?:^|\s)//")
_HASHED = LazyPattern(r"\s#(?![{!])")
_FAILS = LazyPattern(r"\bexit\s+[1-9$]|\bexit\s*\(|\braise\b|\bthrow\b|::error|\bfail\b|\bfalse\b")
_DEMANDS = LazyPattern(r"(?:!|\bnot)\s*[\w.(\[\s\"']*$")
_BEHIND = 4
"""Number of lines after a test of existence in which a script fails."""
_MAY_FAIL = LazyPattern(r"\|\|\s*(?:true|:)(?:\s|$|['\"])")


def is_prose(line: Line, text: str, column: int) -> bool:
    """Return True if a column of a line is in a comment, or in a text for people or an assistant."""
    if _is_in_comment(line, column):
        return True
    if line.path.endswith(_DATA) and _PROSE_LINE.search(line.text) and "$(" not in line.text:
        return True
    if not line.path.endswith(_YAML):
        return False
    return any(_PROSE_BLOCK.search(key) for key in _enclosing_lines(text, line.number))


def _is_in_comment(line: Line, column: int) -> bool:
    """Return True if a comment begins before a column, and not in a string."""
    before = line.text[:column]
    comment = (_SLASHED if line.path.endswith(_SLASHES) else _HASHED).search(before)
    if comment is None:
        return False
    code = before[: comment.start()]
    return code.count("'") % 2 == 0 and code.count('"') % 2 == 0


def is_filter(line: Line, text: str) -> bool:
    """Return True if a line selects paths: a trigger of a workflow, or a sparse checkout."""
    if not line.path.endswith(_YAML):
        return False
    matches = map(_KEY.search, (line.text, *_enclosing_lines(text, line.number)))
    keys = {match[1] for match in matches if match}
    if "sparse-checkout" in keys or {"rules", "changes"} <= keys:
        return True
    return "on" in keys and not keys.isdisjoint(("paths", "paths-ignore"))


def may_be_missing(line: Line, text: str, token: str) -> bool:
    """Return True if a file tests whether a path exists, or goes on when the command that has it fails.

    A test that fails the build without the file demands the file.
    """
    if _MAY_FAIL.search(line.text[line.text.find(token) :]):
        return True
    holder = re.match(rf"\s*(?:\w+\s+)?(\w+)\s*[:=]\s*[\"']?(?:\./)?{re.escape(token)}", line.text)
    names = [rf"(?:\./|\$\{{?\w+\}}?/)?{re.escape(token)}"]
    names += [rf"(?:\$\{{?|\$\{{\{{\s*env\.)?{holder[1]}\b"] if holder is not None else []
    tests = list(_tests(text, f"(?:{'|'.join(names)})"))
    return bool(tests) and not any(_is_demanded(text, test) for test in tests)


def _tests(text: str, name: str) -> Iterator[re.Match[str]]:
    quoted = rf"[\"'`]?{name}(?![\w/-]|\.\w)[\"'`]?"
    called = r"(?:exists(?:Sync)?|is_?[fF]ile|is_?[dD]ir|pathExists|access(?:Sync)?)"
    shapes = (
        rf"(?<![\w-])-[defrswx]\s+{quoted}",
        rf"\bhashFiles\([^()\n]{{0,200}}{quoted}[^()\n]{{0,200}}\)\s*[!=]=\s*(?:''|\"\")",
        rf"\b{called}\s*\(?\s*(?:[\w.]+\()?{quoted}",
        rf"\b(?:Path|file|File)\(\s*{quoted}\s*\)\.(?:exists|is_?[fF]ile|is_?[dD]ir)",
        rf"(?i:\bTest-Path\s+(?:-\w+\s+)*|\bif\s+(?:not\s+)?exist\s+|\$\(wildcard\s+|^-include\s+){quoted}",
        rf"(?i:\b(?:if|when|whether|unless)\s+(?:the\s+|a\s+|an\s+)?){quoted}\s+(?:file\s+)?(?i:exists|is)\b",
        rf"{quoted}\s*,?\s*\(?(?i:if|when|unless)\s+(?:it|they|present|available|exist)",
    )
    return re.finditer("|".join(f"(?:{shape})" for shape in shapes), text, re.MULTILINE)


def _is_demanded(text: str, test: re.Match[str]) -> bool:
    """Return True if the absence fails the script: after a negated test, or as its alternative."""
    start = text.rfind("\n", 0, test.start()) + 1
    behind = "\n".join(text[test.end() :].split("\n", _BEHIND)[:_BEHIND])
    is_alternative = re.match(r"[\s\]\"']*\|\|", behind) is not None
    is_negated = _DEMANDS.search(text[start : test.start()]) is not None
    return (is_alternative or is_negated) and _FAILS.search(behind) is not None


def _enclosing_lines(text: str, number: int) -> Iterator[str]:
    """Yield the less indented lines above a line, innermost first, as YAML nests them."""
    lines = text.split("\n")[:number]
    indent = _indent_width(lines[-1])
    is_item = lines[-1].lstrip().startswith("- ")
    for line in reversed(lines[:-1]):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        depth = _indent_width(line)
        # a list may have the indentation of its key
        if depth < indent or (is_item and depth == indent and not line.lstrip().startswith("- ")):
            yield line
            indent, is_item = depth, line.lstrip().startswith("- ")


def _indent_width(line: str) -> int:
    return len(line) - len(line.lstrip())
