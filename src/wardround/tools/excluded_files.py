"""The settings by which a project excludes files from a tool, as the tool declares them."""

from __future__ import annotations

import msgspec


class ExcludedFiles(msgspec.Struct, frozen=True):
    """Settings at the root of a project that exclude files.

    The form of a file follows from its name: ``.toml``, ``.json`` and ``.jsonc``, INI for ``.cfg`` and
    ``.ini``; any other has a pattern in each line.

    Attributes:
        files: the names of the files with the settings.
        tables: the tables that have the keys; ``()`` is the document itself.
        keys: the keys of lists of patterns.
        included: the key of a list of patterns; those after a ``!`` exclude.
    """

    files: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...] = ()
    keys: tuple[str, ...] = ()
    included: str = ""
