"""The files of a tree that decide what a build compiles."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping

from wardround.workflows.environments.build_code import build_code
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.projects import table, texts

_SOURCES = frozenset({
    ".c", ".cc", ".cpp", ".cxx", ".cu", ".f", ".f90", ".f95", ".for", ".go", ".h", ".hpp", ".i", ".m", ".mm",
    ".pxd", ".pxi", ".pyx", ".rs", ".s", ".zig",
})  # fmt: skip
_RECIPES = frozenset({
    "CMakeLists.txt", "Cargo.lock", "Cargo.toml", "build.rs", "build.py", "meson.build", "meson.options",
    "meson_options.txt", "MANIFEST.in",
})  # fmt: skip


def is_source(path: str) -> bool:
    """Return True for a source of a compiled language, templates such as ``a.c.src`` included."""
    return not _SOURCES.isdisjoint(f".{part}" for part in posixpath.basename(path).split(".")[1:])


def has_sources(paths: Collection[str]) -> bool:
    """Return True if a tree has something to compile."""
    return any(map(is_source, paths))


def build_inputs(
    folder: str, document: Mapping[str, object], files: TreeFiles
) -> Iterator[tuple[str, bytes]]:
    """Yield path and digest of what a build reads: what it compiles, and code of the tree that it runs.

    Args:
        folder: of the project.
        document: its ``pyproject.toml``.
    """
    stem = f"{folder}/" if folder else ""
    within = [path for path in files.paths if path.startswith(stem)]
    found = {*_backend(folder, document, within), *build_code(folder, document, files)}
    if has_sources(within):
        found.update(path for path in within if is_source(path) or posixpath.basename(path) in _RECIPES)
    for path in sorted(found):
        yield f"build {path}", files.digest(path).encode()


def _backend(folder: str, document: Mapping[str, object], within: list[str]) -> Iterator[str]:
    """Yield the files below the folders of ``backend-path``; of the project's own, all modules."""
    for path in texts(table(document, "build-system").get("backend-path")):
        place = posixpath.normpath(posixpath.join(folder, path))
        stem = "" if place == "." else f"{place}/"
        is_own = place == (folder or ".")
        yield from (one for one in within if one.startswith(stem) and (not is_own or one.endswith(".py")))
