"""False positives of shellcheck: another program reads the text, or the code is correct."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from wardround.lazy import LazyPattern

_EXTRAS = LazyPattern(r"[\w.}\"']\[[\w$][\w,.${} -]*\]")
_INSTALLER = LazyPattern(r"\b(?:pip[\d.]*|pipx|uvx?|poetry|pdm|pipenv|hatch|tox|maturin|conda|mamba)\b")
_ENDS_IN_BACKSLASH = LazyPattern(r"\\\\'")
_DECLARED = LazyPattern(r"\s*(?:local|declare|typeset)\s(?:-\w+\s+)*(?P<names>[^#;&|]*)")
_FUNCTION = LazyPattern(r"\s*(?:function\s+[\w:.-]+|[\w:.-]+\s*\(\s*\))\s*(?:\(\s*\)\s*)?(?:[{(]|$)")
_NAME = LazyPattern(r"(?:(?:local|declare|typeset|export|readonly)\s+(?:-\w+\s+)*)?(\w+)\+?=")
_EXPANDED = LazyPattern(r"[\"']?\$\{?(\w+)\}?")
_FIRST_IS_THIS = frozenset({"BASH_SOURCE", "FUNCNAME", "BASH_LINENO"})
"""Arrays of bash whose first element is the script or function that runs."""
_EMPTY = LazyPattern(r"(?:^|\s)\w+=\s+\\\s*$")
_HERE_STRING = LazyPattern(r"<<<[ \t]*$")
_TAKES_WORDS = LazyPattern(r"\b(?:printf\s+(?:--\s+)?(?:'[^']*'|\"[^\"]*\")|seq|set\s+--)\s+$")
_JOINS_LINES = LazyPattern(r"\$\([^()]*\|\s*tr\s+[\"']\\n[\"']\s+[\"'] [\"']\s*\)")
"""A substitution that joins several lines into one."""
_QUOTED_MATCH = LazyPattern(r"=~\s*(?P<quote>[\"'])(?P<text>.*?)(?P=quote)")
_VARIABLE = LazyPattern(r"\$\{\w+\}|\$\w+")
_OPERATORS = LazyPattern(r"[.*+?^$()\[\]{}|\\]")
_IN_ANY_VERSION = LazyPattern(
    r"(?<![^\s;|&(`])[^\s;|&()<>\"'`*?]*/[^\s;|&()<>\"'`]*[*?][^\s;|&()<>\"'`/]*(?:/[\w.+-]+)+(?=[\s;|&)`]|$)"
)
"""A program in a folder that a pattern selects, such as ``/opt/tool-*/bin/tool``."""


def is_false_positive(code: str, path: str, lines: Sequence[str], line: int, column: int = 0) -> bool:
    """Return True if a result is wrong.

    Args:
        lines: the file; ``line`` and ``column`` are 1-based, and the column is 0 in steps of workflows.
    """
    if path.endswith(".bats") and code in _OF_SUBSHELLS:
        return True
    test = _TESTS.get(code)
    return test is not None and line <= len(lines) and test(lines, line, column)


_OF_SUBSHELLS = frozenset({"SC2030", "SC2031", "SC2218"})
"""Codes about subshells and order; bats runs each test in its own process, after it has read the file."""


def _is_extra(lines: Sequence[str], line: int, column: int) -> bool:
    """Return True for the extras of a Python package, which the shell passes on as they are."""
    first = line
    while first > 1 and lines[first - 2].rstrip().endswith("\\"):
        first -= 1
    command = " ".join(lines[first - 1 : line])
    return _INSTALLER.search(command) is not None and _EXTRAS.search(lines[line - 1]) is not None


def _is_escaped_backslash(lines: Sequence[str], line: int, column: int) -> bool:
    """Return True for a quoted text that ends in an escaped backslash, such as a continued line."""
    return _ENDS_IN_BACKSLASH.search(lines[line - 1]) is not None


def _is_local_name(lines: Sequence[str], line: int, column: int) -> bool:
    """Return True if the assigned name is local to its function, so that it is another variable."""
    text = lines[line - 1]
    assigned: re.Match[str] | None = _NAME.match(text[column - 1 :] if column else text.lstrip())
    return assigned is not None and _is_local(lines, line, assigned[1])


def _is_local(lines: Sequence[str], line: int, name: str) -> bool:
    """Return True if the function around a line declares a name as a local text."""
    for number in range(line, 0, -1):
        declared = _DECLARED.match(lines[number - 1])
        if declared is not None and re.search(rf"(?<![\w$]){name}(?![\w])", declared["names"]):
            return not _is_array(declared[0])
        if number < line and _FUNCTION.match(lines[number - 1]):
            return False
    return False


def _is_array(declaration: str) -> bool:
    return re.search(r"\s-\w*[aA]|=\(", declaration) is not None


def _is_literal_match(lines: Sequence[str], line: int, column: int) -> bool:
    """Return True if the quoted operand of a match contains no operator, so that the quotes change
    nothing.
    """
    match = _QUOTED_MATCH.search(lines[line - 1])
    return match is not None and _OPERATORS.search(_VARIABLE.sub("", match["text"])) is None


def _is_intended_as_string(lines: Sequence[str], line: int, column: int) -> bool:
    """Return True for the first element of ``$BASH_SOURCE`` and the like, or a name that is a text here."""
    expanded: re.Match[str] | None = _EXPANDED.match(lines[line - 1], max(column - 1, 0))
    if expanded is None:
        expanded = _EXPANDED.search(lines[line - 1])
    if expanded is None:
        return False
    return expanded[1] in _FIRST_IS_THIS or _is_local(lines, line, expanded[1])


def _is_empty_on_purpose(lines: Sequence[str], line: int, column: int) -> bool:
    """Return True if an empty variable is set for the command on the next line."""
    return _EMPTY.search(lines[line - 1]) is not None


def _is_split_on_purpose(lines: Sequence[str], line: int, column: int) -> bool:
    """Return True if a command takes each word as an argument, or if no word splitting happens: in a
    here-string.
    """
    text = lines[line - 1]
    before = text[: column - 1] if column else text
    if _HERE_STRING.search(before) or _TAKES_WORDS.search(before):
        return True
    return _JOINS_LINES.search(text[column - 1 :] if column else text) is not None


def _is_in_any_version(lines: Sequence[str], line: int, column: int) -> bool:
    """Return True if a command is the path of a program in a folder that a pattern selects."""
    text = lines[line - 1]
    if column:
        return _IN_ANY_VERSION.match(text, column - 1) is not None
    return _IN_ANY_VERSION.search(text) is not None


_TESTS: dict[str, Callable[[Sequence[str], int, int], bool]] = {
    "SC1007": _is_empty_on_purpose,
    "SC2046": _is_split_on_purpose,
    "SC2128": _is_intended_as_string,
    "SC1003": _is_escaped_backslash,
    "SC2076": _is_literal_match,
    "SC2102": _is_extra,
    "SC2178": _is_local_name,
    "SC2211": _is_in_any_version,
}
