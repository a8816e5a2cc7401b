"""The changes that users notice: of what a package exports, documents or deprecated, or its authors name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from wardround.context.surface.model import SurfaceKind
from wardround.context.surface.python_documentation import Documentation
from wardround.context.surface.sides import Sides
from wardround.release_notes.surfaces.attribution import Cause
from wardround.release_notes.surfaces.evidence import Evidence
from wardround.release_notes.surfaces.public_names import module_length, module_parts
from wardround.release_notes.surfaces.python_declaration import listed_declaration
from wardround.release_notes.surfaces.replacements import is_deprecated
from wardround.release_notes.surfaces.surface_break import SurfaceBreak

NOT_NOTICED = "no package exports it, and no page, deprecation or commit message names it"
UNDOCUMENTED = "a package exports it, but no page of the documentation and no commit message names it"
_LEAST_NAME = 3
"""Shorter names occur in any text."""


@dataclass(frozen=True)
class Relevance:
    """The sources that make a name known to users: the base, and the messages of the range."""

    sides: Sides
    evidence: Evidence

    def is_noticed(self, found: SurfaceBreak, cause: Cause) -> bool:
        """Return True if users are likely to use what a change is about."""
        return self.is_known(found) or self._is_named(found.own_name, cause)

    def reason(self, found: SurfaceBreak) -> str:
        """Return why users are unlikely to use what a change is about."""
        is_export = found.change.kind is SurfaceKind.SCRIPT_EXPORTS
        return UNDOCUMENTED if is_export else NOT_NOTICED

    def is_known(self, found: SurfaceBreak) -> bool:
        """Return True if a package exports, documents or deprecates what a change is about."""
        match found.change.kind:
            case SurfaceKind.PYTHON_API:
                return self._is_known_python(found)
            case SurfaceKind.SCRIPT_EXPORTS:
                return self._is_known_export(found)
            case _:
                return True

    def _is_known_python(self, found: SurfaceBreak) -> bool:
        path, text = found.change.path, self.sides.base.read(found.change.path) or ""
        outer = found.qualified.partition(".")[0]
        if not outer:
            return self._documentation.mentions_module(found.symbol)
        if is_exported(found.symbol, path) and not _is_variable(found):
            return True
        if listed_declaration(text, outer).is_present or is_deprecated(text, found.qualified):
            return True
        return self._is_documented(outer)

    def _is_known_export(self, found: SurfaceBreak) -> bool:
        """Return True for an export that the documentation names; for any if the package has no pages."""
        return not self._documentation.has_pages or self._is_documented(found.symbol.partition(".")[0])

    def _is_documented(self, name: str) -> bool:
        return len(name) >= _LEAST_NAME and self._documentation.mentions(name)

    def _is_named(self, name: str, cause: Cause) -> bool:
        """Return True if the message of a commit that causes the change has its name."""
        messages = map(self.evidence.message, cause.commits)
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return len(name) >= _LEAST_NAME and any(pattern.search(message) for message in messages)

    @cached_property
    def _documentation(self) -> Documentation:
        return Documentation(self.sides.base)


def is_exported(symbol: str, path: str) -> bool:
    """Return True if a package exports an object of another module, or defines it itself."""
    if path.endswith(("/__init__.py", "/__init__.pyi")):
        return True
    module = module_parts(path)
    return len(module) == 1 or module_length(symbol.split("."), module) == 0


def _is_variable(found: SurfaceBreak) -> bool:
    """Return True for a variable of a module."""
    form = found.base.form
    return "." not in found.qualified and "(" not in form and not form.startswith("class ")
