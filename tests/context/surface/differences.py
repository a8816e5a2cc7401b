"""Comparisons of two trees given as contents by path, for the tests of surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from wardround.context.surface.comparison import compare
from wardround.context.surface.model import Surface, SurfaceChange
from wardround.context.surface.sides import sides_of_texts

PYPROJECT = """
[build-system]
requires = ["hatchling"]

[project]
name = "shop"
requires-python = ">=3.9"
"""


def surface(
    base: Mapping[str, str], head: Mapping[str, str | None], *messages: str, package: bool = True
) -> Surface:
    """Compare a tree with the same tree after some files are replaced; None deletes a file."""
    before = {"pyproject.toml": PYPROJECT} if package else {}
    before |= {path: dedent(text) for path, text in base.items()}
    after = before | {path: dedent(text) for path, text in head.items() if text is not None}
    retained = {path: text for path, text in after.items() if head.get(path, "") is not None}
    return compare(sides_of_texts(before, retained), messages)


def lines(changes: tuple[SurfaceChange, ...]) -> list[str]:
    """Return changes as in the text report."""
    return [f"{change.path}:{change.line} {change.name} {change.detail}" for change in changes]
