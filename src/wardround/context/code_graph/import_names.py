"""The names by which an import and a file find one another, before modules are resolved."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from wardround.context.code_graph.model import Import

_SUFFIX = re.compile(r"(?:\.d)?\.(?:pyi?w?|[cm]?[jt]sx?|vue|svelte|sql)$")
_PACKAGE_FILES = ("__init__", "index", "mod")


def imported_names(path: str, item: Import) -> Iterator[str]:
    """Yield the names by which the file that an import refers to can be found: the last parts of its
    module.
    """
    module = item.module
    if not module:
        return
    if not module.strip("./"):
        yield posixpath.basename(_folder_above(path, module))
    last = _SUFFIX.sub("", module.rstrip("/").rpartition("/")[2])
    yield last
    if "/" not in module:
        yield last.rpartition(".")[2]
    if item.name not in ("", "*"):
        yield item.name


def _folder_above(path: str, module: str) -> str:
    """Return the folder that a relative import of dots only refers to: ``.`` and ``..`` of Python, ``..`` and
    ``../..`` of scripts.
    """
    folder = posixpath.dirname(path)
    if "/" in module:
        return posixpath.normpath(posixpath.join(folder, module))
    for _ in range(len(module) - 1):
        folder = posixpath.dirname(folder)
    return folder


def names_of_file(path: str) -> tuple[str, ...]:
    """Return the names by which imports can refer to a file: its stem, and the folder of a package's
    ``__init__`` or index file.
    """
    stem = _SUFFIX.sub("", posixpath.basename(path))
    folder = posixpath.basename(posixpath.dirname(path))
    return (stem, folder) if stem in _PACKAGE_FILES else (stem,)


def may_mean(item: Import, names: Collection[str]) -> bool:
    """Return True if an import may refer to a file with one of these names, without resolving it."""
    return item.name in names or not item.module.strip("./") or any(name in item.module for name in names)
