"""The files that a build added to its tree and that runs get: excluding files that tests execute
automatically.

A run works on a separate tree, which may be that of another commit. Build outputs could affect it unnoticed:
a ``conftest.py`` determines the test results, a compiled module shadows the source next to it. Therefore runs
only get the intended outputs of a build, and the key of an environment covers all files that determine it.
"""

from __future__ import annotations

import os
import posixpath
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from wardround.languages.python.module import is_test_path
from wardround.lazy import LazyPattern
from wardround.sandbox.tree import read_file
from wardround.workflows.environments.compiled import has_sources, is_source
from wardround.workflows.environments.existing_node import PACKAGES
from wardround.workflows.environments.node_outputs import OUTPUT_NAMES
from wardround.workflows.environments.project_build import ARCHIVE, OUT
from wardround.workflows.environments.store import TREE
from wardround.workflows.environments.version_files import LARGEST_BYTES, is_version_name, only_states_values

_LEFT_OUT = frozenset({OUT, ARCHIVE, "__pycache__", ".git"})
_EXTENSIONS = (".so", ".pyd")
_START_MODULES = frozenset({"sitecustomize", "usercustomize", "conftest"})
"""Modules that an interpreter or pytest imports on its own."""
_RUNNER_FILE = LazyPattern(
    r"(?:^|/)(?:__tests__|__mocks__)(?:/|$)|[.-](?:test|spec)\.[cm]?[jt]sx?$"
    r"|(?:^|/)(?:(?:ava|babel|cypress|jest|karma|playwright|vite|vitest)[\w.-]*\.(?:config|setup|workspace)\.[cm]?[jt]s|\.mocharc\.\w+|\.babelrc[\w.]*|conftest\.py|\.env[\w.]*)$"
)
"""Files of JavaScript that a framework of tests finds by their names."""


def move_modules(root: Path, tracked: Collection[str], built: Path) -> tuple[str, ...]:
    """Move the extension modules and the files of versions that a build wrote into a built environment.

    They are modules in packages of the tree that do not shadow a module there.

    Returns:
        Their paths.
    """
    modules = _Modules(tracked)

    def is_kept(path: str) -> bool:
        if modules.is_extension(path):
            return stat.S_ISREG(os.lstat(root / path).st_mode)
        content = read_file(root, path, LARGEST_BYTES) if modules.is_version(path) else None
        return content is not None and only_states_values(content)

    return _move_outputs(root, tracked, built, is_kept)


def move_outputs(
    root: Path, tracked: Collection[str], built: Path, outputs: Collection[str]
) -> tuple[str, ...]:
    """Move folders of packages and the outputs of JavaScript into a built environment; return their paths.

    Args:
        outputs: files and folders that manifests name.
    """

    def is_kept(path: str) -> bool:
        name = posixpath.basename(path)
        if name == PACKAGES:
            return stat.S_ISDIR(os.lstat(root / path).st_mode)  # a link could lead anywhere
        return name in OUTPUT_NAMES or path in outputs

    return _move_outputs(root, tracked, built, is_kept)


def _move_outputs(
    root: Path, tracked: Collection[str], built: Path, is_kept: Callable[[str], bool]
) -> tuple[str, ...]:
    """Move some files and folders; the processes of the build, which could exchange them, ended."""
    folders = {""}
    for path in tracked:
        while path := posixpath.dirname(path):
            if path in folders:
                break
            folders.add(path)
    found = [path for path in _added_files(root, "", frozenset(tracked), folders) if is_kept(path)]
    for path in found:
        move_checked(root / path, built / TREE / path)
    return tuple(path for path in found if os.path.lexists(built / TREE / path))


def _added_files(
    root: Path, folder: str, tracked: Collection[str], folders: Collection[str]
) -> Iterator[str]:
    with os.scandir(root / folder) as entries:
        for entry in sorted(entries, key=lambda item: item.name):
            path = posixpath.join(folder, entry.name)
            if entry.name in _LEFT_OUT or path in tracked:
                continue
            if path not in folders:
                yield path
            elif entry.is_dir(follow_symlinks=False):
                yield from _added_files(root, path, tracked, folders)


class _Modules:
    """The extension modules that a tree lacks and a build of it may add."""

    def __init__(self, tracked: Collection[str]) -> None:
        self._tracked = frozenset(tracked)
        self._packages = {posixpath.dirname(path) for path in tracked if path.endswith("/__init__.py")}
        self._compiled = {path.partition(".")[0] for path in tracked if is_source(path)}
        self._has_sources = has_sources(tracked)

    def is_extension(self, path: str) -> bool:
        """Return True for a compiled module that a build of the tree may add."""
        folder, name = posixpath.split(path)
        stem = posixpath.join(folder, name.partition(".")[0])
        is_new = name.endswith(_EXTENSIONS) and self._has_sources and not self._replaces_module(stem)
        return is_new and self._is_importable(path) and (folder in self._packages or stem in self._compiled)

    def is_version(self, path: str) -> bool:
        """Return True for a file in a package by whose name it may have the version."""
        is_inside = posixpath.dirname(path) in self._packages
        return is_inside and is_version_name(path) and self._is_importable(path)

    def _is_importable(self, path: str) -> bool:
        stem = posixpath.basename(path).partition(".")[0]
        return stem not in _START_MODULES and not is_test_path(path)

    def _replaces_module(self, stem: str) -> bool:
        """Return True if imports would find an extension module instead of one of the tree."""
        return f"{stem}.py" in self._tracked or stem in self._packages


def move_checked(source: Path, target: Path) -> None:
    """Move the outputs of a build, without links to files outside.

    Pipes, sockets and devices are removed, bits that give a program another user's rights as well; a file
    that has a second name becomes a copy. Files that a framework of JavaScript tests finds by their names
    are removed outside of packages.
    """
    _clean(str(source), is_output=PACKAGES not in source.parts and TREE in target.parts)
    if os.path.lexists(source):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(source, target)


def _clean(path: str, *, is_output: bool) -> None:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        return
    if stat.S_ISDIR(found.st_mode):
        os.chmod(path, stat.S_IMODE(found.st_mode) & 0o777 | stat.S_IRWXU)
        with os.scandir(path) as entries:
            names = [entry.path for entry in entries]
        for name in names:
            _clean(name, is_output=is_output and os.path.basename(name) != PACKAGES)
    elif not stat.S_ISREG(found.st_mode) or (is_output and _RUNNER_FILE.search(path)):
        os.unlink(path)
    else:
        if found.st_nlink > 1:
            shutil.copyfile(path, f"{path}.copy", follow_symlinks=False)
            os.replace(f"{path}.copy", path)
        os.chmod(path, stat.S_IMODE(found.st_mode) & 0o777)
