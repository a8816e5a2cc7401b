"""The declaration of a symbol in a file, as a value that two versions of the file are compared by."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

PRESENCE = ""
"""The facet that every declared symbol has."""
ORDER = ","
"""The facet of a function with the names of the parameters that are passed by position, in order."""


class Parameter(msgspec.Struct, frozen=True):
    """A parameter as callers use it.

    Attributes:
        kind: ``positional``, ``any``, ``*``, ``keyword`` or ``**``.
        location: the number of parameters before it, without the receiver of a method.
        default: as written; empty without one.
    """

    name: str
    kind: str
    is_required: bool
    location: int
    default: str = ""

    @property
    def facet(self) -> str:
        """The kind, and whether a call needs it."""
        return f"{self.kind}{' required' if self.is_required else ''}"

    @property
    def form(self) -> str:
        """The parameter in a signature."""
        return f"{self.label}{f'={self.default}' if self.default else ''}"

    @property
    def label(self) -> str:
        """The name, with the stars of one for any number of arguments."""
        return f"{self.kind if self.kind in ('*', '**') else ''}{self.name}"


class Declaration(msgspec.Struct, frozen=True):
    """How a version of a file declares a symbol.

    Attributes:
        form: what users see of it, in one line: a signature, a range of versions, an option.
        facets: its parts that users rely on; the key is a word in the file, such as the name of a parameter.
        parameters: of a function.
    """

    form: str = ""
    facets: Mapping[str, str] = {}
    parameters: tuple[Parameter, ...] = ()

    @property
    def is_present(self) -> bool:
        """False if the file does not declare the symbol."""
        return bool(self.facets)


ABSENT = Declaration()
Reader = Callable[[str], Declaration]
"""Content of a file -> the declaration of one symbol in it."""


def present(form: str, value: str = "present") -> Declaration:
    """Return the declaration of a symbol without parts."""
    return Declaration(form, {PRESENCE: value})


def changed_facets(base: Declaration, head: Declaration) -> dict[str, str]:
    """Return the facets that differ, with their values at the base; that of an added one is empty."""
    keys = dict.fromkeys((*base.facets, *head.facets))
    return {key: base.facets.get(key, "") for key in keys if base.facets.get(key) != head.facets.get(key)}
