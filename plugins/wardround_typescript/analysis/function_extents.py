"""The functions of a script that contain a position, found without a syntax tree."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from wardround.languages.script.scanner import Scan
from wardround.lazy import LazyPattern

_DEFINED = LazyPattern(
    r"(?<![\w$.])function\s{0,3}\*?\s{0,3}(?P<function>[A-Za-z_$][\w$]*)"
    r"|(?<![\w$.])(?:const|let|var)\s{1,9}(?P<held>[A-Za-z_$][\w$]*)\s{0,9}=[^;{}\n]{0,200}=>\s{0,9}(?=\{)"
    r"|(?m:^[ \t]*)(?:(?:public|private|protected|static|override|async)[ ]+)*"
    r"(?P<method>[A-Za-z_$][\w$]*)(?=\()"
)
_BODY = LazyPattern(r"\s{0,9}(?::[^;{}]{0,200})?\{")
_VARIABLE = LazyPattern(r"\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)")
_LONGEST_HEAD = 200
"""Number of characters from the name of a function to its parameters."""


class FunctionExtents:
    """The functions of a script with a body in braces."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan

    def names_around(self, offset: int) -> Iterator[str]:
        """Yield the names of the functions that contain a position, and the variable of its line."""
        location = bisect_right(self._functions, (offset,)) - 1
        while location >= 0:
            _, end, name, around = self._functions[location]
            if offset <= end:
                yield name
            location = around
        line_start = self._scan.structure.rfind("\n", 0, offset) + 1
        variable = _VARIABLE.match(self._scan.structure, line_start, offset)
        if variable:
            yield variable[1]

    @cached_property
    def _functions(self) -> list[tuple[int, int, str, int]]:
        """Return (start, end, name, index of the enclosing function or -1) of the functions with a body in
        braces.
        """
        found: list[tuple[int, int, str, int]] = []
        around: list[int] = []
        for match in _DEFINED.finditer(self._scan.structure):
            end = self._scan.pairs.get(self._body(match))
            if end is None:
                continue
            while around and found[around[-1]][1] < match.start():
                around.pop()
            name = match[match.lastgroup or 0]
            found.append((match.start(), end, name, around[-1] if around else -1))
            around.append(len(found) - 1)
        return found

    def _body(self, definition: re.Match[str]) -> int:
        """Return the position of the brace that opens the body of a function; -1 without one."""
        if definition["held"]:
            return definition.end()
        structure = self._scan.structure
        opening = structure.find("(", definition.end(), definition.end() + _LONGEST_HEAD)
        body = _BODY.match(structure, self._scan.pairs.get(opening, len(structure)) + 1)
        return body.end() - 1 if body else -1
