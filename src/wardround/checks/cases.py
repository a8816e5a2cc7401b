"""Cases of checks: sources that a check must report, and sources that it must not."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Valid(msgspec.Struct, frozen=True):
    """A case a check must be silent on. ``others`` are further files of the project, by path."""

    source: str
    path: str = "case.py"
    base: str | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)


class Invalid(msgspec.Struct, frozen=True):
    """A case a check must report, once, at exactly this place; ``fixed`` is the file after its fix."""

    source: str
    line: int
    column: int
    path: str = "case.py"
    base: str | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)
    fixed: str | None = None


class ChangeCase(msgspec.Struct, frozen=True):
    """A change given as the texts of its files: (before, after) by path, None where there is none.

    ``others`` are files the change does not touch; ``place`` is the (path, line, column) of the one report it
    must bring, or None if there must be none.
    """

    files: Mapping[str, tuple[str | None, str | None]]
    place: tuple[str, int, int] | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)
    message: str = ""


def render_case(case: ChangeCase) -> str:
    """A change as text, for people."""
    parts = [f"message: {case.message}"] if case.message else []
    for path, (before, after) in case.files.items():
        parts += [f"{path} before:\n{before}"] if before is not None else []
        parts += [f"{path} after:\n{after}"] if after is not None else [f"{path} deleted"]
    return "\n".join(parts)
