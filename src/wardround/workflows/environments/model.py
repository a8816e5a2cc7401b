"""The environment of a project: the files that a run of its code can read, and its identity."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import msgspec

from wardround.sandbox.model import Visible


class Environment(msgspec.Struct, frozen=True):
    """An interpreter with the packages that a project needs.

    Attributes:
        language: ``python`` or ``javascript``.
        source: the file, setting or variable that names it, as a noun phrase for a person.
        digest: digest of the interpreter's version and the installed packages with their versions.
        visible: the folders, programs and variables of a run.
        version: version of the interpreter, as ``3.12.4``.
        links: path in the tree -> target, of the links that ``link_packages`` makes before a run.
        copies: path in the tree -> file or folder that is copied there; code of the project itself, which
            through a link would find its other modules at the wrong path.
        texts: path in the tree -> content of a file that an installation of the project would create.
        packages: the normal names of the installed packages of Python.
        supplied: the contents of ``texts``, as noun phrases for a person.
    """

    language: str
    source: str
    digest: str
    visible: Visible
    version: str
    links: tuple[tuple[str, str], ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    packages: frozenset[str] = frozenset()
    supplied: tuple[str, ...] = ()


def link_packages(environment: Environment, root: Path) -> None:
    """Create the links, copies and texts of an environment in a tree, unless the tree has something of that
    name.

    Call it once for each tree, before the first run: a run could replace a folder by a link.

    Args:
        root: the folder of an ``EphemeralTree``.

    Raises:
        OSError: a link or a copy cannot be made.
    """
    tree = _Tree(os.path.realpath(root))
    for path, target in environment.links:
        location = tree.place(path)
        if location is not None and not os.path.lexists(location):
            os.symlink(target, location)
    for path, source in environment.copies:
        location = tree.place(path)
        if location is not None and not os.path.lexists(location):
            _copy(source, location)
    for path, text in environment.texts:
        location = tree.place(path)
        if location is not None and not os.path.lexists(location):
            Path(location).write_text(text, "utf-8")


class _Tree:
    """The folders of a tree in which links and copies are made."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._folders: set[str] = set()

    def place(self, path: str) -> str | None:
        """Make the folder of an entry and return its absolute path; None if a link leads out of the tree."""
        folder = os.path.normpath(os.path.join(self._top, os.path.dirname(path)))
        if folder not in self._folders:
            if os.path.realpath(folder) != folder:
                return None
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        return os.path.join(folder, os.path.basename(path))


def _copy(source: str, place: str) -> None:
    """Copy a file or a folder; links are copied as links, and pipes and sockets are excluded."""
    mode = os.lstat(source).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(source), place)
    elif stat.S_ISREG(mode):
        shutil.copy(source, place)
    elif stat.S_ISDIR(mode):
        os.mkdir(place)
        for name in sorted(os.listdir(source)):
            _copy(os.path.join(source, name), os.path.join(place, name))
