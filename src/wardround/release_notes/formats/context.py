"""The input of a format besides the notes."""

from __future__ import annotations

import msgspec


class RenderContext(msgspec.Struct, frozen=True):
    """The heading and the address of the repository.

    Attributes:
        version: of the heading; empty for ``Unreleased``.
        url: the page of the repository, such as ``https://github.com/owner/name``; empty if it is unknown.
    """

    version: str = ""
    url: str = ""
