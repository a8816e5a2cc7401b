"""Which files are minified, and which of the others a tool can read."""

from __future__ import annotations

import re

_MINIFIED_NAME = r"[.-]min\.[mc]?js$"
_BUILT_NAME = (
    r"(?:^|[/])(?:node_modules|bower_components|vendor|vendored|third[_-]party|\.yarn)/"
    rf"|{_MINIFIED_NAME}"
    r"|\.bundle\.[mc]?js$|(?:^|/)\.pnp\.[mc]?js$"
)
_SMALL = 4_000
_LARGE = 1_000_000
"""Bytes of text in which semgrep's rules time out."""
_LONG_LINES = 250
"""Characters in a line, on average: no formatter writes such lines, and every minifier does."""
_LONG = 500
_SIGNS = "(){};="
_CODE_SHARE = 0.05
"""Signs of code in the long lines of what a minifier writes; data and comments have fewer."""

TYPED = (".ts", ".tsx", ".mts", ".cts")
SCRIPTS = (*TYPED, ".js", ".jsx", ".mjs", ".cjs")
PARSED = (*SCRIPTS, ".vue", ".svelte")


def scanned(path: str, text: str) -> bool:
    """What semgrep takes: scripts, and no type declarations."""
    return path.endswith(SCRIPTS) and not path.endswith(".d.ts")


def too_large(path: str, text: str) -> str:
    """Why semgrep cannot read a file; empty if it can."""
    if len(text) < _LARGE:
        return ""
    return "it is larger than semgrep reads in time (1 MB); split it, or leave it out with exclude"


def declines(path: str, text: str) -> str:
    """Why no script checks are possible; empty if they are."""
    is_named = re.search(_MINIFIED_NAME, path) is not None
    if not is_minified(text, shortest=0 if is_named else _SMALL):
        return ""
    return "it is minified; review what it is built from, and leave it out with exclude"


def is_bundle(path: str, text: str) -> bool:
    """Return True for a neighbouring file that tells nothing of the project: built, or another's.

    A file under review is read wherever it is.
    """
    return re.search(_BUILT_NAME, path) is not None or is_minified(text)


def is_minified(text: str, shortest: int = _SMALL) -> bool:
    """Return True if most of a text is code in lines that no formatter writes.

    Args:
        text: the content of a script.
        shortest: characters up to which a text is too short to tell; 0 for a file named as minified.
    """
    if len(text) <= shortest or len(text) <= _LONG_LINES * (text.count("\n") + 1):
        return False
    long = [line for line in text.split("\n") if len(line) > _LONG]
    size = sum(map(len, long))
    signs = sum(line.count(sign) for line in long for sign in _SIGNS)
    return 2 * size > len(text) and signs > _CODE_SHARE * size
