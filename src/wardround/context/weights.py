"""Large files and complete libraries that a change adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.cost_notes import WeightNote
from wardround.lazy import LazyPattern

LARGE_BYTES = 500_000
"""The size of an added file that is noted: half of what the usual hook for large files accepts."""
_MOST_NOTES = 100
_LOCKS = (".lock", "-lock.json", "-lock.yaml", "npm-shrinkwrap.json")
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".svelte")
_IMPORT = LazyPattern(
    r"[ \t]*(?:import[ \t]+(?!type\b)[^'\"\n;]{0,500}?[ \t]*from[ \t]*"
    r"|(?:const|var|let)[^='\"\n]{1,200}=[ \t]*require\()"
    r"['\"](@?[\w.-]{1,100}(?:/[\w.-]{1,100}){0,5})['\"]"
)
_MOST_CHARACTERS = 1_000_000


def weights_of(
    change: Change,
    content: Callable[[ChangedFile], bytes | None],
    read: Callable[[ChangedFile, bool], str | None],
) -> tuple[WeightNote, ...]:
    """Return the notes of all files.

    Args:
        content: content of a file at the head.
        read: file, True for the base -> the content; None if there is none.
    """
    files = [file for file in change.files if file.is_regular and not file.fragment]
    notes = [*_large(files, content), *_complete_imports(files, read)]
    return tuple(sorted(notes)[:_MOST_NOTES])


def _large(files: list[ChangedFile], content: Callable[[ChangedFile], bytes | None]) -> Iterator[WeightNote]:
    for file in files:
        if file.status is FileStatus.ADDED and not file.path.endswith(_LOCKS):
            size = len(content(file) or b"")
            if size >= LARGE_BYTES:
                path = escape_undecodable(file.path)
                yield WeightNote(path, 1, "large-file", path.rpartition("/")[2], size)


def _complete_imports(
    files: list[ChangedFile], read: Callable[[ChangedFile, bool], str | None]
) -> Iterator[WeightNote]:
    """Return the libraries that are imported completely where only a part was."""
    for file in files:
        if not file.path.endswith(_SCRIPTS) or file.base_path is None or file.status is FileStatus.DELETED:
            continue
        before, after = _imports(read(file, True)), _imports(read(file, False))
        for name in sorted(after.keys() - before.keys()):
            had_part = any(path.startswith(f"{name}/") for path in before)
            if had_part and not any(path.startswith(f"{name}/") for path in after):
                yield WeightNote(escape_undecodable(file.path), after[name], "whole-import", name)


def _imports(text: str | None) -> dict[str, int]:
    """Return the imported modules of packages with their lines."""
    found: dict[str, int] = {}
    for number, line in enumerate((text or "")[:_MOST_CHARACTERS].split("\n"), 1):
        entry = _IMPORT.match(line) if "import" in line or "require" in line else None
        if entry is not None and not entry[1].startswith("."):
            found.setdefault(entry[1], number)
    return found
