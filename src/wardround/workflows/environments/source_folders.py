"""The folders of the tree from which Python imports, also those of projects installed in editable mode."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from wardround.lazy import LazyPattern
from wardround.sandbox.visible import INNER_ROOT

_MAPPING = LazyPattern(r"(?m)^MAPPING(?:: [^=\n]{1,100})? = (\{.{0,20000}\})$")
"""The line of setuptools in which a finder names the folders of packages."""
_LONGEST = 100_000
_MOST_FILES = 500


def source_folders(folder: str) -> tuple[str, ...]:
    """Return the folders of the tree that come first on the path of imports.

    An installed copy of a package of the tree may be of another commit.

    Args:
        folder: folder of the project, relative to the repository.
    """
    folders = [os.path.join(INNER_ROOT, folder, "src"), os.path.normpath(os.path.join(INNER_ROOT, folder))]
    return tuple(dict.fromkeys((*folders, f"{INNER_ROOT}/src", INNER_ROOT)))


def editable_folders(prefix: Path, root: Path) -> tuple[str, ...]:
    """Return the folders of the work tree that an environment imports from, as those of the tree of a run."""
    top = os.path.realpath(root)
    found = []
    for path in _imported_paths(prefix):
        inside = os.path.relpath(os.path.realpath(path), top)
        if not inside.startswith("..") and os.path.isdir(path):
            found.append(os.path.normpath(os.path.join(INNER_ROOT, inside)))
    return tuple(dict.fromkeys(found))


def _imported_paths(prefix: Path) -> Iterator[str]:
    """Yield the absolute paths that the files of an environment add to the path of imports."""
    folders = sorted((prefix / "lib").glob("python*/site-packages"))
    files = [file for folder in folders for file in sorted(folder.glob("*.pth"))]
    for file in files[:_MOST_FILES]:
        yield from (line.strip() for line in _read_text(file).splitlines() if os.path.isabs(line.strip()))
    finders = [file for folder in folders for file in sorted(folder.glob("__editable__*_finder.py"))]
    for file in finders[:_MOST_FILES]:
        for package in _mapped_paths(_read_text(file)):
            yield os.path.dirname(package)


def _mapped_paths(text: str) -> Iterator[str]:
    found = _MAPPING.search(text)
    try:
        mapping = ast.literal_eval(found[1]) if found else {}
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return
    for value in mapping.values() if isinstance(mapping, dict) else ():
        if isinstance(value, str) and os.path.isabs(value):
            yield value


def _read_text(file: Path) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read(_LONGEST)
    except OSError:
        return ""
