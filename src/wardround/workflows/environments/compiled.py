"""The files of a tree that decide what a build compiles."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping

from wardround.lazy import LazyPattern
from wardround.workflows.environments.build_code import build_code
from wardround.workflows.environments.tree_files import TreeFiles

_SOURCES = frozenset({
    ".c", ".cc", ".cpp", ".cxx", ".cu", ".f", ".f90", ".f95", ".for", ".go", ".h", ".hpp", ".i", ".m", ".mm",
    ".pxd", ".pxi", ".pyx", ".rs", ".s", ".zig",
})  # fmt: skip
_RECIPES = frozenset({
    "CMakeLists.txt", "Cargo.lock", "Cargo.toml", "build.rs", "build.py", "meson.build", "meson.options",
    "meson_options.txt", "MANIFEST.in",
})  # fmt: skip


_COMMANDS = LazyPattern(
    r"(?i)\b(?:add_custom_(?:command|target)|configure_file|custom_target|execute_process|files|find_program|generator"
    r"|include_(?:bytes|str)!|read_to_string|run_command)\s*\((?=([^()]{0,2000}))"
)
"""The arguments by which a recipe runs programs and reads files."""
_FILE = LazyPattern(r"[\w./-]{1,200}\.\w{1,10}")


def is_source(path: str) -> bool:
    """Return True for a source of a compiled language, templates such as ``a.c.src`` included."""
    return not _SOURCES.isdisjoint(f".{part}" for part in posixpath.basename(path).split(".")[1:])


def has_sources(paths: Collection[str]) -> bool:
    """Return True if a tree has something to compile."""
    return any(map(is_source, paths))


def build_inputs(
    folder: str, document: Mapping[str, object], files: TreeFiles
) -> Iterator[tuple[str, bytes]]:
    """Yield path and digest of the inputs of a build: compiled sources, and code of the tree that it runs.

    Args:
        folder: folder of the project.
        document: its ``pyproject.toml``.
    """
    stem = f"{folder}/" if folder else ""
    within = [path for path in files.paths if path.startswith(stem)]
    found = {*build_code(folder, document, files)}
    if has_sources(within):
        recipes = [path for path in within if posixpath.basename(path) in _RECIPES]
        found.update(recipes, filter(is_source, within), _named_in(recipes, within, files))
    for path in sorted(found):
        yield f"build {path}", files.digest(path).encode()


def _named_in(recipes: Collection[str], within: Collection[str], files: TreeFiles) -> Iterator[str]:
    """Yield the files that recipes name in their commands: programs and what these read."""
    texts = [files.text(path) or "" for path in recipes]
    commands = [found for text in texts for found in _COMMANDS.findall(text)]
    names = {posixpath.basename(name) for command in commands for name in _FILE.findall(command)}
    yield from (path for path in within if posixpath.basename(path) in names)
