"""The section of a changelog that is about a range: its text, from the disk or from the head of the range."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from wardround.change.change_source import decode_text
from wardround.change.repository import Repository
from wardround.errors import UsageError
from wardround.release_notes.changelog.changelog import (
    ChangelogEntry,
    ChangelogSection,
    fragment,
    sections_of,
)

_NO_FRAGMENTS = frozenset({"readme", "template", "config", "contributing"})
_FRAGMENT_SUFFIXES = (".md", ".rst", ".txt")


class ChangelogSource(msgspec.Struct, frozen=True):
    """Reads changelogs at the head of a range; of the commit that is checked out, the files on disk.

    Attributes:
        base, head: object ids.
    """

    repository: Repository
    base: str
    head: str

    def section(self, path: str, version: str) -> ChangelogSection | None:
        """Return the section of a version, or what is not released yet; None if there is neither.

        Args:
            path: a changelog or a folder of fragments, relative to the root of the repository.
            version: that of the head; empty if no tag names it.

        Raises:
            UsageError: the file is absent or not UTF-8, or has no section of any version.
        """
        texts = dict(self._fragments(path))
        if texts:
            return ChangelogSection(path, 1, path, "", tuple(_fragment_entries(texts)))
        sections = sections_of(path, self._text(path))
        if not sections:
            raise UsageError(
                f"{path} has no heading with a version or 'Unreleased'; name the changelog with --check"
            )
        return self._about_range(sections, version)

    def _about_range(self, sections: Sequence[ChangelogSection], version: str) -> ChangelogSection | None:
        """Return the section of a version, else the first with entries that the base does not have."""
        known = {
            section.version for section in sections_of(sections[0].path, self._base_text(sections[0].path))
        }
        named = [section for section in sections if version and section.version == version]
        fresh = [section for section in sections[:2] if not section.version or section.version not in known]
        filled = [section for section in fresh if section.entries]
        return next(iter([*named, *filled, *fresh]), None)

    def _text(self, path: str) -> str:
        content = self._read(path)
        text = None if content is None else decode_text(content)
        if text is None:
            state = "is not UTF-8" if content is not None else f"does not exist at {self.head[:10]}"
            raise UsageError(f"{path} {state}; name a changelog relative to the root of the repository")
        return text

    def _base_text(self, path: str) -> str:
        content = self.repository.revision(self.base).read(path)
        return decode_text(content or b"") or ""

    def _read(self, path: str) -> bytes | None:
        if self._is_checked_out:
            file = self.repository.root / path
            return file.read_bytes() if file.is_file() else None
        return self.repository.revision(self.head).read(path)

    @property
    def _is_checked_out(self) -> bool:
        return not self.repository.bare and self.head == self.repository.head()

    def _fragments(self, folder: str) -> Iterator[tuple[str, str]]:
        """Yield the texts of the fragments in a folder, by path."""
        for path in self._paths_below(folder):
            content = self._read(path) if _is_fragment(path) else None
            text = None if content is None else decode_text(content)
            if text and text.strip():
                yield path, text

    def _paths_below(self, folder: str) -> list[str]:
        if self._is_checked_out:
            below = Path(self.repository.root, folder)
            files = sorted(file for file in below.rglob("*") if file.is_file()) if below.is_dir() else []
            return [file.relative_to(self.repository.root).as_posix() for file in files]
        prefix = folder.rstrip("/") + "/"
        return [path for path, _ in self.repository.blobs_of(self.head) if path.startswith(prefix)]


def _is_fragment(path: str) -> bool:
    """Return True for the text of one change; a folder of fragments also has settings and a template."""
    name = posixpath.basename(path)
    stem = name.partition(".")[0].lower()
    is_text = name.endswith(_FRAGMENT_SUFFIXES) or _has_category(name)
    return is_text and bool(stem) and stem not in _NO_FRAGMENTS and "template" not in stem


def _has_category(name: str) -> bool:
    """Return True for a name of towncrier without a suffix, such as ``12.feature``."""
    stem, _, category = name.partition(".")
    return stem.lstrip("+").isalnum() and category.isalpha() and not category.startswith("json")


def _fragment_entries(texts: dict[str, str]) -> Iterator[ChangelogEntry]:
    for path, text in texts.items():
        yield fragment(path, text)
