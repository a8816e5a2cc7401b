"""Requirements of Python packages as lines of text, and the folders of the repository among them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern

_OPTION = LazyPattern(r"^(-[a-zA-Z]|--[a-z-]+)(?:[ \t=]+|(?=[^ \t=-]))(.*)$")
_NAME = LazyPattern(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
_EXTRAS = LazyPattern(r"\[([A-Za-z0-9._, -]{0,500})\]$")
_COMMENT = LazyPattern(r"(?:^|[ \t])#.*$")
_INDEXES = {"-i": "--index-url", "--index-url": "--index-url", "--extra-index-url": "--extra-index-url"}
_FOLDERS = (".", "..")
_MOST_FILES = 50
_EGG = LazyPattern(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]{0,200})")
_VCS = ("git+", "hg+", "svn+", "bzr+")


class LocalProject(msgspec.Struct, frozen=True, order=True):
    """A project in the repository that is to be installed.

    Attributes:
        folder: relative to the repository; empty for its top.
        extras: optional extras of the project, sorted.
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
        path: path of the file, relative to the repository.
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
        option = _OPTION.search(line)
        if option is None:
            return _parse_requirement(path, line, is_constraint)
        name, value = option[1], option[2].strip()
        if name in ("-e", "--editable"):
            return _from_git(path, value) if value.startswith(_VCS) else _project(path, value)
        if name in _INDEXES and value.startswith(("https://", "http://")):
            return Requirements(indexes=(f"{_INDEXES[name]} {value}",))
        if name in ("-r", "--requirement", "-c", "--constraint"):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(path), value))
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


def _parse_requirement(path: str, line: str, is_constraint: bool) -> Requirements:
    if line.startswith(("./", "../")) or line in _FOLDERS or line.startswith((".[", "file:")):
        return _project(path, line.removeprefix("file:"))
    if line.startswith(_VCS):
        return _from_git(path, line)
    if is_constraint:
        return Requirements(constraints=(line,))
    return Requirements(lines=(line,)) if name_of(line) else Requirements()


def _from_git(path: str, value: str) -> Requirements:
    """Return the requirement of a repository, which is installed only if the settings name it."""
    egg = _EGG.search(value)
    if egg is None:
        raise EnvironmentUnavailable(f"{path} requires {value} without its name; add #egg=NAME to it")
    return Requirements(lines=(f"{egg[1]} @ {value.partition('#')[0]}",))


def _project(path: str, value: str) -> Requirements:
    """Return the project at a path.

    Raises:
        EnvironmentUnavailable: it is outside of the repository.
    """
    value = value.partition(" ;")[0].strip().removeprefix("file:")
    extras = _EXTRAS.search(value)
    location = posixpath.normpath(posixpath.join(posixpath.dirname(path), _EXTRAS.sub("", value)))
    if location.startswith(("..", "/")) or "://" in value:
        raise EnvironmentUnavailable(
            f"{path} requires {value}, which is outside of the repository; use a release"
        )
    names = tuple(sorted(extra.strip() for extra in extras[1].split(","))) if extras else ()
    return Requirements(projects=(LocalProject("" if location == "." else location, names),))
