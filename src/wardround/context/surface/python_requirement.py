"""The versions of Python that a distribution requires, in any of its manifests."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from wardround.context.surface.packages import PYTHON_MANIFESTS, line_of, table, toml
from wardround.context.surface.sides import Side
from wardround.lazy import LazyPattern

_SETUP = LazyPattern(r"(?m)^[ \t]*python_requires[ \t]*=[ \t]*['\"]?([^'\"\n]*)")
_KEYS = ("requires-python", "python_requires", "python =")


class PythonRequirement(NamedTuple):
    """A range of versions, with the line of the manifest that states it."""

    path: str
    line: int
    versions: str


def python_requirement(side: Side, folder: str) -> PythonRequirement | None:
    """Return the required versions of Python of the distribution in a folder; None if it states none."""
    for name in PYTHON_MANIFESTS:
        path = posixpath.join(folder, name)
        text = side.read(path) or ""
        versions = required_python(text, is_toml=name.endswith(".toml"))
        if versions:
            key = next((key for key in _KEYS if key in text), "")
            return PythonRequirement(path, line_of(text, key), versions)
    return None


def required_python(text: str, *, is_toml: bool) -> str:
    """Return the required versions in a manifest; empty if it states none."""
    if not is_toml:
        match = _SETUP.search(text)
        return match[1].strip() if match else ""
    document = toml(text)
    found = table(document, "project").get("requires-python")
    if isinstance(found, str):
        return found
    found = table(document, "tool", "poetry", "dependencies").get("python")
    return _pep440(found) if isinstance(found, str) else ""


def _pep440(text: str) -> str:
    """Return a caret range of poetry as a lower bound, and any other range unchanged."""
    return f">={text[1:]}" if text.startswith("^") else text
