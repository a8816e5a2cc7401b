"""The environment of a project: what a run of its code can see, and what identifies it."""

from __future__ import annotations

import msgspec

from wardround.sandbox.model import Visible


class Environment(msgspec.Struct, frozen=True):
    """An interpreter with the packages that a project needs.

    Attributes:
        language: ``python`` or ``javascript``.
        source: the file, setting or variable that names it, as a noun phrase for a person.
        digest: of the interpreter's version and the installed packages with their versions.
        visible: the folders, programs and variables of a run.
        version: of the interpreter, as ``3.12.4``.
    """

    language: str
    source: str
    digest: str
    visible: Visible
    version: str
