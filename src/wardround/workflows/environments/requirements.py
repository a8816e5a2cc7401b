"""Requirements of Python packages as lines of text, and the folders of the repository among them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

import msgspec

from wardround.checks.lazy import LazyPattern

_OPTION = LazyPattern(r"^(-[a-zA-Z]|--[a-z-]+)(?:[ \t=]+|(?=[^ \t=-]))(.*)$")
_NAME = LazyPattern(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
_EXTRAS = LazyPattern(r"\[([A-Za-z0-9._, -]{0,500})\]$")
_COMMENT = LazyPattern(r"(?:^|[ \t])#.*$")
_INDEXES = {"-i": "--index-url", "--index-url": "--index-url", "--extra-index-url": "--extra-index-url"}
_FOLDERS = (".", "..")
_MOST_FILES = 50


class LocalProject(msgspec.Struct, frozen=True, order=True):
    """A project in the repository that is to be installed.

    Attributes:
        folder: relative to the repository; empty for its top.
        extras: of the project, sorted.
    """

    folder: str
    extras: tuple[str, ...] = ()


class Requirements(msgspec.Struct, frozen=True):
    """Packages that are to be installed.

    Attributes:
        lines: requirements with their markers and hashes.
        constraints: the same, for packages that others need.
        indexes: options that name indexes.
        projects: folders of the repository.
    """

    lines: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    projects: tuple[LocalProject, ...] = ()

    def __add__(self, other: Requirements) -> Requirements:
        return Requirements(
            *(
                tuple(dict.fromkeys((*getattr(self, name), *getattr(other, name))))
                for name in self.__struct_fields__
            )
        )

    def names(self) -> frozenset[str]:
        """Return the normal names of the required packages."""
        return frozenset(filter(None, map(name_of, self.lines)))


def name_of(line: str) -> str:
    """Return the normal name of the package that a line requires; empty if there is none."""
    found = _NAME.search(line)
    return normal(found[0]) if found else ""


def normal(name: str) -> str:
    """Return the name of a package or an extra as indexes compare it."""
    return name.lower().replace("_", "-").replace(".", "-")


def parse(path: str, text: str, read: Callable[[str], str | None]) -> Requirements:
    """Return the requirements in a file and in those that it includes.

    Args:
        path: of the file, relative to the repository.
        read: path -> text of another file; None if there is none.
    """
    return _File(read).parse(path, text, is_constraint=False)


class _File:
    """Reads files of requirements, each once."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self._seen: set[str] = set()

    def parse(self, path: str, text: str, *, is_constraint: bool) -> Requirements:
        found = Requirements()
        if path in self._seen or len(self._seen) >= _MOST_FILES:
            return found
        self._seen.add(path)
        for line in logical_lines(text):
            found += self._line(path, line, is_constraint)
        return found

    def _line(self, path: str, line: str, is_constraint: bool) -> Requirements:
        folder = posixpath.dirname(path)
        option = _OPTION.search(line)
        if option is None:
            return _requirement(folder, line, is_constraint)
        name, value = option[1], option[2].strip()
        if name in ("-e", "--editable"):
            return _project(folder, value)
        if name in _INDEXES and value.startswith("https://"):
            return Requirements(indexes=(f"{_INDEXES[name]} {value}",))
        if name in ("-r", "--requirement", "-c", "--constraint"):
            other = posixpath.normpath(posixpath.join(folder, value))
            text = None if other.startswith("..") else self._read(other)
            constrains = is_constraint or name in ("-c", "--constraint")
            return Requirements() if text is None else self.parse(other, text, is_constraint=constrains)
        return Requirements()


def logical_lines(text: str) -> Iterator[str]:
    """Yield the lines of a file of requirements, joined and without comments."""
    for line in text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines():
        requirement = _COMMENT.sub("", line).strip()
        if requirement:
            yield requirement


def _requirement(folder: str, line: str, is_constraint: bool) -> Requirements:
    if line.startswith(("./", "../")) or line in _FOLDERS or line.startswith((".[", "file:")):
        return _project(folder, line.removeprefix("file:"))
    if is_constraint:
        return Requirements(constraints=(line,))
    return Requirements(lines=(line,)) if name_of(line) else Requirements()


def _project(folder: str, value: str) -> Requirements:
    """Return the project at a path; one outside of the repository is left out."""
    value = value.partition(" ;")[0].strip().removeprefix("file:")
    extras = _EXTRAS.search(value)
    place = posixpath.normpath(posixpath.join(folder, _EXTRAS.sub("", value)))
    if place.startswith(("..", "/")) or "://" in value:
        return Requirements()
    names = tuple(sorted(one.strip() for one in extras[1].split(","))) if extras else ()
    return Requirements(projects=(LocalProject("" if place == "." else place, names),))
