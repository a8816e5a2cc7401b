"""The name of the program that a Python module is part of."""

from __future__ import annotations

import re

from wardround.change.repository_view import RepositoryView
from wardround.lazy import LazyPattern
from wardround.semantics.docdrift.references import ProgramName

_SCRIPT = LazyPattern(r"""["']?([A-Za-z][\w.-]*)["']?\s*=\s*["']?([A-Za-z_]\w*)(?:\.[\w.]+)?:[\w.]+""")
_OWN_NAME = LazyPattern(
    r"""(?:\bprog\s*=\s*|\.(?:command|group)\(\s*(?:name\s*=\s*)?)["']([A-Za-z][\w.-]*)["']"""
)
_SECTION = LazyPattern(r"^\[([^\]\n]+)\]", re.MULTILINE)
_METADATA = ("pyproject.toml", "setup.cfg", "setup.py")


def program_of(path: str, text: str, project: RepositoryView) -> ProgramName:
    """Return the commands, paths and dotted names under which a module may be run."""
    parts = path.removesuffix(".py").split("/")
    plain = parts[1:] if parts[0] in ("src", "lib") else parts
    commands = {name for name, package in _scripts(parts[:-1], project) if package in parts}
    commands |= set(_OWN_NAME.findall(text))
    if "addoption" in text:
        commands.add("pytest")
    dotted = ".".join(plain[:-1] if plain[-1] in ("__main__", "__init__") else plain)
    package = {plain[0]} if len(plain) > 1 and _is_package(parts, project) else set()
    return ProgramName(frozenset(commands), frozenset({path, dotted} | package))


def _is_package(parts: list[str], project: RepositoryView) -> bool:
    root = parts[: 2 if parts[0] in ("src", "lib") else 1]
    return project.read("/".join((*root, "__main__.py"))) is not None


def _scripts(folders: list[str], project: RepositoryView) -> list[tuple[str, str]]:
    """Return (command, top package) of the scripts that the nearest project around a folder installs."""
    for depth in range(len(folders), -1, -1):
        stem = "".join(f"{folder}/" for folder in folders[:depth])
        texts = [(name, project.read(stem + name)) for name in _METADATA]
        results = [
            item for name, text in texts if text for item in _SCRIPT.findall(_script_section(name, text))
        ]
        if results:
            return results
    return []


def _script_section(name: str, text: str) -> str:
    """Return the part of a project's metadata that names its scripts."""
    if name != "pyproject.toml":
        return text.partition("console_scripts")[2]
    pieces = _SECTION.split(text)
    return "".join(body for head, body in zip(pieces[1::2], pieces[2::2], strict=True) if "scripts" in head)
