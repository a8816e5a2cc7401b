"""The input of a format besides the notes."""

from __future__ import annotations

import msgspec

from wardround.release_notes.history.tag_version import version_of_tag
from wardround.release_notes.model import ReleaseNotes, VersionPart


class RenderContext(msgspec.Struct, frozen=True):
    """The heading and the address of the repository.

    Attributes:
        version: of the heading; empty for ``Unreleased``.
        url: the page of the repository, such as ``https://github.com/owner/name``; empty if it is unknown.
    """

    version: str = ""
    url: str = ""


def suggested_heading(notes: ReleaseNotes) -> str:
    """Return the version of the head if it is a tag, else the suggested one.

    It is empty if nothing changes for users, and no version follows.
    """
    tag = version_of_tag(notes.head)
    if tag is not None:
        return tag.version
    return "" if notes.version.part is VersionPart.NONE else notes.version.suggested
