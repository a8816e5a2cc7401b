"""The decision that a coverage file belongs to the tree under review."""

from __future__ import annotations

from wardround.context.line_coverage.model import Lines

_BRACKETS = "{}()[];, \t\r"
_COMMENTS = ("//", "/*", "* ", "*/")


def mismatch(path: str, text: str, lines: Lines) -> str:
    """Return the reason why the measured lines do not belong to a text; empty if they may.

    Only Python is measured by statements: other runners measure empty lines and comments too.
    """
    source = text.split("\n")
    last = max(lines, default=0)
    if last > len(source):
        return f"{path} has no line {last}"
    if path.endswith(".py"):
        for number in sorted(lines):
            if not has_code(path, source[number - 1]):
                return f"{path}:{number} is not a statement"
    return ""


def has_code(path: str, line: str) -> bool:
    """Return True for a line with more than layout and comments; in scripts also more than brackets."""
    code = line.strip()
    if path.endswith(".py"):
        return bool(code) and not code.startswith("#")
    return bool(code.strip(_BRACKETS)) and code != "*" and not code.startswith(_COMMENTS)
