"""The Python versions that a project supports, from its trusted configuration; none of its code is run.

The sources count in the order of ``_SOURCES``: the first that names a version decides. An oldest version is
for rules that depend on one (ruff's ``target-version``) and for the types of the standard library. Only a
declared upper bound or a pinned version determines a newest one, which makes newer syntax an error: lists of
tested or advertised versions grow later than the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from wardround.lazy import LazyPattern
from wardround.tools.tool import Invocation

NEWEST_KNOWN = 15
"""The newest minor version of Python 3 that ruff, ty, pyright and our own parser know."""
_OLDEST_TYPED = 9
"""The oldest minor version whose standard library the type checkers know: of older ones they lack modules."""
_NOTE_FILE = "python-target"
Read = Callable[[str], str | None]


class PythonTarget(NamedTuple):
    """The minor versions of Python 3 a project supports, and their source; None is an absent bound."""

    oldest: int | None = None
    newest: int | None = None
    source: str = ""

    def supports(self, minor: int) -> bool:
        """Return True if the project may be run by a version."""
        return self.newest is None or minor <= self.newest

    def type_version(self) -> str:
        """Return the version whose standard library counts: the oldest supported, else the newest known."""
        bound = self.newest if self.oldest is None else self.oldest
        return f"3.{min(NEWEST_KNOWN if bound is None else max(bound, _OLDEST_TYPED), NEWEST_KNOWN)}"

    def note(self) -> str:
        """Return the target as a comment line, for a file that a tool and its parser read."""
        oldest, newest = ("-" if item is None else f"3.{item}" for item in (self.oldest, self.newest))
        return f"# python {oldest} to {newest}; {self.source or 'not declared'}\n"


_NOTE = LazyPattern(r"# python (?:-|3\.(\d{1,3})) to (?:-|3\.(\d{1,3})); ([^\n]*)\n")
_NEEDED = LazyPattern(
    r"on Python 3\.\d+ \(syntax was added in Python 3\.(\d{1,3})\)|requires? Python 3\.(\d{1,3}) or newer"
    r"|prior to Python 3\.(\d{1,3})"
)


def read_note(text: str) -> PythonTarget:
    """Return the target that ``Target.note`` wrote at the start of a string; an unknown target if there is
    none.
    """
    match = _NOTE.match(text)
    if match is None:
        return PythonTarget()
    oldest, newest = (int(item) if item else None for item in match.group(1, 2))
    return PythonTarget(oldest, newest, match[3])


def target_note(read: Read) -> tuple[str, str]:
    """Return the name and text of a note of the target, for the folder above a type checker's snapshot."""
    return _NOTE_FILE, target_of(read).note()


def noted_target(run: Invocation) -> PythonTarget:
    """Return the target that the note above a snapshot holds."""
    try:
        return read_note((run.root.parent / _NOTE_FILE).read_text("utf-8"))
    except OSError:
        return PythonTarget()


def required_version(message: str) -> int | None:
    """Return the minor version that a syntax feature needs, if a tool's message names it."""
    match = _NEEDED.search(message)
    return None if match is None else int(next(filter(None, match.groups())))


def target_of(read: Read) -> PythonTarget:
    """Return the versions a project supports.

    Args:
        read: path from the root of the repository -> the content of a file, None if there is none.
    """
    texts: dict[str, str] = {}

    def text_of(path: str) -> str:
        if path not in texts:
            texts[path] = read(path) or ""
        return texts[path]

    for paths, describe, find in _SOURCES:
        for path in paths:
            oldest, newest = find(text_of(path))
            if oldest is not None or newest is not None:
                return PythonTarget(oldest, newest, describe.format(path))
    return PythonTarget()


Bounds = tuple[int | None, int | None]
_UNKNOWN: Bounds = (None, None)
_CLAUSE = LazyPattern(
    r"\s*(===?|~=|!=|>=|<=|>|<|\^|~|)\s*v?(\d{1,3})(?:\.(\d{1,3}|\*))?((?:\.(?:\d{1,6}|\*))*)\s*"
)


def bounds(specifier: str) -> Bounds:
    """Return the oldest and newest minor version a version specifier admits, PEP 440's or Poetry's."""
    ranges = [_range(part) for part in re.split(r"\|\|?", specifier)]
    oldest, newest = [item[0] for item in ranges], [element[1] for element in ranges]
    return (
        None if None in oldest else min(each for each in oldest if each is not None),
        None if None in newest else max(version for version in newest if version is not None),
    )


def _range(specifier: str) -> Bounds:
    oldest, newest = None, None
    for clause in specifier.split(","):
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            continue
        low, high = _bounds_of(match)
        oldest = low if oldest is None or (low is not None and low > oldest) else oldest
        newest = high if newest is None or (high is not None and high < newest) else newest
    return oldest, newest


def _bounds_of(match: re.Match[str]) -> Bounds:
    """Return the bounds that one clause of a specifier admits."""
    operator, major, minor, rest = match.groups()
    if major != "3" or not minor or not minor.isdigit():
        return _UNKNOWN
    return _minor_bounds(operator, int(minor), rest)


def _minor_bounds(operator: str, minor: int, rest: str) -> Bounds:
    match operator:
        case "!=":
            return _UNKNOWN
        case ">=" | ">" | "^":
            return minor, None
        case "~=":
            return minor, minor if rest else None
        case "<=":
            return None, minor
        case "<":
            is_first_patch = not re.search(r"[1-9]", rest)
            return None, minor - 1 if is_first_patch else minor
        case _:
            return minor, minor


def _specifier(pattern: LazyPattern) -> Callable[[str], Bounds]:
    """Return a reader of the version specifier that is a pattern's group."""

    def find(text: str) -> Bounds:
        match = pattern.search(text)
        return _UNKNOWN if match is None else bounds(match[1])

    return find


def _entry(table: str, key: str, quotes: str = "\"'") -> LazyPattern:
    """Return the pattern of a string under a key of a table, in TOML or in an INI file."""
    return LazyPattern(
        rf"^\[{table}\][ \t]*(?:#.*)?$(?:\n(?!\[).*)*?\n[ \t]*{key}[ \t]*=[ \t]*[{quotes}]?([^{quotes}\n#]+)",
        re.MULTILINE,
    )


def _oldest(find: Callable[[str], Iterable[str]]) -> Callable[[str], Bounds]:
    """Return a reader of versions whose oldest counts and whose newest is not a bound."""

    def read(text: str) -> Bounds:
        minors = [int(item) for item in find(text)]
        return (min(minors) if minors else None), None

    return read


def _reader_of_pins(find: Callable[[str], Iterable[str]]) -> Callable[[str], Bounds]:
    """Return a reader of the exact versions that a project is run by."""

    def read(text: str) -> Bounds:
        minors = [int(item) for item in find(text)]
        return (min(minors), max(minors)) if minors else _UNKNOWN

    return read


def _matcher_of(pattern: str, flags: int = re.MULTILINE) -> Callable[[str], list[str]]:
    result = LazyPattern(pattern, flags)
    return lambda text: result.findall(text) if text else []


_TOOL_TARGETS = LazyPattern(
    r"^[ \t]*(?:target-version|python_version|pythonVersion|python-version|\"pythonVersion\")[ \t]*[=:][ \t]*"
    r"(\[[^\]]*\]|[^\n]*)",
    re.MULTILINE,
)
_MINOR = LazyPattern(r"\b(?:py|python)?3\.?(\d{1,2})\b")
_TOOL_TABLES = LazyPattern(
    r"^\[(?:tool\.(?:ruff|black|mypy|pyright|basedpyright|ty\.environment)|mypy)\][^\n]*\n(?:(?!\[\w).*\n)*.*",
    re.MULTILINE,
)


def _tool_targets(text: str) -> Iterator[str]:
    """Return the target versions of tools, in tables of a shared file or in their own files."""
    tables = [match[0] for match in _TOOL_TABLES.finditer(text)]
    for part in tables if tables or "[tool." in text else [text]:
        for match in _TOOL_TARGETS.finditer(part):
            yield from _MINOR.findall(match[1])


_MATRIX = LazyPattern(
    r"^[ \t]*(?:-[ \t]+)?[\w-]*python(?:[-_]?versions?)?[ \t]*:[ \t]*"
    r"(\[[^\]]*\]|(?:\n[ \t]*-[ \t]*[^\n]+)+|[^\n\[{$]+)",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED_MINOR = LazyPattern(r"(?<![\d.])3\.(\d{1,2})\b")
_ENV_LIST = LazyPattern(r"^env_?list[ \t]*=[ \t]*((?:.*\n?)(?:[ \t]+.*\n?)*)", re.MULTILINE)


def _matrix(text: str) -> Iterator[str]:
    """Return the versions that a CI configuration runs."""
    for match in _MATRIX.finditer(text):
        yield from _QUOTED_MINOR.findall(match[1])


def _environments(text: str) -> Iterator[str]:
    """Return the versions of tox's environments: ``py39, py310``, ``py{39,310}``, ``py3{9,10}``."""
    for listed in _ENV_LIST.finditer(text):
        for match in re.finditer(r"py(3?)\.?(?:\{([^}]*)\}|(\d+))", listed[1]):
            for part in (match[2] or match[3]).split(","):
                digits = part.strip().replace(".", "")[:4]
                minor = digits if match[1] else digits.removeprefix("3")
                if digits.isdigit() and minor:
                    yield minor


_WORKFLOWS = tuple(
    f".github/workflows/{name}.{ending}"
    for name in ("ci", "test", "tests", "main", "build", "python", "python-package")
    for ending in ("yml", "yaml")
)
_SOURCES: Sequence[tuple[Sequence[str], str, Callable[[str], Bounds]]] = (
    (("pyproject.toml",), "requires-python in {}", _specifier(_entry("project", "requires-python"))),
    (
        ("pyproject.toml", "ruff.toml", ".ruff.toml", "mypy.ini", "setup.cfg", "pyrightconfig.json"),
        "a tool's target in {}",
        _oldest(_tool_targets),
    ),
    (("setup.cfg",), "python_requires in {}", _specifier(_entry("options", "python_requires"))),
    (
        ("setup.py",),
        "python_requires in {}",
        _specifier(LazyPattern(r"^[^#\n]*\bpython_requires[ \t]*=[ \t]*[\"']([^\"'\n]*)[\"']", re.MULTILINE)),
    ),
    (
        ("pyproject.toml",),
        "Poetry's python in {}",
        _specifier(_entry(r"tool\.poetry\.dependencies", "python")),
    ),
    ((".python-version",), "{}", _reader_of_pins(_matcher_of(r"^[ \t]*(?:cpython-)?3\.(\d{1,3})"))),
    (("runtime.txt",), "{}", _reader_of_pins(_matcher_of(r"^python-3\.(\d{1,3})"))),
    (
        ("uv.lock",),
        "{}",
        _specifier(LazyPattern(r"\Aversion = .*\n(?:revision = .*\n)?requires-python = \"([^\"]*)\"")),
    ),
    (("poetry.lock",), "{}", _specifier(_entry("metadata", "python-versions"))),
    (
        ("Pipfile",),
        "{}",
        _reader_of_pins(_matcher_of(r"^python_(?:full_)?version[ \t]*=[ \t]*[\"']3\.(\d{1,3})")),
    ),
    (_WORKFLOWS, "{}", _oldest(_matrix)),
    (("tox.ini",), "{}", _oldest(_environments)),
    (
        (".gitlab-ci.yml",),
        "{}",
        _oldest(_matcher_of(r"^\s*(?:image|name)[ \t]*:[ \t]*[\"']?(?:\S*/)?python:3\.(\d{1,3})")),
    ),
    (("Dockerfile",), "{}", _oldest(_matcher_of(r"^\s*FROM\s+(?:--\S+\s+)?(?:\S*/)?python:3\.(\d{1,3})"))),
    (
        ("pyproject.toml", "setup.cfg", "setup.py"),
        "the classifiers in {}",
        _oldest(_matcher_of(r"Programming Language :: Python :: 3\.(\d{1,3})")),
    ),
)
