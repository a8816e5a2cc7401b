"""Detection of minified files, and of files that a tool can read."""

from __future__ import annotations

import re

_MINIFIED_NAME = r"[.-]min\.[mc]?js$"
_BUILT_NAME = (
    r"(?:^|[/])(?:node_modules|bower_components|vendor|vendored|third[_-]party|\.yarn)/"
    rf"|{_MINIFIED_NAME}"
    r"|\.bundle\.[mc]?js$|(?:^|/)\.pnp\.[mc]?js$"
)
_SMALL = 4_000
_LONG_LINES = 250
"""Average line length in characters that no formatter writes and every minifier does."""
_LONG = 500
_SIGNS = "(){};="
_CODE_SHARE = 0.05
"""Signs of code in the long lines of minified files; data and comments have fewer."""

TYPED = (".ts", ".tsx", ".mts", ".cts")
SCRIPTS = (*TYPED, ".js", ".jsx", ".mjs", ".cjs")
PARSED = (*SCRIPTS, ".vue", ".svelte")


def declines(path: str, text: str) -> str:
    """Return the reason why script checks are impossible; empty if they are possible."""
    is_named = re.search(_MINIFIED_NAME, path) is not None
    if not is_minified(text, shortest=0 if is_named else _SMALL):
        return ""
    return "it is minified; review its source, and leave it out with exclude"


def is_bundle(path: str, text: str) -> bool:
    """Return True for an adjacent file that is not the project's own source: generated or vendored.

    A file under review is read at any path.
    """
    return re.search(_BUILT_NAME, path) is not None or is_minified(text)


def is_minified(text: str, shortest: int = _SMALL) -> bool:
    """Return True if most of a string is code in lines that no formatter writes.

    Args:
        text: the content of a script.
        shortest: length in characters below which a file is too short to classify; 0 for a file named as
            minified.
    """
    if len(text) <= shortest or len(text) <= _LONG_LINES * (text.count("\n") + 1):
        return False
    long = [line for line in text.split("\n") if len(line) > _LONG]
    size = sum(map(len, long))
    signs = sum(line.count(sign) for line in long for sign in _SIGNS)
    return 2 * size > len(text) and signs > _CODE_SHARE * size
