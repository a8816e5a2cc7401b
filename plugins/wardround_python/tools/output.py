"""What the tools' modules share: reading their output, finding their rules."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TypeVar

import msgspec

from wardround.errors import ToolOutputError
from wardround.rules import RULES_PACKAGE, ToolMapFile, load_tool_map
from wardround.tools.tool import Invocation

INSTALL_BASE = "pip install --force-reinstall wardround"
INSTALL_CI = "pip install 'wardround[ci]'"
RAN = frozenset({0, 1})
"""The exit statuses of all these tools that mean "it ran"."""
PROJECT_FILES = ("*.py", "*.pyi", "py.typed")
"""The files whose presence tells a tool what an import means."""

Decoded = TypeVar("Decoded")


def decoded(output: bytes, kind: type[Decoded]) -> Decoded:
    """JSON as the values a tool's output consists of.

    Raises:
        ToolOutputError: it is nested without end.
        msgspec.MsgspecError: it is not what the tool is known to print.
    """
    try:
        return msgspec.json.decode(output, type=kind)
    except RecursionError as cause:
        raise ToolOutputError("its output is nested without end") from cause


def relative(path: str, run: Invocation) -> str:
    """A path a tool named, relative to the snapshot's root.

    Raises:
        ToolOutputError: it is none of the files the tool was given.
    """
    relative = os.path.normpath(os.path.relpath(path, run.root) if os.path.isabs(path) else path)
    if relative not in run.files:
        raise ToolOutputError(f"it named {path!r}, which it was not given")
    return relative


def one_line(text: str) -> str:
    return " ".join(text.split())


def selection(tool: str) -> str:
    """What is switched off of a tool, as part of what its answers depend on."""
    tool_map = map_of(tool)
    return repr((tool_map.ignore, sorted(tool_map.ignore_in.items())))


@cache
def rules_folder() -> Path:
    return Path(str(resources.files(RULES_PACKAGE) / "python"))


def rules_digest(engine: str) -> str:
    """A digest of the declarative rules of one engine, part of what its answers depend on."""
    digest = hashlib.sha256()
    for file in sorted((rules_folder() / engine).glob("*.yml")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def map_of(tool: str) -> ToolMapFile:
    return load_tool_map(tool).content
