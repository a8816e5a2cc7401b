"""The environment of a project: what a run of its code can see, and what identifies it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.sandbox.model import Visible


class Environment(msgspec.Struct, frozen=True):
    """An interpreter with the packages that a project needs.

    Attributes:
        language: ``python`` or ``javascript``.
        source: the file, setting or variable that names it, as a noun phrase for a person.
        digest: of the interpreter's version and the installed packages with their versions.
        visible: the folders, programs and variables of a run.
        version: of the interpreter, as ``3.12.4``.
        links: path in the tree -> target, of the links that ``link_packages`` makes before a run.
    """

    language: str
    source: str
    digest: str
    visible: Visible
    version: str
    links: tuple[tuple[str, str], ...] = ()


def link_packages(environment: Environment, root: Path) -> None:
    """Make the links of an environment in a tree, where the tree has nothing of that name.

    Call it once for each tree, before the first run: a run could replace a folder by a link.

    Args:
        root: the folder of an ``EphemeralTree``.

    Raises:
        OSError: a link cannot be made.
    """
    top = os.path.realpath(root)
    folders: set[str] = set()
    for path, target in environment.links:
        folder = os.path.normpath(os.path.join(top, os.path.dirname(path)))
        if folder not in folders:
            if os.path.realpath(folder) != folder:
                continue  # a link of the tree leads out of it
            os.makedirs(folder, exist_ok=True)
            folders.add(folder)
        with suppress(FileExistsError):
            os.symlink(target, os.path.join(folder, os.path.basename(path)))
