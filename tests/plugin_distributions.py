"""Distributions with a plugin, as an installer leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def install(folder: Path, name: str, source: str, entry: str = "{0} = {0}") -> None:
    """Create a distribution with one plugin module."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    _describe(folder, name, entry)


def install_package(folder: Path, name: str, files: Mapping[str, str]) -> None:
    """Create a distribution with one plugin package.

    Args:
        files: path in the package -> text.
    """
    for path, text in files.items():
        file = folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    _describe(folder, name, "{0} = {0}")


def _describe(folder: Path, name: str, entry: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[wardround]\n{entry.format(name)}\n")
