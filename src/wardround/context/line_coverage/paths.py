"""The files of the repository that the paths of a coverage file mean."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable

from wardround.context.line_coverage.model import MeasuredLines


def measured_paths(
    measured: MeasuredLines, root: str, folder: str, tracked: Collection[str]
) -> dict[str, str]:
    """Return the path in the repository -> the path as written, for each file that is under version control.

    Paths may be absolute, also on another machine, or relative to the root, to the folder of the coverage
    file or one above it, as to the package in whose ``coverage`` folder it is, or to one of its source
    folders. A path that may mean several files means none.

    Args:
        root: the absolute path of the work tree.
        folder: of the coverage file, relative to the root.
    """
    names = defaultdict(list)
    for path in tracked:
        names[posixpath.basename(path)].append(path)
    found: dict[str, str] = {}
    ambiguous: set[str] = set()
    bases = _bases(measured, root, folder, frozenset(tracked))
    for written in measured.files:
        path = _meant(written.replace("\\", "/"), bases, root, names)
        if path in found:
            ambiguous.add(path)
        elif path:
            found[path] = written
    return {path: written for path, written in found.items() if path not in ambiguous}


def _bases(measured: MeasuredLines, root: str, folder: str, tracked: Collection[str]) -> tuple[str, ...]:
    """Return the folders that paths may be relative to, those first from which most of them exist."""
    written = (one.replace("\\", "/") for one in measured.roots)
    inside = [_below(one, root) if posixpath.isabs(one) else one for one in written]
    parts = folder.split("/") if folder else []
    above = ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]
    bases = dict.fromkeys([*above, "", *(one for one in inside if one is not None)])
    relative = [path for one in measured.files if not posixpath.isabs(path := one.replace("\\", "/"))]
    existing = {base: sum(_joined(base, path) in tracked for path in relative) for base in bases}
    return tuple(sorted(bases, key=lambda base: -existing[base]))


def _joined(base: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(base, path))


def _below(path: str, root: str) -> str | None:
    """Return an absolute path relative to the root; None outside of it."""
    if path.rstrip("/") == root:
        return ""
    return path[len(root) + 1 :] if path.startswith(f"{root}/") else None


def _meant(path: str, bases: Iterable[str], root: str, names: dict[str, list[str]]) -> str:
    same_name = names.get(posixpath.basename(path), [])
    inside = _below(path, root)
    exact = [path if inside is None else inside]
    if not posixpath.isabs(path):
        exact = [_joined(base, path) for base in bases]
    for one in exact:
        if one in same_name:
            return one
    return _by_end(path, same_name)


def _by_end(path: str, same_name: list[str]) -> str:
    """Return the file whose path the end of another path is, or the only one that ends with that path."""
    inner = [one for one in same_name if f"/{path}".endswith(f"/{one}")]
    longest = max(inner, key=len, default="")
    if "/" in longest or (longest and len(same_name) == 1):
        return longest
    outer = [one for one in same_name if f"/{one}".endswith(f"/{path}")]
    return outer[0] if len(outer) == 1 else ""
