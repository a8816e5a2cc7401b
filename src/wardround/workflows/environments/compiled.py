"""The files of a tree that decide what a build compiles."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Collection, Iterator, Mapping

from wardround.languages.python.tree import walk
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
    """Yield path and digest of what a build reads: what it compiles, and a build back end in the tree.

    Args:
        folder: of the project.
        document: its ``pyproject.toml``.
    """
    stem = f"{folder}/" if folder else ""
    within = [path for path in files.paths if path.startswith(stem)]
    found = {*_backend(folder, document, within), *_imported(stem, files)}
    if has_sources(within):
        found.update(path for path in within if is_source(path) or posixpath.basename(path) in _RECIPES)
    for path in sorted(found):
        yield f"build {path}", files.digest(path).encode()


def _imported(stem: str, files: TreeFiles) -> Iterator[str]:
    """Yield the modules of the tree that ``setup.py`` imports, without those that they import."""
    try:
        script = ast.parse(files.text(f"{stem}setup.py") or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for module in _imports(script):
        parts = module.split(".")
        for count in range(1, len(parts) + 1):
            place = stem + "/".join(parts[:count])
            yield from (path for path in (f"{place}.py", f"{place}/__init__.py") if path in files.paths)


def _imports(script: ast.Module) -> Iterator[str]:
    for node in walk(script):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _backend(folder: str, document: Mapping[str, object], within: list[str]) -> Iterator[str]:
    """Yield the files below the folders of ``backend-path``; of the project's own, all modules."""
    for path in texts(table(document, "build-system").get("backend-path")):
        place = posixpath.normpath(posixpath.join(folder, path))
        stem = "" if place == "." else f"{place}/"
        is_own = place == (folder or ".")
        yield from (one for one in within if one.startswith(stem) and (not is_own or one.endswith(".py")))
