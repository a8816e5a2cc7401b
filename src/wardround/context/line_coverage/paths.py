"""The files of the repository that the paths of a coverage file mean."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from wardround.context.line_coverage.model import MeasuredLines


def measured_paths(
    measured: MeasuredLines, root: str, folder: str, tracked: Collection[str]
) -> dict[str, str]:
    """Return the path in the repository -> the path verbatim, for each file that is under version control.

    Paths may be absolute, also on another machine, or relative to the root, to the folder of the coverage
    file or one above it (such as the package whose ``coverage`` folder contains the file), or to one of its
    source folders. A path that may mean several files means none.

    Args:
        root: the absolute path of the work tree.
        folder: folder of the coverage file, relative to the root.
    """
    names = defaultdict(list)
    for path in tracked:
        names[posixpath.basename(path)].append(path)
    found: dict[str, str] = {}
    ambiguous: set[str] = set()
    bases = _bases(measured, root, folder, frozenset(tracked))
    for written in measured.files:
        path = _resolve_path(written.replace("\\", "/"), bases, root, names)
        if path in found:
            ambiguous.add(path)
        elif path:
            found[path] = written
    return {path: written for path, written in found.items() if path not in ambiguous}


def _bases(measured: MeasuredLines, root: str, folder: str, tracked: Collection[str]) -> tuple[str, ...]:
    """Return the folders that paths may be relative to, those first from which most of them exist."""
    bases = dict.fromkeys([*_folder_and_parents(folder), "", *_stated_bases(measured, root)])
    written = [path.replace("\\", "/") for path in measured.files]
    relative = [path for path in written if not posixpath.isabs(path)]
    existing = {base: sum(_join_path(base, path) in tracked for path in relative) for base in bases}
    return tuple(sorted(bases, key=lambda base: -existing[base]))


def _folder_and_parents(folder: str) -> list[str]:
    """Return a folder and those around it, without the root."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]


def _stated_bases(measured: MeasuredLines, root: str) -> Iterator[str]:
    """Yield the folders inside the repository that a measurement states."""
    for stated in measured.roots:
        path = stated.replace("\\", "/")
        inside = _relative_path(path, root) if posixpath.isabs(path) else path
        if inside is not None:
            yield inside


def _join_path(base: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(base, path))


def _relative_path(path: str, root: str) -> str | None:
    """Return an absolute path relative to the root; None outside of it."""
    if path.rstrip("/") == root:
        return ""
    return path[len(root) + 1 :] if path.startswith(f"{root}/") else None


def _resolve_path(path: str, bases: Iterable[str], root: str, names: dict[str, list[str]]) -> str:
    same_name = names.get(posixpath.basename(path), [])
    inside = _relative_path(path, root)
    exact = [path if inside is None else inside]
    if not posixpath.isabs(path):
        exact = [_join_path(base, path) for base in bases]
    for match in exact:
        if match in same_name:
            return match
    return _match_by_suffix(path, same_name)


def _match_by_suffix(path: str, same_name: list[str]) -> str:
    """Return the file whose path the end of another path is, or the only one that ends with that path."""
    inner = [candidate for candidate in same_name if f"/{path}".endswith(f"/{candidate}")]
    longest = max(inner, key=len, default="")
    if "/" in longest or (longest and len(same_name) == 1):
        return longest
    outer = [candidate for candidate in same_name if f"/{candidate}".endswith(f"/{path}")]
    return outer[0] if len(outer) == 1 else ""
