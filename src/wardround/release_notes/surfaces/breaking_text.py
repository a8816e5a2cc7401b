"""The sentence that states a breaking change, and the one with the migration of users."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.context.surface.model import SurfaceKind
from wardround.release_notes.surfaces.signature_change import SignatureChange
from wardround.release_notes.surfaces.surface_break import SurfaceBreak
from wardround.release_notes.surfaces.version_bounds import lowest_version

_PROGRAMS = {
    "requires-python": "Python",
    "engines.node": "Node.js",
    "engines.npm": "npm",
    "engines.pnpm": "pnpm",
}
_SYMBOLS = frozenset({SurfaceKind.PYTHON_API, SurfaceKind.HTTP_API, SurfaceKind.SCRIPT_EXPORTS})
_ONE_ARGUMENT = re.compile(r"\b1 arguments")
_KINDS = {"positional": "by position", "keyword": "by name"}


def text_of(found: SurfaceBreak) -> str:
    """Return the change as a sentence without full stop."""
    change = found.change
    if found.signature is not None:
        return _capitalise("; ".join(_signature_parts(found.signature, found.symbol)))
    program = _PROGRAMS.get(change.name)
    if program is not None:
        return (
            f"Require {program} {_version_range(found.head.form)}; it was {_version_range(found.base.form)}"
        )
    name = f"`{found.symbol}`" if change.kind in _SYMBOLS else change.name
    if found.is_removal:
        return f"Remove {name}" if change.kind in _SYMBOLS else f"Remove the {name}"
    return f"{_capitalise(name)} {_ONE_ARGUMENT.sub('1 argument', change.detail)}"


def migration_of(found: SurfaceBreak, replacement: str) -> str:
    """Return what users do, in one line; empty if no fact states it.

    Args:
        replacement: the name that replaces a removed symbol; empty if none is known.
    """
    if found.signature is not None:
        return "; ".join(_signature_migrations(found.signature))
    if replacement:
        return f"use `{replacement}`"
    program = _PROGRAMS.get(found.change.name)
    if program is not None:
        lowest = lowest_version(found.head.form)
        return f"upgrade to {program} {lowest}" if lowest else ""
    return ""


def _signature_parts(change: SignatureChange, symbol: str) -> Iterator[str]:
    owner = f" of `{symbol}`"
    for verb, names in (
        ("remove", change.removed),
        ("require", change.required),
        ("require", change.demanded),
    ):
        if names:
            new = "new " if names is change.required else ""
            yield f"{verb} the {new}{_parameters(names)}{owner}"
            owner = ""
    for old, new in change.renamed:
        yield f"rename the parameter `{old}`{owner} to `{new}`"
        owner = ""
    if change.moved:
        yield f"give the parameter `{change.moved}`{owner} another position"
        owner = ""
    for kind, restricted in _by_kind(change):
        yield f"accept the {_parameters(restricted)}{owner} only {_KINDS[kind]}"
        owner = ""


def _signature_migrations(change: SignatureChange) -> Iterator[str]:
    removed = [name for name in change.removed if not name.startswith("*")]
    if removed:
        yield f"remove the {_arguments(removed)}"
    for old, new in change.renamed:
        yield f"use `{new}` instead of `{old}`"
    required = (*change.required, *change.demanded)
    if required:
        yield f"pass {_enumeration(required)}"
    if change.moved:
        yield f"pass `{change.moved}` and what follows it by name"
    for kind, names in _by_kind(change):
        yield f"pass {_enumeration(names)} {_KINDS[kind]}"


def _by_kind(change: SignatureChange) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the kinds that parameters are restricted to, with their names."""
    for kind in _KINDS:
        names = [name for name, own in change.restricted if own == kind]
        if names:
            yield kind, names


def _parameters(names: Sequence[str]) -> str:
    return f"parameter{'s' if len(names) > 1 else ''} {_enumeration(names)}"


def _arguments(names: Sequence[str]) -> str:
    return f"argument{'s' if len(names) > 1 else ''} {_enumeration(names)}"


def _enumeration(names: Sequence[str]) -> str:
    """Return names as code, joined for a sentence."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _version_range(text: str) -> str:
    return f"`{text}`" if text else "any version"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
