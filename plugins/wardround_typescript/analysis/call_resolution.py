"""Resolution of calls in a script by text: to a function of the same file or of one that it imports."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import RepositoryView
from wardround.languages.script.scanner import Scan
from wardround_typescript.generated_files import is_minified

_MOST_HOPS = 2
_MOST_STARS = 8
_LONGEST_LIST = 4_000
_ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs", "/index.ts", "/index.tsx", "/index.js")
_SCRIPT_ENDING = LazyPattern(r"\.[mc]?jsx?$")
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
        structure, pairs = self.scan.structure, self.scan.pairs
        found, start, at = [], opening + 1, opening + 1
        while (sign := _SIGN.search(structure, at, closing)) is not None:
            at = sign.end()
            if sign[0] == ",":
                found.append((start, sign.start()))
                start = at
            elif sign[0] in "([{":
                at = pairs.get(sign.start(), at - 1) + 1
        found.append((start, closing))
        trimmed = [self._trimmed(*one) for one in found]
        return trimmed[:-1] if trimmed[-1][0] >= trimmed[-1][1] else trimmed

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        piece = self.scan.code[start:end]
        return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())

    def parameters_at(self, opening: int) -> tuple[str, ...] | None:
        """Return the names of a parameter list; None if it takes any number of arguments."""
        places = self.list_at(opening)
        if places is None:
            return None
        names: list[str] = []
        depth = 0
        for start, end in places:
            piece = self.scan.code[start:end]
            if piece.startswith("..."):
                return None
            if depth <= 0:
                match = _PARAMETER.match(piece)
                names.append(match["name"] if match else "")
            depth += sum(1 if sign == "<" else -1 for sign in _ANGLE.findall(self.scan.structure[start:end]))
        return tuple(names[1:] if names[:1] == ["this"] else names)

    def function(self, name: str) -> ScriptCallee | None:
        """Return the only function or class of a name that the file defines."""
        found = self.bound.get(name, ())
        if len(found) != 1:
            return None
        kind = found[0]["kind"]
        opening = (
            self._class_list(found[0].end()) if kind == "class" else self._function_list(kind, found[0].end())
        )
        return self._callee(name, opening)

    def method(self, name: str) -> ScriptCallee | None:
        """Return the only method of a name in the classes of the file."""
        found = self._methods.get(name, ())
        return self._callee(name, found[0]) if len(found) == 1 else None

    def _callee(self, name: str, opening: int | None) -> ScriptCallee | None:
        parameters = None if opening is None else self.parameters_at(opening)
        return None if parameters is None else ScriptCallee(name, parameters)

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
        found = (_DECLARED if kind == "function" else _HELD).match(self.scan.structure, end)
        if found is None:
            return None
        opening = found.end() - 1
        if kind == "function":
            return opening
        return opening if self._is_followed(opening, _BODY if found["function"] else _ARROW) else None

    def _class_list(self, end: int) -> int | None:
        """Return the position of the parameter list of the only constructor."""
        start = self.scan.structure.find("{", end)
        closing = self.scan.pairs.get(start, 0)
        found = [
            match.end() - 1 for match in _CONSTRUCTOR.finditer(self.scan.structure, max(start, 0), closing)
        ]
        written = [opening for opening in found if self._is_followed(opening, _BODY)]
        return written[0] if len(written) == 1 else None

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """Map local names to (module as written, exported name): ``*`` for the namespace, ``default`` for the
        default.
        """
        found: dict[str, tuple[str, str]] = {}
        for match in _IMPORT.finditer(self.scan.code):
            for local, name in _names_in(match[1]):
                found[local] = match[3], name
        return found

    def passed_on(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the (module as written, exported name) pairs from which the file may re-export a name."""
        for match in _PASSED_ON.finditer(self.scan.code):
            for local, there in _listed(match[1]):
                if local == name:
                    yield match[3], there
                    return
        for match in list(_STAR.finditer(self.scan.code))[:_MOST_STARS]:
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
        yield from _listed(rest.partition("}")[0])


def _listed(inside: str) -> Iterator[tuple[str, str]]:
    for part in inside.split(","):
        words = part.removeprefix("type ").split()
        if len(words) == 1:
            yield words[0], words[0]
        elif len(words) == 3 and words[1] == "as":
            yield words[2], words[0]


@lru_cache(maxsize=64)
def script_of(path: str, text: str) -> ResolvedScript:
    return ResolvedScript(path, text)


def callee_of(
    written: str, is_new: bool, script: ResolvedScript, project: RepositoryView
) -> ScriptCallee | None:
    """Return the declaration that a call resolves to.

    Args:
        written: the callee as written: ``crop``, ``this.crop``, ``shapes.crop``.
    """
    owner, _, name = written.rpartition(".")
    if owner == "this":
        return None if is_new else script.method(name)
    if owner:
        module, there = script.imports.get(owner, ("", ""))
        return _imported(module, name, script.path, project, _MOST_HOPS) if there == "*" else None
    if name in script.imports:
        return (
            None
            if name in script.bound
            else _imported(*script.imports[name], script.path, project, _MOST_HOPS)
        )
    return script.function(name)


def _imported(
    module: str, name: str, importer: str, project: RepositoryView, hops: int
) -> ScriptCallee | None:
    found = file_meant(module, importer, project)
    if found is None:
        return None
    path, text = found
    script = script_of(path, text)
    wanted = script.default_name() if name == "default" else name
    if wanted is None or name == "*" or not script.is_written:
        return None
    callee = script.function(wanted)
    if callee is not None or not hops:
        return callee
    for further, there in script.passed_on(name):
        callee = _imported(further, there, path, project, hops - 1)
        if callee is not None:
            return callee
    return None


def origin(name: str, script: ResolvedScript, project: RepositoryView) -> tuple[ResolvedScript, str] | None:
    """Return the file that declares an imported name, and the name there."""
    module, there = script.imports.get(name, ("", ""))
    return None if there in ("", "*") else declared_in(module, there, script.path, project)


def declared_in(
    module: str, name: str, importer: str, project: RepositoryView, hops: int = _MOST_HOPS
) -> tuple[ResolvedScript, str] | None:
    """Return the file that declares a name of a module, and the name there; that of a default may differ."""
    found = file_meant(module, importer, project)
    if found is None:
        return None
    script = script_of(*found)
    if not script.is_written:
        return None
    wanted = script.default_name() if name == "default" else name
    if wanted is not None and wanted in script.bound:
        return script, wanted
    for further, there in script.passed_on(name) if hops else ():
        passed = declared_in(further, there, script.path, project, hops - 1)
        if passed is not None:
            return passed
    return None


def module_text(module: str, importer: str, project: RepositoryView) -> str | None:
    """Return the text of the file of the repository that an import resolves to."""
    found = file_meant(module, importer, project)
    return None if found is None else found[1]


def file_meant(module: str, importer: str, project: RepositoryView) -> tuple[str, str] | None:
    """Return path and text of the file that an import resolves to; None outside the repository."""
    for stem in stems_meant(module, importer):
        bare = _SCRIPT_ENDING.sub("", stem)
        for path in ([stem] if bare != stem else []) + [bare + ending for ending in _ENDINGS]:
            text = project.read(path)
            if text is not None:
                return path, text
    return None


def stems_meant(module: str, importer: str) -> Iterator[str]:
    """Yield the paths an import may resolve to, without a suffix: relative, or from a root ``@`` or ``~``."""
    folder = posixpath.dirname(importer)
    if module.startswith("."):
        stem = posixpath.normpath(posixpath.join(folder, module))
        if not stem.startswith(".."):
            yield stem
    elif module.startswith(("@/", "~/")):
        while True:
            for root in ("src", ""):
                yield posixpath.normpath(posixpath.join(folder, root, module[2:]))
            if not folder:
                return
            folder = posixpath.dirname(folder)
