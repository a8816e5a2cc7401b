"""The normal form of a patch, which ignores layout, comments and documentation of Python code."""

from __future__ import annotations

from wardround.authoring.stages import Patch, PatchedFile
from wardround.languages.python.tree import UNREADABLE, parse
from wardround.storage.digest import sha256
from wardround.workflows.test.python_code.normal_syntax import statement_digest

NormalPatch = tuple[tuple[str, str], ...]
"""Path and digest of each file."""


def normal_patch(patch: Patch) -> NormalPatch:
    """Return the normal form; patches with an equal one have the same effect."""
    return tuple((file.path, _digest(file)) for file in patch.files)


def _digest(file: PatchedFile) -> str:
    if file.text is None:
        return ""
    if not file.path.endswith(".py"):
        return _text_digest(file.text)
    try:
        return statement_digest(parse(file.text), file.path)
    except UNREADABLE:
        return _text_digest(file.text)


def _text_digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
