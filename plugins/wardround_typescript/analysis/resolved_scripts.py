"""The declarations and imports of a script, read from its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice

import msgspec

from wardround.languages.script.scanner import Scan
from wardround.lazy import LazyPattern
from wardround_typescript.generated_files import is_minified

_MOST_STARS = 8
_LONGEST_LIST = 4_000
_SIGN = LazyPattern(r"[,()\[\]{}]")
_ANGLE = LazyPattern(r"(?<!=)>|<")
_PARAMETER = LazyPattern(
    r"(?:@\w{1,60}(?:\([^()]{0,200}\))?\s*)*(?:(?:public|private|protected|readonly|override)\s+)*"
    r"(?P<name>[A-Za-z_$][\w$]*)\s*\??\s*(?:[:=]|$)"
)
_IMPORT = LazyPattern(
    r"(?<![\w$.])import\s{1,9}([^'\"`;()]{1,4000}?)\s{0,9}from\s{0,9}(['\"])([^'\"\n]{1,300})\2"
)
_PASSED_ON = LazyPattern(
    r"(?<![\w$.])export\s{1,9}(?:type\s{1,9})?\{([^{}]{0,4000})\}\s{0,9}from\s{0,9}(['\"])([^'\"\n]{1,300})\2"
)
_STAR = LazyPattern(r"(?<![\w$.])export\s{1,9}\*\s{1,9}from\s{1,9}(['\"])([^'\"\n]{1,300})\1")
_DEFAULT = LazyPattern(
    r"(?<![\w$.])export\s+default\s+(?:(?:React\.)?memo\s*\(\s*)?(?:async\s+)?(?:function\s*\*?\s*|class\s+)?([A-Za-z_$][\w$]*)"
)
_TYPES = r"(?:<[^()]{0,200}>)?\s{0,9}"
_BOUND = LazyPattern(
    r"(?<![\w$.])(?P<kind>function\b(?=\s|\*)|(?:const|let|var|class)(?=\s))\s{0,9}\*?\s{0,9}"
    r"(?P<name>[A-Za-z_$][\w$]*)"
)
_METHOD = LazyPattern(
    r"(?m)^[ \t]*(?:(?:public|private|protected|static|override|async)[ ]+)*#?(?P<name>[A-Za-z_$][\w$]*)"
    rf"{_TYPES}\("
)
_DECLARED = LazyPattern(rf"\s{{0,9}}{_TYPES}\(")
_HELD = LazyPattern(
    r"\s{0,9}(?::[^=;]{0,200})?=\s{0,9}(?:(?:React\.)?useCallback\(\s{0,20})?(?:async\s{0,9})?"
    rf"(?P<function>function\s{{0,3}}\*?\s{{0,3}}[\w$]{{0,80}})?\s{{0,9}}{_TYPES}\("
)
_CONSTRUCTOR = LazyPattern(r"(?<![\w$.])constructor\s{0,9}\(")
_ARROW = LazyPattern(r"\s{0,9}(?::[^=;{}]{0,200})?=>")
_BODY = LazyPattern(r"\s{0,9}(?::[^;{}=]{0,200})?\{")


class ScriptCallee(msgspec.Struct, frozen=True):
    """A function or class that a call resolves to; unnamed parameters are empty."""

    name: str
    parameters: tuple[str, ...]


class ResolvedScript:
    """A script, scanned on demand."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def scan(self) -> Scan:
        return Scan(self.text)

    @cached_property
    def is_written(self) -> bool:
        """Return True unless it is minified."""
        return not is_minified(self.text)

    def list_at(self, opening: int) -> list[tuple[int, int]] | None:
        """Return the (start, end) of what commas separate in a pair of brackets, without surrounding
        whitespace.
        """
        closing = self.scan.pairs.get(opening)
        if closing is None or closing - opening > _LONGEST_LIST:
            return None
        trimmed = [self._trim_span(*piece) for piece in self._pieces(opening + 1, closing)]
        last_start, last_end = trimmed[-1]
        return trimmed[:-1] if last_start >= last_end else trimmed

    def _pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        at = start
        while (sign := _SIGN.search(self.scan.structure, at, end)) is not None:
            at = sign.end()
            if sign[0] == ",":
                yield start, sign.start()
                start = at
            elif sign[0] in "([{":
                at = self.scan.pairs.get(sign.start(), at - 1) + 1
        yield start, end

    def _trim_span(self, start: int, end: int) -> tuple[int, int]:
        piece = self.scan.code[start:end]
        return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())

    def parameters_at(self, opening: int) -> tuple[str, ...] | None:
        """Return the names of a parameter list; None if it takes any number of arguments."""
        locations = self.list_at(opening)
        if locations is None or any(self.scan.code.startswith("...", start) for start, _ in locations):
            return None
        names: list[str] = []
        depth = 0
        for start, end in locations:
            if depth <= 0:
                match = _PARAMETER.match(self.scan.code[start:end])
                names.append(match["name"] if match else "")
            angles = _ANGLE.findall(self.scan.structure[start:end])
            depth += angles.count("<") - angles.count(">")
        return tuple(names[1:] if names[:1] == ["this"] else names)

    def function(self, name: str) -> ScriptCallee | None:
        """Return the only function or class of a name that the file defines."""
        found = self.bound.get(name, ())
        if len(found) != 1:
            return None
        kind, end = found[0]["kind"], found[0].end()
        opening = self._class_list(end) if kind == "class" else self._function_list(kind, end)
        return self._callee(name, opening)

    def method(self, name: str) -> ScriptCallee | None:
        """Return the only method of a name in the classes of the file."""
        found = self._methods.get(name, ())
        return self._callee(name, found[0]) if len(found) == 1 else None

    def _callee(self, name: str, opening: int | None) -> ScriptCallee | None:
        parameters = self.parameters_at(opening) if opening is not None else None
        return ScriptCallee(name, parameters) if parameters is not None else None

    @cached_property
    def bound(self) -> dict[str, list[re.Match[str]]]:
        """Map each name to the positions of its declarations."""
        found: dict[str, list[re.Match[str]]] = {}
        for match in _BOUND.finditer(self.scan.structure):
            found.setdefault(match["name"], []).append(match)
        return found

    @cached_property
    def _methods(self) -> dict[str, list[int]]:
        """Map each method to the positions of its parameter lists."""
        found: dict[str, list[int]] = {}
        for match in _METHOD.finditer(self.scan.structure):
            if self._is_followed(match.end() - 1, _BODY):
                found.setdefault(match["name"], []).append(match.end() - 1)
        return found

    def _is_followed(self, opening: int, pattern: LazyPattern) -> bool:
        closing = self.scan.pairs.get(opening)
        return closing is not None and pattern.match(self.scan.structure, closing + 1) is not None

    def _function_list(self, kind: str, end: int) -> int | None:
        """Return the position of the parameter list of the declaration before a position."""
        if kind == "function":
            declared = _DECLARED.match(self.scan.structure, end)
            return declared.end() - 1 if declared else None
        held = _HELD.match(self.scan.structure, end)
        if held is None:
            return None
        opening = held.end() - 1
        return opening if self._is_followed(opening, _BODY if held["function"] else _ARROW) else None

    def _class_list(self, end: int) -> int | None:
        """Return the position of the parameter list of the only constructor."""
        start = self.scan.structure.find("{", end)
        closing = self.scan.pairs.get(start, 0)
        constructors = _CONSTRUCTOR.finditer(self.scan.structure, max(start, 0), closing)
        openings = (constructor.end() - 1 for constructor in constructors)
        written = [opening for opening in openings if self._is_followed(opening, _BODY)]
        return written[0] if len(written) == 1 else None

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """Map local names to (module verbatim, exported name): ``*`` for the namespace, ``default`` for the
        default.
        """
        found: dict[str, tuple[str, str]] = {}
        for match in _IMPORT.finditer(self.scan.code):
            for local, name in _names_in(match[1]):
                found[local] = match[3], name
        return found

    def passed_on(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the (module verbatim, exported name) pairs from which the file may re-export a name."""
        for match in _PASSED_ON.finditer(self.scan.code):
            names = dict(reversed(list(_import_bindings(match[1]))))
            if name in names:
                yield match[3], names[name]
                return
        for match in islice(_STAR.finditer(self.scan.code), _MOST_STARS):
            yield match[2], name

    def default_name(self) -> str | None:
        match = _DEFAULT.search(self.scan.structure)
        return match[1] if match else None


def _names_in(clause: str) -> Iterator[tuple[str, str]]:
    """Yield the (local name, name in the module) pairs of an import clause."""
    outside, brace, rest = clause.partition("{")
    for part in outside.removeprefix("type ").split(","):
        words = part.split()
        if len(words) == 3 and words[:2] == ["*", "as"]:
            yield words[2], "*"
        elif len(words) == 1:
            yield words[0], "default"
    if brace:
        yield from _import_bindings(rest.partition("}")[0])


def _import_bindings(inside: str) -> Iterator[tuple[str, str]]:
    for part in inside.split(","):
        words = part.removeprefix("type ").split()
        if len(words) == 1:
            yield words[0], words[0]
        elif len(words) == 3 and words[1] == "as":
            yield words[2], words[0]


@lru_cache(maxsize=64)
def script_of(path: str, text: str) -> ResolvedScript:
    return ResolvedScript(path, text)
