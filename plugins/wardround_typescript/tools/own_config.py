"""Restriction of a tool to the configuration that wardround wrote for it.

The trusted version of a configuration is written to the snapshot first. A configuration that the change adds
has no trusted version, and may be in the snapshot because a tool reviews it; a tool whose configuration can
run code or silence the tool must not read it. The seal is written above the root of the snapshot, where no
file of a change can be.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from wardround.errors import ToolFailed
from wardround.storage.digest import sha256
from wardround.tools.tool import Invocation


def has_configuration(names: Sequence[str], read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
    """Return True if a file of one of these names is at the root, or in a folder above one of the paths."""
    folders = {str(folder) for path in paths for folder in PurePosixPath(path).parents}
    return any(
        read(str(PurePosixPath(folder, name))) is not None
        for folder in sorted({".", *folders})
        for name in names
    )


def nearest_configuration(path: str, names: Sequence[str], configs: Mapping[str, str]) -> str | None:
    """Return the path of the configuration in the lowest folder above a file; the first name counts there."""
    candidates = (str(folder / name) for folder in PurePosixPath(path).parents for name in names)
    return next((candidate for candidate in candidates if candidate in configs), None)


def add_seal(tool: str, folder: str, files: Mapping[str, str]) -> Mapping[str, str]:
    """Return the files with a seal of their content; nothing if there are none."""
    if not files:
        return {}
    digests = {path: _digest(text.encode("utf-8", "surrogateescape")) for path, text in files.items()}
    note = msgspec.json.encode(digests, order="sorted")
    return {**files, f"../{_note_name(tool, folder)}": note.decode()}


def check_seals(tool: str, run: Invocation, names: Collection[str] = ()) -> Mapping[str, str]:
    """Verify that the configuration in the snapshot is the one that was written for this tool.

    Args:
        names: its configuration files that must be absent unless they were written for it.

    Returns:
        Its files, with the digests of their content.

    Raises:
        ToolFailed: the configuration differs, so the tool must not be started.
    """
    trusted: dict[str, str] = {}
    folders = {str(parent) for file in run.files for parent in PurePosixPath(file).parents}
    for folder in sorted(folders):
        stem = "" if folder == "." else f"{folder}/"
        known = _recorded_digests(tool, run, stem.rstrip("/"))
        lying = {f"{stem}{name}" for name in names if os.path.lexists(run.root / f"{stem}{name}")}
        for path in sorted(lying | set(known)):
            if path not in known or _digest_of(run.root / path) != known[path]:
                raise ToolFailed(f"{path} is itself under review, and {tool} does not run with it")
        trusted |= known
    return trusted


def _recorded_digests(tool: str, run: Invocation, folder: str) -> dict[str, str]:
    """Return the digests that were recorded for a folder."""
    note = run.root.parent / _note_name(tool, folder)
    return msgspec.json.decode(note.read_bytes(), type=dict[str, str]) if note.is_file() else {}


def _note_name(tool: str, folder: str) -> str:
    return f"wardround-{tool}-{_digest(folder.encode('utf-8', 'surrogateescape'))[:16]}.json"


def _digest_of(file: Path) -> str:
    return _digest(file.read_bytes()) if file.is_file() else ""


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
