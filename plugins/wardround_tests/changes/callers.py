"""The functions of a file whose bodies use others, by indentation: a test of one runs the others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from wardround.lazy import LazyPattern

_DEFINITION = LazyPattern(
    r"^\s*(?:(?:export|default|abstract|public|private|protected|static|async)\s+)*"
    r"(?:(?:def|class|function\*?)\s+(?P<named>[A-Za-z_$][\w$]*)"
    r"|(?:const|let)\s+(?P<held>[A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:\(|function\b|<|[\w$]+\s*=>)"
    r"|(?P<method>[A-Za-z_$][\w$]*)\([^()\n]*\)[^;={\n]*\{\s*$)"
)
_NO_METHODS = frozenset({"if", "for", "while", "switch", "catch", "with", "function"})
_MOST_STEPS = 3
"""Calls between a test and a function that it runs."""
_SHORTEST = 4
"""Letters of a name that a test uses on purpose."""


def callers_of(names: Collection[str], text: str) -> frozenset[str]:
    """Return the functions, methods and classes of a file that use some functions, in up to three steps."""
    found: set[str] = set()
    expected = set(names)
    for _ in range(_MOST_STEPS):
        callers = set(_users_of(expected, text)) - found - set(names)
        if not callers:
            break
        found |= callers
        expected = callers
    return frozenset(name for name in found if len(name) >= _SHORTEST)


def _users_of(names: Collection[str], text: str) -> Iterator[str]:
    """Yield the definitions around the uses of some names."""
    used = re.compile(rf"(?<![\w$])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w$])")
    around: list[tuple[int, str]] = []
    for line in filter(str.strip, text.split("\n")):
        code = line.lstrip()
        indent = len(line) - len(code)
        name = _defined_name(line)
        if name or code[0] not in ")]}":
            around = [(outer, definition) for outer, definition in around if outer < indent]
        is_use = any(use != name for use in used.findall(line))
        if name:
            around.append((indent, name))
        if is_use:
            yield from (definition for _indent, definition in around)


def _defined_name(line: str) -> str:
    match = _DEFINITION.match(line)
    name = (match["named"] or match["held"] or match["method"]) if match is not None else ""
    return "" if name in _NO_METHODS else name or ""
