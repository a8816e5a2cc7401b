"""The tests of a file and its imports, detected by its lines; without a parser, so that any file can be read.

A file of unusual form has no tests. A rule that must be certain about a test and its assertions uses the
parser
of a specialist; this module only ranks candidates.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from wardround.lazy import LazyPattern
from wardround.retrieval.definitions import functions
from wardround.text.search_terms import count_words, parts
from wardround.text.stemming import search_stem

_PYTHON_NAME = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?)\.py$")
_SCRIPT_NAME = LazyPattern(r"\.(?:test|spec|cy)\.[cm]?[jt]sx?$|(?:^|/)__tests__/.*(?<!\.d)\.[cm]?[jt]sx?$")
_SUFFIX = re.compile(r"(?:\.d)?\.(?:pyi?|[cm]?[jt]sx?|vue|svelte)$")

_TITLE = r"\(\s*(?P<{0}q>['\"`])(?P<{0}>(?:\\.|(?!(?P={0}q))[^\\])*)(?P={0}q)"
_CALL = r"(?P<{0}>(?:it|test|xit|xtest|fit|describe|suite|context|xdescribe)(?:\.(?!each)\w+)*)"
_TITLED = re.compile(
    rf"(?m)^(?P<indent>[ \t]*)(?:{_CALL.format('call')}[ \t]*{_TITLE.format('title')}"
    rf"|{_CALL.format('many')}\.each\b(?:[^\n]*\n){{0,60}}?[^\n]*?[\])`][ \t]*{_TITLE.format('row')})"
)
_GROUPS = ("describe", "suite", "context", "xdescribe")

_PYTHON_FROM = LazyPattern(r"(?m)^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]{0,4000}+\)|[^\n(]*)")
_PYTHON_IMPORT = re.compile(r"(?m)^[ \t]*import[ \t]+([\w., \t]+)")
_SCRIPT_FROM = re.compile(
    r"(?m)^[ \t]*(?:import|export)\b(?P<names>[^'\"`;()]{0,2000}+)['\"](?P<module>[^'\"\n]+)['\"]"
)
_SCRIPT_CALL = re.compile(r"\b(?:require|import|mock|doMock|importActual)\([ \t\n]*['\"]([^'\"\n]+)['\"]")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NOT_A_NAME = frozenset({"as", "import", "from", "type", "default", "noqa"})


@dataclass(frozen=True)
class DiscoveredTest:
    """A test from its first line to its last, 1-based and inclusive.

    Attributes:
        around: the titles of the enclosing groups, or the names of the enclosing classes, outermost first.
    """

    __test__ = False

    path: str
    name: str
    around: tuple[str, ...]
    line: int
    end_line: int
    text: str

    @property
    def id(self) -> str:
        """Its id for its runner: ``tests/test_a.py::TestA::test_b``, or with titles after ``>``."""
        mark = "::" if self.path.endswith(".py") else " > "
        return mark.join((self.path, *self.around, self.name))

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Every identifier of its source, including those in strings and comments."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def name_stems(self) -> tuple[str, ...]:
        """The words of its name, in order."""
        return tuple(map(search_stem, parts(self.name)))

    @cached_property
    def around_stems(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(map(search_stem, parts(title))) for title in self.around)

    @cached_property
    def words(self) -> Counter[str]:
        """The words of its source and of the enclosing titles."""
        return count_words("\n".join((*self.around, self.name, self.text)))


@dataclass(frozen=True, slots=True)
class Import:
    """A module that a file imports, and the imported names, as they are defined there."""

    module: str
    names: frozenset[str]


@dataclass(frozen=True)
class TestFile:
    """A test file."""

    __test__ = False

    path: str
    text: str

    @cached_property
    def cases(self) -> tuple[DiscoveredTest, ...]:
        """Its tests, in source order."""
        found = _python_cases if self.path.endswith(".py") else _script_cases
        return tuple(found(self.path, self.text))

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        return tuple(imports(self.path, self.text))

    @cached_property
    def _shared_text(self) -> str:
        """The text outside of all tests: imports, fixtures, helpers."""
        lines = self.text.split("\n")
        for case in self.cases:
            lines[case.line - 1 : case.end_line] = [""] * (case.end_line - case.line + 1)
        return "\n".join(lines)

    @cached_property
    def shared_identifiers(self) -> frozenset[str]:
        """The identifiers outside of all its tests."""
        return frozenset(_WORD.findall(self._shared_text))

    @cached_property
    def words(self) -> Counter[str]:
        """The words of its path and of its complete source."""
        return count_words(f"{self.path}\n{self.text}")


def contains_tests(path: str) -> bool:
    """Return True if test runners collect tests from a file, by its name."""
    return _PYTHON_NAME.search(path) is not None or _SCRIPT_NAME.search(path) is not None


def _python_cases(path: str, text: str) -> Iterator[DiscoveredTest]:
    lines = text.split("\n")
    defined = functions(path, text)
    plain = {symbol.name for symbol in defined if not symbol.signature.startswith("class")}
    for symbol in defined:
        *around, name = symbol.name.split(".")
        inside = any(".".join(around[: at + 1]) in plain for at in range(len(around)))
        if name.startswith("test") and symbol.name in plain and not inside:
            complete = "\n".join(lines[symbol.line - 1 : symbol.end_line])
            yield DiscoveredTest(path, name, tuple(around), symbol.line, symbol.end_line, complete)


def _script_cases(path: str, text: str) -> Iterator[DiscoveredTest]:
    lines = text.split("\n")
    depths = [len(line) - len(line.lstrip()) if line.strip() else None for line in lines]
    around: list[tuple[int, str]] = []
    for match, line in zip(found := list(_TITLED.finditer(text)), _lines_of(text, found), strict=True):
        call, title = (match["call"], match["title"]) if match["call"] else (match["many"], match["row"])
        end = _end(lines, depths, line)
        while around and around[-1][0] < line:
            around.pop()
        name = " ".join(title.split())
        if call.split(".")[0] in _GROUPS:
            around.append((end, name))
        else:
            complete = "\n".join(lines[line - 1 : end])
            yield DiscoveredTest(path, name, tuple(title for _, title in around), line, end, complete)


def _lines_of(text: str, matches: Sequence[re.Match[str]]) -> Iterator[int]:
    """Return the line of each match, counted on from the one before."""
    starts = [0, *(match.start() for match in matches)]
    line = 1
    for before, start in pairwise(starts):
        line += text.count("\n", before, start)
        yield line


def _end(lines: Sequence[str], depths: Sequence[int | None], line: int) -> int:
    """Return the last line of a call that begins at a line: the first that is not indented deeper."""
    own = depths[line - 1] or 0
    last = line
    for at in range(line, len(lines)):
        depth = depths[at]
        if depth is None:
            continue
        if depth <= own:
            if lines[at].lstrip()[0] not in ")]}`":
                return last
            last = at + 1
            if ")" in lines[at] and not lines[at].rstrip().endswith(("{", "(", "[", "`")):
                return last
            continue
        last = at + 1
    return last


def imports(path: str, text: str) -> Iterator[Import]:
    """Return the imports of a file; modules of scripts verbatim, but resolved if they are relative."""
    if path.endswith((".py", ".pyi")):
        yield from _python_imports(path, text)
        return
    folder = posixpath.dirname(path)
    for match in _SCRIPT_FROM.finditer(text):
        names = frozenset(_WORD.findall(match["names"])) - _NOT_A_NAME
        yield Import(_resolve_module(folder, match["module"]), names)
    for match in _SCRIPT_CALL.finditer(text):
        yield Import(_resolve_module(folder, match[1]), frozenset())


def _python_imports(path: str, text: str) -> Iterator[Import]:
    package = path.split("/")[:-1]
    for match in _PYTHON_FROM.finditer(text):
        module = match[1].lstrip(".")
        dots = len(match[1]) - len(module)
        if dots:
            module = ".".join([*package[: len(package) - dots + 1], *filter(None, [module])])
        yield Import(module, frozenset(_WORD.findall(re.sub(r"#[^\n]*", "", match[2]))) - _NOT_A_NAME)
    for match in _PYTHON_IMPORT.finditer(text):
        for part in match[1].split(","):
            if part.split():
                yield Import(part.split()[0], frozenset())


def _resolve_module(folder: str, module: str) -> str:
    named = _SUFFIX.sub("", module)
    return posixpath.normpath(posixpath.join(folder, named)) if named.startswith(".") else named


def module_parts(path: str) -> tuple[str, ...]:
    """Return the parts by which imports can name a file: folders and stem; an index file is its folder."""
    *folders, name = _SUFFIX.sub("", path).split("/")
    return tuple(folders) if name in ("__init__", "index", "mod") and folders else (*folders, name)
