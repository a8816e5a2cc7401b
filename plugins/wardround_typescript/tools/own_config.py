"""Keeping a tool to the configuration that was meant for it.

A snapshot holds one file under each path. Where a change edits a tool's configuration and some other tool
reviews that very file, what lies there is the version under review; a tool whose configuration can run code
or silence it must not read that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import PurePosixPath

from wardround.errors import ToolFailed
from wardround.tools.tool import Invocation


def sealed(tool: str, folder: str, files: Mapping[str, str]) -> Mapping[str, str]:
    """The files, and beside them a note of what they must hold; nothing where there are none."""
    if not files:
        return {}
    note = {path: _digest(text.encode("utf-8", "surrogateescape")) for path, text in files.items()}
    return {**files, _note_name(tool, folder): json.dumps(note, sort_keys=True)}


def check_seals(tool: str, run: Invocation) -> None:
    """Make sure that the configuration in the snapshot is what was put there for this tool.

    Raises:
        ToolFailed: it is not, so the tool must not be started.
    """
    folders = {parent for file in run.files for parent in PurePosixPath(file).parents}
    for folder in sorted("" if str(parent) == "." else str(parent) for parent in folders):
        note = run.root / _note_name(tool, folder)
        for path, digest in json.loads(note.read_bytes()).items() if note.is_file() else ():
            lying = run.root / path
            if not lying.is_file() or _digest(lying.read_bytes()) != digest:
                raise ToolFailed(
                    f"{path} is itself under review, and {tool} is not run with that version of it"
                )


def _note_name(tool: str, folder: str) -> str:
    return f"{folder}/.wardround-{tool}.json".removeprefix("/")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
